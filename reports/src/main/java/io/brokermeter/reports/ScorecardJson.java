package io.brokermeter.reports;

import io.brokermeter.engine.recording.FaultTimes;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.Scorecard;
import tools.jackson.core.JsonGenerator;

/**
 * Writes how a run recovered from a fault, as the object {@code failover} of its result, with times in seconds. A time is null if it is
 * unknown, and if its event did not happen before the end of the run; {@code recovered} distinguishes the two, and is itself null if
 * recovery cannot be judged.
 */
public final class ScorecardJson {

    /** Name of the object in the result. */
    public static final String NAME = "failover";

    /** Key of the times of faults after the first, within the object. */
    public static final String FURTHER = "further";

    /** Key of the number of a fault among those of the run, if that is known. */
    static final String NUMBER = "fault";

    private ScorecardJson() {}

    private static void begin(JsonGenerator json, FaultTimes times, boolean judged, boolean recovered) {
        if (judged) {
            json.writeBooleanProperty("recovered", recovered);
        } else {
            json.writeNullProperty("recovered");
        }
        if (times.fault() > 0) {
            json.writeNumberProperty(NUMBER, times.fault());
        }
        JsonReport.number(json, "faultSeconds", times.faultAt(), 6);
    }

    private static void times(JsonGenerator json, FaultTimes times) {
        JsonReport.number(json, "detectSeconds", times.detect(), 6);
        JsonReport.number(json, "withoutSendSeconds", times.withoutSend(), 3);
        JsonReport.number(json, "withoutDeliverySeconds", times.withoutDelivery(), 3);
        JsonReport.number(json, "to95PercentSeconds", times.to95(), 3);
        JsonReport.number(json, "catchUpSeconds", times.catchUp(), 3);
        JsonReport.number(json, "longestWaitSeconds", times.longestWait(), 6);
        JsonReport.number(json, "rateBefore", times.rateBefore(), 3);
    }

    private static void stopped(JsonGenerator json, FaultTimes times) {
        JsonReport.number(json, "sendsStoppedSeconds", times.sendsStopped(), 3);
        JsonReport.number(json, "deliveriesStoppedSeconds", times.deliveriesStopped(), 3);
    }

    /** Writes the scorecard of a result, if it has one. */
    static void write(JsonGenerator json, RunResult result) {
        Scorecard card = result.scorecard();
        if (card == null) {
            return;
        }
        MessageFates fates = card.fates();
        JsonText.object(json, NAME, () -> {
            begin(json, card.first(), card.judged(), card.recovered());
            json.writeBooleanProperty("faultKnown", card.faultKnown());
            times(json, card.first());
            if (card.course() != null) {
                stopped(json, card.first());
            }
            json.writeNumberProperty("attempts", card.attempts());
            json.writeNumberProperty("restored", card.restored());
            json.writeNumberProperty("sendsFailed", fates.failed());
            json.writeNumberProperty("sendsRetried", fates.retried());
            json.writeNumberProperty("confirmedLost", fates.lost());
            json.writeNumberProperty("confirmedUnaccounted", fates.unaccounted());
            json.writeNumberProperty("unknown", fates.unknown());
            json.writeNumberProperty("unknownDelivered", fates.unknownDelivered());
            json.writeNumberProperty("duplicatesFlagged", fates.duplicatesFlagged());
            json.writeNumberProperty("duplicatesUnflagged", fates.duplicatesUnflagged());
            json.writeNumberProperty("duplicatesResent", fates.duplicatesResent());
            json.writeNumberProperty("outOfOrder", fates.outOfOrder());
            if (!card.further().isEmpty()) {
                JsonText.objects(json, FURTHER, card.further(), later -> {
                    begin(json, later, later.judged(), later.recovered());
                    times(json, later);
                    stopped(json, later);
                });
            }
        });
    }
}
