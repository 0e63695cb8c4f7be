package io.brokermeter.trials.worker;

import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.RecordJson;
import org.jspecify.annotations.Nullable;

/**
 * Reports the intervals and events of a worker to its parent.
 *
 * @param out receives each line as a map with one key
 */
public record WorkerProgress(Consumer<Map<String, ?>> out) implements RunObserver {

    private static final String INTERVAL = "part";
    private static final String EVENT = "happened";

    @Override
    public void interval(Interval i) {
        out.accept(Map.of(INTERVAL, RecordJson.tree(i)));
    }

    @Override
    public void event(Event event) {
        out.accept(Map.of(EVENT, RecordJson.tree(event)));
    }

    /** Returns the interval in a line of a worker; null for another line. */
    public static @Nullable Interval interval(Map<String, @Nullable Object> line) {
        return line.containsKey(INTERVAL) ? RecordJson.of(Interval.class, JsonText.map(line.get(INTERVAL))) : null;
    }

    /** Returns the event in a line of a worker; null for another line. */
    public static @Nullable Event event(Map<String, @Nullable Object> line) {
        return line.containsKey(EVENT) ? RecordJson.of(Event.class, JsonText.map(line.get(EVENT))) : null;
    }
}
