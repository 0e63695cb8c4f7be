package io.brokermeter.engine.envelope;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** Sets of rare messages, by index of the producer. Any thread may add. */
final class RareSets {

    private volatile @Nullable SequenceSet[] sets = new SequenceSet[1];

    /** Adds a message; returns false if it was already present. */
    boolean add(int index, long sequence) {
        return at(index).add(sequence);
    }

    SequenceSet at(int index) {
        SequenceSet set = known(index);
        return set == null ? made(index) : set;
    }

    private @Nullable SequenceSet known(int index) {
        @Nullable SequenceSet[] all = sets;
        return index < all.length ? all[index] : null;
    }

    private synchronized SequenceSet made(int index) {
        SequenceSet set = known(index);
        if (set == null) {
            set = SequenceSet.forManyWriters();
            @Nullable SequenceSet[] all = Arrays.copyOf(sets, Math.max(index + 1, sets.length));
            all[index] = set;
            sets = all;
        }
        return set;
    }

    SequenceSet orNone(int index) {
        SequenceSet set = known(index);
        return set == null ? SequenceSet.NONE : set;
    }

    long common(int index, SequenceSet other) {
        return orNone(index).sizeCommon(other, 0);
    }
}
