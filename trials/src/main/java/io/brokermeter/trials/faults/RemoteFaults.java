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
import io.brokermeter.reports.json.JsonText;
import org.jspecify.annotations.Nullable;

/** The faults of a worker, which are carried out by its parent, since the parent has the broker; see {@link FaultDesk}. */
public final class RemoteFaults implements FaultActor {

    /** The time after which the parent has given up, in seconds. */
    private static final long LIMIT_SECONDS = 150;

    private final Consumer<Map<String, ?>> parent;
    private final Map<String, CompletableFuture<Effect>> asked = new ConcurrentHashMap<>();
    private volatile List<Long> pids;

    /**
     * @param parent receives each request
     * @param pids ids of the broker's processes at first
     */
    public RemoteFaults(Consumer<Map<String, ?>> parent, List<Long> pids) {
        this.parent = parent;
        this.pids = List.copyOf(pids);
    }

    /** Returns the ids of the broker's processes as they are after the faults until now. */
    public List<Long> pids() {
        return pids;
    }

    /** Handles a line of the parent. Returns false when it is about something else. */
    public boolean hear(String line) {
        if (!line.startsWith(FaultDesk.ANSWER)) {
            return false;
        }
        Map<String, @Nullable Object> answer = JsonText.read(line.substring(FaultDesk.ANSWER.length()));
        if (answer.get("pids") instanceof List<?> all) {
            pids = all.stream().map(pid -> ((Number) pid).longValue()).toList();
        }
        CompletableFuture<Effect> waiting = asked.remove(key((int) number(answer, "number"), String.valueOf(answer.get("step"))));
        if (waiting == null) {
            return true;
        }
        if (answer.get("failed") instanceof String sentence) {
            waiting.completeExceptionally(new IllegalStateException(sentence));
        } else {
            waiting.complete(new Effect(number(answer, "at"), String.valueOf(answer.get("detail")),
                answer.get("exitStatus") instanceof Number status ? status.intValue() : null));
        }
        return true;
    }

    private static long number(Map<String, @Nullable Object> answer, String key) {
        return answer.get(key) instanceof Number number ? number.longValue() : -1;
    }

    private static String key(int number, String step) {
        return number + " " + step;
    }

    private Effect ask(int number, Fault fault, String step) throws Exception {
        CompletableFuture<Effect> answer = new CompletableFuture<>();
        asked.put(key(number, step), answer);
        parent.accept(Map.of("fault", number, "step", step));
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
        return ask(number, fault, FaultDesk.BEGIN);
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        return ask(number, fault, FaultDesk.END);
    }

    @Override
    public void giveUp() {
        parent.accept(Map.of("fault", 0, "step", FaultDesk.GIVE_UP));
    }

    /** Does nothing: the parent undoes what is left. */
    @Override
    public void close() {
        // nothing is held here
    }
}
