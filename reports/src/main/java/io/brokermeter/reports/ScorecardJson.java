package io.brokermeter.reports;

import io.brokermeter.engine.recording.FaultTimes;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.Scorecard;
import tools.jackson.core.JsonGenerator;

/**
 * How a run got over a fault, as the object {@code failover} of its result: times in seconds; null for one that is not known, and for one that
 * did not come before the end of the run, which {@code recovered} distinguishes. That is null as well where it cannot be judged.
 */
public final class ScorecardJson {

    /** The name of the object. */
    public static final String NAME = "failover";

    /** The times of faults after the first, in it. */
    public static final String FURTHER = "further";

    /** The number of a fault among those of the run, where it is known. */
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

    /** Writes it, where there is one. */
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
