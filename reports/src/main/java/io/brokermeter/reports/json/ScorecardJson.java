package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.reports.document.ResultDocument;
import org.jspecify.annotations.Nullable;

/**
 * Makes the document of how a run recovered from a fault, with times in seconds. A time is unknown also if its event did not happen before
 * the end of the run; {@code recovered} distinguishes the two, and is itself null if recovery cannot be judged.
 */
final class ScorecardJson {

    private ScorecardJson() {}

    /** Returns null for a run without a scorecard. */
    static ResultDocument.@Nullable Failover of(RunResult result) {
        Scorecard card = result.scorecard();
        if (card == null) {
            return null;
        }
        MessageFates fates = card.fates();
        return new ResultDocument.Failover(begin(card.first(), card.judged(), card.recovered()), card.faultKnown(), cost(card.first()),
            card.course() == null ? null : stopped(card.first()), card.attempts(), card.restored(), fates.failed(), fates.retried(),
            fates.lost(), fates.unaccounted(), fates.unknown(), fates.unknownDelivered(), fates.duplicatesFlagged(),
            fates.duplicatesUnflagged(), fates.duplicatesResent(), fates.outOfOrder(), card.further().stream()
                .map(later -> new ResultDocument.LaterFault(begin(later, later.judged(), later.recovered()), cost(later), stopped(later)))
                .toList());
    }

    private static ResultDocument.FaultBegin begin(FaultTimes times, boolean judged, boolean recovered) {
        return new ResultDocument.FaultBegin(judged ? recovered : null, times.fault() > 0 ? times.fault() : Double.NaN,
            rounded(times.faultAt(), 6));
    }

    private static ResultDocument.FaultCost cost(FaultTimes times) {
        return new ResultDocument.FaultCost(rounded(times.detect(), 6), rounded(times.withoutSend(), 3),
            rounded(times.withoutDelivery(), 3), rounded(times.to95(), 3), rounded(times.catchUp(), 3), rounded(times.longestWait(), 6),
            rounded(times.rateBefore(), 3));
    }

    private static ResultDocument.Stopped stopped(FaultTimes times) {
        return new ResultDocument.Stopped(rounded(times.sendsStopped(), 3), rounded(times.deliveriesStopped(), 3));
    }
}
