package io.brokermeter.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import io.brokermeter.spi.SendListener;

/** Keeps what a producer reported, and what was wrong with the way it did. Thread-safe. */
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

    /** A send was refused by an exception, which a test takes for its report: the producer may call the listener meanwhile. */
    public void refused(long token, Throwable cause) {
        report(token, cause);
    }

    /** The fate of a message of which nothing more will be known. */
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
     * Tokens from {@code from} up to, but without, {@code to} were rolled back: a report of one of them is a violation, and
     * {@link #confirmedUpTo} does not mean them.
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

    /** From now on a call is a violation. */
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

    /** The tokens that are confirmed. */
    public synchronized List<Long> confirmedTokens() {
        return outcomes.entrySet().stream().filter(outcome -> "confirmed".equals(outcome.getValue())).map(Map.Entry::getKey).toList();
    }

    /** The causes of the failed tokens, by token. */
    public synchronized Map<Long, Throwable> failures() {
        var result = new TreeMap<Long, Throwable>();
        outcomes.forEach((token, outcome) -> {
            if (outcome instanceof Throwable cause) {
                result.put(token, cause);
            }
        });
        return result;
    }

    /** Why nothing more will be known of tokens whose fate nobody knows, by token. */
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

    /** Waits until this number of tokens is confirmed. */
    public void awaitConfirmed(int count) {
        Await.until(() -> confirmed() >= count,
            () -> confirmed() + " of " + count + " sends are confirmed; not confirmed: " + Difference.numbers(confirmedTokens(), count)
                + "; failed: " + failures() + "; unknown: " + unknown());
    }

    /** Waits until this number of tokens is reported in any way. */
    public void awaitReported(int count) {
        Await.until(() -> reported() >= count, () -> reported() + " of " + count + " sends are reported; not reported: "
            + Difference.numbers(tokens(), count));
    }
}
