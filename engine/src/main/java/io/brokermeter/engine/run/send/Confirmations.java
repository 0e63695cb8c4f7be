package io.brokermeter.engine.run.send;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.spi.Payload;

/**
 * The confirmed messages of a producer: their sequence numbers, those that each selection takes, and the bytes of their bodies. What a
 * confirmation has to know of its message is a {@link #note}, which the window keeps where messages differ in it. The sending thread makes
 * notes, and the confirming thread adds messages.
 */
public final class Confirmations {

    private final SequenceSet all = SequenceSet.forOneWriter();
    /** Whether a message is selected, by number of the selection in the run and by variant of the message. */
    private final boolean[][] selected;
    private final SequenceSet[] ofSelection;
    private final Counter bytes;
    private final boolean noted;
    /** Number of bytes of a body where the window has no notes. */
    private final int length;

    Confirmations(boolean[][] selected, MessageSource source, Counter bytes) {
        this.selected = selected;
        this.ofSelection = new SequenceSet[selected.length];
        for (int i = 0; i < selected.length; i++) {
            ofSelection[i] = SequenceSet.forOneWriter();
        }
        this.bytes = bytes;
        this.noted = selected.length > 0 || !source.isOneLength();
        this.length = source.payload().length();
    }

    /** Returns whether the window has to keep notes. */
    boolean areNoted() {
        return noted;
    }

    /** Returns the variant of a message that is being sent, and in the lower half the number of bytes of its body. */
    static long note(Payload payload) {
        return (long) payload.variant() << 32 | payload.length();
    }

    /** Adds a message. */
    void add(long token, long note) {
        all.add(token);
        for (int i = 0; i < selected.length; i++) {
            if (selected[i][(int) (note >>> 32)]) {
                ofSelection[i].add(token);
            }
        }
        bytes.add(noted ? (int) note : length);
    }

    /** Returns the sequence numbers of all messages. */
    SequenceSet all() {
        return all;
    }

    /** Returns the sequence numbers: all of them, then those of each selection. */
    public SequenceSet[] sets() {
        SequenceSet[] sets = new SequenceSet[ofSelection.length + 1];
        sets[0] = all;
        System.arraycopy(ofSelection, 0, sets, 1, ofSelection.length);
        return sets;
    }
}
