package io.brokermeter.reports;

import io.brokermeter.engine.recording.FaultCourse;
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

    private static void number(JsonGenerator json, int fault) {
        if (fault > 0) {
            json.writeNumberProperty(NUMBER, fault);
        }
    }

    private static void recovered(JsonGenerator json, boolean judged, boolean recovered) {
        if (judged) {
            json.writeBooleanProperty("recovered", recovered);
        } else {
            json.writeNullProperty("recovered");
        }
    }

    /** Writes it, where there is one. */
    static void write(JsonGenerator json, RunResult result) {
        Scorecard card = result.scorecard();
        if (card == null) {
            return;
        }
        JsonText.object(json, NAME, () -> {
            recovered(json, card.judged(), card.recovered());
            number(json, card.fault());
            JsonReport.number(json, "faultSeconds", card.faultAt(), 6);
            json.writeBooleanProperty("faultKnown", card.faultKnown());
            JsonReport.number(json, "detectSeconds", card.detect(), 6);
            JsonReport.number(json, "withoutSendSeconds", card.withoutSend(), 3);
            JsonReport.number(json, "withoutDeliverySeconds", card.withoutDelivery(), 3);
            JsonReport.number(json, "to95PercentSeconds", card.to95(), 3);
            JsonReport.number(json, "catchUpSeconds", card.catchUp(), 3);
            JsonReport.number(json, "longestWaitSeconds", card.longestWait(), 6);
            JsonReport.number(json, "rateBefore", card.rateBefore(), 3);
            FaultCourse course = card.course();
            if (course != null) {
                JsonReport.number(json, "sendsStoppedSeconds", course.sendsStopped(), 3);
                JsonReport.number(json, "deliveriesStoppedSeconds", course.deliveriesStopped(), 3);
            }
            json.writeNumberProperty("attempts", card.attempts());
            json.writeNumberProperty("restored", card.restored());
            json.writeNumberProperty("sendsFailed", card.failed());
            json.writeNumberProperty("sendsRetried", card.retried());
            json.writeNumberProperty("confirmedLost", card.lost());
            json.writeNumberProperty("confirmedUnaccounted", card.unaccounted());
            json.writeNumberProperty("unknown", card.unknown());
            json.writeNumberProperty("unknownDelivered", card.unknownDelivered());
            json.writeNumberProperty("duplicatesFlagged", card.duplicatesFlagged());
            json.writeNumberProperty("duplicatesUnflagged", card.duplicatesUnflagged());
            json.writeNumberProperty("duplicatesResent", card.duplicatesResent());
            json.writeNumberProperty("outOfOrder", card.outOfOrder());
            if (!card.further().isEmpty()) {
                JsonText.objects(json, FURTHER, card.further(), later -> {
                    recovered(json, later.judged(), later.recovered());
                    number(json, later.fault());
                    JsonReport.number(json, "faultSeconds", later.faultAt(), 6);
                    JsonReport.number(json, "detectSeconds", later.detect(), 6);
                    JsonReport.number(json, "withoutSendSeconds", later.withoutSend(), 3);
                    JsonReport.number(json, "withoutDeliverySeconds", later.withoutDelivery(), 3);
                    JsonReport.number(json, "to95PercentSeconds", later.to95(), 3);
                    JsonReport.number(json, "catchUpSeconds", later.catchUp(), 3);
                    JsonReport.number(json, "longestWaitSeconds", later.longestWait(), 6);
                    JsonReport.number(json, "rateBefore", later.rateBefore(), 3);
                    JsonReport.number(json, "sendsStoppedSeconds", later.sendsStopped(), 3);
                    JsonReport.number(json, "deliveriesStoppedSeconds", later.deliveriesStopped(), 3);
                });
            }
        });
    }
}
