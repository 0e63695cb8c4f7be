package io.brokermeter.reports.document;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import org.jspecify.annotations.Nullable;

/**
 * A line of {@code events.jsonl}.
 *
 * @param elapsedSeconds time since the start of the load
 * @param kind {@code phase}, {@code unseen}, {@code notice}, {@code fault}, {@code warning}, {@code stall},
 *     {@code interrupted}, {@code attempt}, {@code resumed} or {@code error}
 * @param finding kind of what happened, as {@code Finding.kind} returns it; empty in files of format 1
 * @param sentence description for the user
 * @param agent name of the agent that reported it; null for none
 * @param fault the fault that the event is about; null if it is about none
 */
public record EventDocument(double elapsedSeconds, String kind, String finding, String sentence, @IfKnown @Nullable String agent,
        @IfKnown @Nullable FaultOfEvent fault) {

    /**
     * A fault that took effect, was undone, failed, or was not due.
     *
     * @param number its number in the scenario, from 1
     * @param step {@code began} or {@code ended}; empty for one that was not due
     * @param effectiveSeconds time at which that happened, since the start of the load; NaN if it did not
     * @param detail object that was affected
     * @param exitStatus exit status of a command that has ended
     * @param cause why it failed; empty if it did not
     */
    public record FaultOfEvent(
            long number, String action, String target, @IfKnown String step,
            @IfKnown(orWith = "effectiveSeconds") double askedSeconds, @IfKnown double effectiveSeconds,
            @IfKnown(orWith = "effectiveSeconds") String detail, @IfKnown(orWith = "effectiveSeconds") @Nullable Long exitStatus,
            @IfKnown String cause) {}
}
