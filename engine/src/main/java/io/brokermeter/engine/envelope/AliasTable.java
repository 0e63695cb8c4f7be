package io.brokermeter.engine.envelope;

import java.util.SplittableRandom;

/**
 * Draws one of several things by their weights in constant time, whatever their number (Walker's alias method in Vose's
 * form): each slot is equally likely and holds two things at most, so that the law is exact but for rounding. Immutable;
 * 12 bytes for each thing.
 */
final class AliasTable {

    /** Below which fraction of a slot the draw is its own thing. */
    private final double[] own;
    /** The other thing of each slot. */
    private final int[] other;

    private AliasTable(double[] own, int[] other) {
        this.own = own;
        this.other = other;
    }

    /** Things with these weights, all above 0. */
    static AliasTable of(double... weights) {
        int n = weights.length;
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        double[] own = new double[n];
        int[] other = new int[n];
        int[] small = new int[n];
        int[] large = new int[n];
        int smalls = 0;
        int larges = 0;
        for (int i = 0; i < n; i++) {
            own[i] = weights[i] / sum * n;
            other[i] = i;
            if (own[i] < 1) {
                small[smalls++] = i;
            } else {
                large[larges++] = i;
            }
        }
        while (smalls > 0 && larges > 0) {
            int little = small[--smalls];
            int much = large[larges - 1];
            other[little] = much;
            own[much] -= 1 - own[little];
            if (own[much] < 1) {
                larges--;
                small[smalls++] = much;
            }
        }
        // What is left is full but for rounding.
        while (smalls > 0) {
            own[small[--smalls]] = 1;
        }
        while (larges > 0) {
            own[large[--larges]] = 1;
        }
        return new AliasTable(own, other);
    }

    /** Thing k of {@code count} with a weight of 1 / (k + 1)^exponent. */
    static AliasTable zipf(int count, double exponent) {
        double[] weights = new double[count];
        for (int k = 0; k < count; k++) {
            weights[k] = Math.pow(k + 1, -exponent);
        }
        return of(weights);
    }

    /** The number of a thing. */
    int draw(SplittableRandom random) {
        return at(random.nextDouble());
    }

    /** The number of the thing that a number from 0 on and below 1 stands for. */
    int at(double fraction) {
        double drawn = fraction * own.length;
        int slot = (int) drawn;
        return drawn - slot < own[slot] ? slot : other[slot];
    }
}
