package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * Counts rare messages, by index of the producer, in sets: one of the messages that were added at least once, one of those that
 * were added at least twice, and so on up to {@value #MOST} times. Any thread may add.
 */
final class RareCounts {

    /** The highest count; a message that is repeated more often has another cause than a client that sends again. */
    private static final int MOST = 8;

    private final List<RareSets> times = Stream.generate(RareSets::new).limit(MOST).toList();

    void add(int index, long sequence) {
        for (RareSets one : times) {
            if (one.add(index, sequence)) {
                return;
            }
        }
    }

    long common(int index, SequenceSet other) {
        return times.stream().mapToLong(one -> one.common(index, other)).sum();
    }

    void write(int index, DataOutput to) throws IOException {
        for (RareSets one : times) {
            one.orNone(index).write(to);
        }
    }

    void addAll(int index, DataInput from) throws IOException {
        for (int i = 0; i < MOST; i++) {
            SequenceSet set = SequenceSet.read(from);
            set.forEachCommon(set, sequence -> add(index, sequence));
        }
    }
}
