package io.brokermeter.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.brokermeter.spi.SendListener;

/** Records the reports to a producer's listener, and violations of the contract of the listener. Thread-safe. */
public final class Sends implements SendListener {

    private static final Object FORGOTTEN = "forgotten";

    private final NavigableMap<Long, Object> outcomes = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private long reportedUpTo = -1;
    private int forgotten;
    private boolean inside;
    private boolean closed;

    @Override
    public void confirmed(long token) {
        enter();
        report(token, "confirmed");
        leave();
    }

    @Override
    public void confirmedUpTo(long token) {
        enter();
        for (long each = reportedUpTo + 1; each <= token; each++) {
            if (!outcomes.containsKey(each)) {
                report(each, "confirmed");
            }
        }
        reportedUpTo = Math.max(reportedUpTo, token);
        leave();
    }

    @Override
    public void failed(long token, Throwable cause) {
        enter();
        report(token, cause);
        leave();
    }

    @Override
    public void unknown(long token, Throwable cause) {
        enter();
        report(token, new Unknown(cause));
        leave();
    }

    /**
     * Records that a send was refused by an exception, which a test counts as its report. The producer may call the listener concurrently.
     */
    public void refused(long token, Throwable cause) {
        report(token, cause);
    }

    /** The outcome of a send that will never be known. */
    private record Unknown(Throwable cause) {}

    private synchronized void enter() {
        if (inside) {
            violations.add("two calls to the listener overlapped");
        }
        if (closed) {
            violations.add("the listener was called after close had returned");
        }
        inside = true;
    }

    private synchronized void leave() {
        inside = false;
    }

    private synchronized void report(long token, Object outcome) {
        if (outcomes.putIfAbsent(token, outcome) != null) {
            violations.add("token " + token + " was reported twice");
        }
    }

    /**
     * Marks the tokens from {@code from} up to, but without, {@code to} as rolled back: a report of one of them is a violation, and
     * {@link #confirmedUpTo} does not include them.
     */
    public synchronized void forget(long from, long to) {
        for (long token = from; token < to; token++) {
            if (outcomes.putIfAbsent(token, FORGOTTEN) != null) {
                violations.add("token " + token + " was reported before it was rolled back");
            } else {
                forgotten++;
            }
        }
    }

    /** Marks the producer as closed; any further call is a violation. */
    public synchronized void closed() {
        closed = true;
    }

    public synchronized int reported() {
        return outcomes.size() - forgotten;
    }

    public synchronized int confirmed() {
        return (int) outcomes.values().stream().filter("confirmed"::equals).count();
    }

    private synchronized List<Long> tokens() {
        return List.copyOf(outcomes.keySet());
    }

    /** Returns the confirmed tokens. */
    public synchronized List<Long> confirmedTokens() {
        return outcomes.entrySet().stream().filter(outcome -> "confirmed".equals(outcome.getValue())).map(Map.Entry::getKey).toList();
    }

    /** Returns the causes of the failed tokens, by token. */
    public synchronized Map<Long, Throwable> failures() {
        var result = new TreeMap<Long, Throwable>();
        outcomes.forEach((token, outcome) -> {
            if (outcome instanceof Throwable cause) {
                result.put(token, cause);
            }
        });
        return result;
    }

    /** Returns the causes of the tokens whose outcome will never be known, by token. */
    public synchronized Map<Long, Throwable> unknown() {
        var result = new TreeMap<Long, Throwable>();
        outcomes.forEach((token, outcome) -> {
            if (outcome instanceof Unknown unknown) {
                result.put(token, unknown.cause());
            }
        });
        return result;
    }

    public synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    /** Waits until this number of tokens has been confirmed. */
    public void awaitConfirmed(int count) {
        Await.until(() -> confirmed() >= count,
            () -> confirmed() + " of " + count + " sends are confirmed; not confirmed: " + Difference.numbers(confirmedTokens(), count)
                + "; failed: " + failures() + "; unknown: " + unknown());
    }

    /** Waits until this number of tokens has been reported in any way. */
    public void awaitReported(int count) {
        Await.until(() -> reported() >= count, () -> reported() + " of " + count + " sends are reported; not reported: "
            + Difference.numbers(tokens(), count));
    }
}
