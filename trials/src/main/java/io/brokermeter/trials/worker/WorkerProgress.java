package io.brokermeter.trials.worker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.Sentences;
import org.jspecify.annotations.Nullable;

/**
 * Reports the progress of a trial, as messages with a key {@code interval} or {@code event}.
 *
 * @param out receives the messages
 */
public record WorkerProgress(Consumer<Map<String, @Nullable Object>> out) implements RunObserver {

    @Override
    public void interval(Interval i) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("elapsedSeconds", i.elapsedNanos() / 1e9);
        figures.put("warmup", i.warmup());
        figures.put("phase", i.phase());
        figures.put("sentPerSecond", i.seconds() > 0 ? i.sent() / i.seconds() : 0.0);
        figures.put("receivedPerSecond", i.seconds() > 0 ? i.received() / i.seconds() : 0.0);
        figures.put("failed", i.failed());
        out.accept(Map.of("interval", figures));
    }

    @Override
    public void event(Event event) {
        if (event.kind() != Event.Kind.PHASE && event.kind() != Event.Kind.UNSEEN) {
            out.accept(Map.of("event", new Sentences(Option::inFile).of(event.what()), "kind", event.kind().name()));
        }
    }
}
