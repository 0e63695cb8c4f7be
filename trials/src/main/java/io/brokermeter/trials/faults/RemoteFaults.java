package io.brokermeter.trials.faults;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.reports.json.RecordJson;

/** The faults of a worker, which are carried out by its parent, since the parent has the broker; see {@link FaultRequests}. */
public final class RemoteFaults implements FaultActor {

    /** The time after which the parent has given up, in seconds. */
    private static final long LIMIT_SECONDS = 150;

    private final Consumer<FaultRequests.Request> parent;
    private final Map<FaultRequests.Request, CompletableFuture<Effect>> asked = new ConcurrentHashMap<>();
    private volatile List<Long> pids;

    /**
     * @param parent receives each request
     * @param pids ids of the broker's processes at first
     */
    public RemoteFaults(Consumer<FaultRequests.Request> parent, List<Long> pids) {
        this.parent = parent;
        this.pids = List.copyOf(pids);
    }

    /** Returns the ids of the broker's processes as they are after the faults until now. */
    public List<Long> pids() {
        return pids;
    }

    /** Handles a line of the parent. Returns false when it is about something else. */
    public boolean hear(String line) {
        if (!line.startsWith(FaultRequests.ANSWER)) {
            return false;
        }
        FaultRequests.Answer answer = RecordJson.read(FaultRequests.Answer.class, line.substring(FaultRequests.ANSWER.length()));
        pids = answer.pids();
        CompletableFuture<Effect> waiting = asked.remove(answer.request());
        if (waiting != null && answer.done() != null) {
            waiting.complete(answer.done());
        } else if (waiting != null) {
            waiting.completeExceptionally(new IllegalStateException(answer.failed()));
        }
        return true;
    }

    private Effect ask(int number, Fault fault, FaultRequests.Step step) throws Exception {
        CompletableFuture<Effect> answer = new CompletableFuture<>();
        FaultRequests.Request request = new FaultRequests.Request(number, step);
        asked.put(request, answer);
        parent.accept(request);
        long extra = fault.action() == Fault.Action.RUN && fault.length() != null ? fault.length().toSeconds() : 0;
        try {
            return answer.get(LIMIT_SECONDS + extra, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            throw new IllegalStateException("the parent process did not do it within " + (LIMIT_SECONDS + extra) + " s.", e);
        }
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        return ask(number, fault, FaultRequests.Step.BEGIN);
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        return ask(number, fault, FaultRequests.Step.END);
    }

    @Override
    public void giveUp() {
        parent.accept(new FaultRequests.Request(0, FaultRequests.Step.GIVE_UP));
    }

    /** Does nothing: the parent undoes what is left. */
    @Override
    public void close() {
        // nothing is held here
    }
}
