package io.brokermeter.trials.faults;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.reports.json.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * Carries out faults for a worker, which keeps their times but has neither the broker nor its directory. The worker sends a request,
 * {@code {"fault": NUMBER, "step": "begin"}} or {@code "end"}, or {@code {"fault": 0, "step": "give-up"}}; the answer is a line
 * {@code fault {"number": ..., "step": ..., "at": ..., "detail": ..., "exitStatus": ..., "pids": [...]}}, or one with {@code failed}, a
 * sentence.
 */
public final class FaultDesk implements AutoCloseable {

    /** Begins the line of an answer. */
    static final String ANSWER = "fault ";
    static final String BEGIN = "begin";
    static final String END = "end";
    static final String GIVE_UP = "give-up";

    private final List<Fault> faults;
    private final FaultActor maker;
    private final Supplier<List<Long>> pids;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile @Nullable Consumer<String> answers;

    /**
     * @param maker carries out the faults; not closed by this object
     * @param pids returns the ids of the broker's processes; called after each fault
     */
    public FaultDesk(List<Fault> faults, FaultActor maker, Supplier<List<Long>> pids) {
        this.faults = List.copyOf(faults);
        this.maker = maker;
        this.pids = pids;
    }

    /** Sets the receiver of the answers. */
    public void answerTo(Consumer<String> lines) {
        answers = lines;
        ready.countDown();
    }

    /** Handles a message of the worker. Returns false when it is about something else. Does not block. */
    public boolean hear(Map<String, @Nullable Object> message) {
        if (!(message.get("fault") instanceof Number asked)) {
            return false;
        }
        int number = asked.intValue();
        String step = String.valueOf(message.get("step"));
        Thread.ofPlatform().daemon().name("brokermeter-fault-" + number).start(() -> serve(number, step));
        return true;
    }

    private void serve(int number, String step) {
        if (step.equals(GIVE_UP)) {
            maker.giveUp();
            return;
        }
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("number", number);
        answer.put("step", step);
        try {
            Fault fault = faults.get(number - 1);
            FaultActor.Effect effect = step.equals(BEGIN) ? maker.begin(number, fault) : maker.end(number, fault);
            answer.put("at", effect.epochNanos());
            answer.put("detail", effect.detail());
            answer.put("exitStatus", effect.exitStatus());
        } catch (Exception | LinkageError e) {
            answer.put("failed", e.getMessage() == null ? e.getClass().getSimpleName().toLowerCase(Locale.ROOT) : e.getMessage());
        }
        answer.put("pids", pids.get());
        try {
            ready.await();
            Consumer<String> to = answers;
            if (to != null) {
                to.accept(ANSWER + JsonText.of(answer));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ready.countDown();
    }
}
