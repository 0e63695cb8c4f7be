package io.brokermeter.trials.faults;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.reports.json.RecordJson;
import org.jspecify.annotations.Nullable;

/**
 * Carries out faults for a worker, which keeps their times but has neither the broker nor its directory. The worker sends a
 * {@link Request} and gets an {@link Answer}.
 */
public final class FaultRequests implements AutoCloseable {

    /** Begins the line of an answer. */
    static final String ANSWER = "fault ";
    /** What is to be done with a fault. */
    public enum Step {
        BEGIN, END, GIVE_UP
    }

    /**
     * What a worker asks for.
     *
     * @param number number of the fault, from 1; 0 with {@code GIVE_UP}, which has no answer
     */
    public record Request(int number, Step step) {}

    /**
     * What was done.
     *
     * @param done the effect; null when it failed
     * @param failed why it failed, in one sentence; null when it did not
     * @param pids the ids of the broker's processes now
     */
    record Answer(Request request, FaultActor.@Nullable Effect done, @Nullable String failed, List<Long> pids) {}

    private final List<Fault> faults;
    private final FaultActor maker;
    private final Supplier<List<Long>> pids;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile @Nullable Consumer<String> answers;

    /**
     * @param maker carries out the faults; not closed by this object
     * @param pids returns the ids of the broker's processes; called after each fault
     */
    public FaultRequests(List<Fault> faults, FaultActor maker, Supplier<List<Long>> pids) {
        this.faults = List.copyOf(faults);
        this.maker = maker;
        this.pids = pids;
    }

    /** Sets the receiver of the answers. */
    public void answerTo(Consumer<String> lines) {
        answers = lines;
        ready.countDown();
    }

    /** Handles what the worker asks for. Does not block. */
    public void hear(Request request) {
        Thread.ofPlatform().daemon().name("brokermeter-fault-" + request.number()).start(() -> serve(request));
    }

    private void serve(Request request) {
        if (request.step() == Step.GIVE_UP) {
            maker.giveUp();
            return;
        }
        FaultActor.Effect done = null;
        String failed = null;
        try {
            int number = request.number();
            Fault fault = faults.get(number - 1);
            done = request.step() == Step.BEGIN ? maker.begin(number, fault) : maker.end(number, fault);
        } catch (Exception | LinkageError e) {
            failed = e.getMessage() == null ? e.getClass().getSimpleName().toLowerCase(Locale.ROOT) : e.getMessage();
        }
        Answer answer = new Answer(request, done, failed, pids.get());
        try {
            ready.await();
            Consumer<String> to = answers;
            if (to != null) {
                to.accept(ANSWER + RecordJson.text(answer));
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
