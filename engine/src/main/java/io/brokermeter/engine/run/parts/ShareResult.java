package io.brokermeter.engine.run.parts;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.run.judge.VerdictCounts;
import io.brokermeter.engine.run.receive.DeliveryCounts;
import org.jspecify.annotations.Nullable;

/**
 * The results of one process for its part of a run, except the sets of its ledger, which are written to a stream.
 *
 * @param share number of the share
 * @param result result of this share alone: without a ledger, and failed only for causes of this process. Where it is to be completed by
 *     {@link ResultMerger}, it has what only this process can tell: distributions, groups, phases, what the generator used and saw
 * @param verdictCounts counts that fail the run or qualify its figures
 * @param receipts what receivers counted and what the broker reported
 * @param moments moments of the part, by the clock that all processes share
 * @param outages faults and lost connections that this process recorded; null where nobody followed them
 */
public record ShareResult(int share, RunResult result, VerdictCounts verdictCounts, DeliveryCounts receipts, Moments moments,
        @Nullable Outages outages) {

    /** Returns this part with another result. */
    public ShareResult with(RunResult complete) {
        return new ShareResult(share, complete, verdictCounts, receipts, moments, outages);
    }

    /**
     * The faults and lost connections that a process recorded, for {@link Scorecard}. What happened in each
     * millisecond is written behind its ledger.
     *
     * @param events faults that this process made, losses of connections and restorations
     * @param reconnects how often this process connected again
     * @param retried number of confirmed messages that were in flight when a client began to restore its connection
     * @param resent number of duplicates of messages that a client of this process may have sent twice
     * @param loadOver when the load of this process was over, in nanoseconds since the epoch
     * @param cutByLoss whether the permanent loss of a connection ended the load
     */
    public record Outages(List<Event> events, Scorecard.Reconnects reconnects, long retried, long resent, long loadOver,
            boolean cutByLoss) {

        public Outages {
            events = List.copyOf(events);
        }
    }

    /**
     * The moments of a part, in nanoseconds since the epoch; 0 for those that did not come.
     *
     * @param start begin of the load
     * @param measuredFrom end of the warm-up
     * @param began when the first sending thread woke for the start
     * @param sends whether the part has producers, other than those that publish counts
     * @param sendingEnd end of sending
     * @param opened when the first consumer was open, before the start or after it; 0 for none
     * @param deliveries first and last delivery
     * @param groups first and last delivery of each group of consumers, by name of the group
     * @param finished last moment of the run
     */
    public record Moments(
            long start, long measuredFrom, long began, boolean sends, long sendingEnd, long opened, Extent deliveries,
            Map<String, Extent> groups, long finished) {

    }

    /** The stretch from a first moment to a last one; 0 for moments that did not come. */
    public record Extent(long first, long last) {

        static final Extent NONE = new Extent(0, 0);

        Extent and(Extent other) {
            return new Extent(first == 0 ? other.first : other.first == 0 ? first : Math.min(first, other.first),
                Math.max(last, other.last));
        }
    }
}
