package io.brokermeter.engine.recording;

import io.brokermeter.engine.scenario.measure.Count;

/** A part of a run, in time or in space, that has {@link Counts}. The counts that are asked for most have a method each. */
public interface HasCounts {

    Counts counts();

    /** Returns a count; 0 if there is none, {@link Counts#UNKNOWN} if it is not known. */
    default long count(Count count) {
        return counts().get(count);
    }

    default long sent() {
        return count(Count.SENT);
    }

    default long blocked() {
        return count(Count.BLOCKED);
    }

    default long completed() {
        return count(Count.COMPLETED);
    }

    default long failed() {
        return count(Count.FAILED);
    }

    default long unconfirmed() {
        return count(Count.UNCONFIRMED);
    }

    default long received() {
        return count(Count.RECEIVED);
    }

    default long rolledBack() {
        return count(Count.ROLLED_BACK);
    }

    default long requeued() {
        return count(Count.REQUEUED);
    }

    default long rejected() {
        return count(Count.REJECTED);
    }

    default long unanswered() {
        return count(Count.UNANSWERED);
    }

    default long reconnects() {
        return count(Count.RECONNECTS);
    }

    /** The counts of something that is being created; none by default. */
    abstract class Values {

        public Counts counts = Counts.NONE;

        protected Values() {}

        /** Sets one count. */
        public void set(Count count, long value) {
            counts = counts.with(count, value);
        }
    }
}
