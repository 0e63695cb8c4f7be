package io.brokermeter.reports.stored;

import java.util.List;
import java.util.Map;

import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An event of a stored run.
 *
 * @param elapsedSeconds time since the start of the load
 * @param kind {@code phase}, {@code unseen}, {@code notice}, {@code fault}, {@code warning}, {@code stall},
 *     {@code interrupted}, {@code attempt}, {@code resumed} or {@code error}
 * @param finding kind of what happened, as {@link io.brokermeter.engine.finding.Finding#kind} returns it; empty in files of format 1
 * @param sentence description for the user
 * @param agent name of the agent that reported it; empty for none
 * @param fault known facts of the fault that the event is about, by the names in {@code events.jsonl}; empty if it is about none
 */
public record StoredEvent(double elapsedSeconds, String kind, String finding, String sentence, String agent,
        Map<String, @Nullable Object> fault) {

    static StoredEvent of(Map<String, @Nullable Object> values) {
        return new StoredEvent(StoredResult.number(values, List.of("elapsedSeconds")), String.valueOf(values.get("kind")),
            values.get("finding") instanceof String finding ? finding : "", String.valueOf(values.get("sentence")),
            values.get("agent") instanceof String agent ? agent : "", JsonText.map(values.get("fault")));
    }
}
