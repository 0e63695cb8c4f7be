package io.brokermeter.engine.run;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What one process knows when its part of a run is over; its ledger's sets excepted, which are written to a stream.
 *
 * @param share number of the share
 * @param result of this share alone: without a ledger, and failed only for what is this process's own
 * @param tally what is counted
 * @param receipts what receivers counted
 * @param moments when what happened, by the clock that all share
 * @param outages what it saw of faults and lost connections; null where nobody followed that
 */
public record RunPart(int share, RunResult result, Tally tally, DeliveryCounts receipts, Moments moments, @Nullable Outages outages) {

    /**
     * What a process saw of faults and lost connections, for {@link io.brokermeter.engine.recording.Scorecard}; what happened in each millisecond
     * stands behind its ledger.
     *
     * @param events losses, attempts and restorations
     * @param retried confirmed messages that were in flight when a client began to restore its connection
     * @param resent duplicates of what a client of this process may have sent twice
     * @param loadOver when its own load was over, nanoseconds since the epoch
     */
    public record Outages(List<Event> events, long retried, long resent, long loadOver) {

        public Outages {
            events = List.copyOf(events);
        }
    }

    /**
     * Moments of a part, nanoseconds since the epoch; 0 for those that did not come.
     *
     * @param start begin of the load
     * @param began when its first sending thread woke for the start
     * @param sends whether it has producers, other than those that publish counts
     * @param sendingEnd end of its sending
     * @param receives whether it has consumers
     * @param opened when its first consumer was open, before the start or after it; 0 for none
     * @param deliveries first and last delivery
     * @param groups the same of each group of consumers, by its name
     * @param finished the last moment of the run
     */
    public record Moments(
            long start, long began, boolean sends, long sendingEnd, boolean receives, long opened, Stretch deliveries,
            Map<String, Stretch> groups, long finished) {

        /** What they are made of by name; what is not set did not come. */
        public static final class Values {

            public long start;
            public long began;
            public boolean sends;
            public long sendingEnd;
            public boolean receives;
            public long opened;
            public Stretch deliveries = Stretch.NONE;
            public Map<String, Stretch> groups = Map.of();
            public long finished;

            private Values() {}
        }

        /** Of what {@code change} sets. */
        public static Moments of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Moments(its.start, its.began, its.sends, its.sendingEnd, its.receives, its.opened, its.deliveries, its.groups,
                its.finished);
        }
    }

    /** From a first moment to a last one; 0 for those that did not come. */
    public record Stretch(long first, long last) {

        static final Stretch NONE = new Stretch(0, 0);

        Stretch and(Stretch other) {
            return new Stretch(first == 0 ? other.first : other.first == 0 ? first : Math.min(first, other.first),
                Math.max(last, other.last));
        }
    }
}
