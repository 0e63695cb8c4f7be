package io.brokermeter.engine.envelope;

import java.util.SplittableRandom;

/**
 * Draws an index by weight in constant time, whatever the number of indices (Walker's alias method in Vose's form). Each
 * slot is equally likely and holds at most two indices, so that the distribution is exact but for rounding. Immutable;
 * takes 12 bytes for each index.
 */
final class AliasTable {

    /** The fraction of each slot below which a draw yields the index of the slot itself. */
    private final double[] own;
    /** The index that a draw yields above that fraction, for each slot. */
    private final int[] other;

    private AliasTable(double[] own, int[] other) {
        this.own = own;
        this.other = other;
    }

    /** Creates a table with these weights, all above 0. */
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
        // The slots that are left are full but for rounding: their other index is their own.
        return new AliasTable(own, other);
    }

    /** Creates a table of {@code count} indices in which index k has a weight of 1 / (k + 1)^exponent. */
    static AliasTable zipf(int count, double exponent) {
        double[] weights = new double[count];
        for (int k = 0; k < count; k++) {
            weights[k] = Math.pow(k + 1, -exponent);
        }
        return of(weights);
    }

    /** Returns a random index. */
    int draw(SplittableRandom random) {
        return at(random.nextDouble());
    }

    /** Returns the index that a draw of {@code fraction}, a number from 0 and below 1, yields. */
    int at(double fraction) {
        double drawn = fraction * own.length;
        int slot = (int) drawn;
        return drawn - slot < own[slot] ? slot : other[slot];
    }
}
