package io.brokermeter.trials;

import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.reports.StatusLine;
import org.jspecify.annotations.Nullable;

/**
 * The one live line of a sweep on a terminal: which trial, how far, its rates, the time left; a line every 10 seconds where the terminal cannot go
 * back in one. Elsewhere it is silent, since each trial has a line when it is over. Safe for use by several threads.
 */
final class SweepProgress implements AutoCloseable {

    /** So much of a variant's name is shown on any terminal. */
    private static final int SHORT = 12;

    private final PrintStream err;
    private final StatusLine kind;
    private final IntSupplier width;
    private final String steps;
    private final Set<String> notices = new HashSet<>();
    /** What comes in front of the variant. */
    private String trial = "";
    private String variant = "";
    private Duration length = Duration.ZERO;
    private @Nullable Duration left;
    private long began;
    private long drawnAt;
    private long repeatedAt = System.nanoTime() - StatusLine.REPEAT_NANOS;
    private boolean drawn;

    SweepProgress(PrintStream err, StatusLine kind, IntSupplier width, String steps) {
        this.err = err;
        this.kind = kind;
        this.width = width;
        this.steps = steps;
    }

    /**
     * A trial begins.
     *
     * @param name of its variant, empty for none
     * @param planned how long it is to take, zero when nothing says so
     * @param rest what it and the trials after it will take, null as long as that is not known
     */
    synchronized void begin(int number, String name, Duration planned, @Nullable Duration rest) {
        trial = "trial " + number + " of " + steps;
        variant = name;
        length = planned;
        left = rest;
        began = System.nanoTime();
        drawnAt = 0;
    }

    /** A step of the trial that takes a while. */
    synchronized void doing(String what) {
        draw(timeLeft() + "  " + what);
    }

    /** What the worker said. */
    synchronized void heard(Map<String, @Nullable Object> message) {
        if (message.get("event") instanceof String sentence) {
            // What one trial is told of its options, each of them is.
            if (!Event.Kind.NOTICE.name().equals(message.get("kind")) || notices.add(sentence)) {
                say("trial: " + sentence);
            }
        } else if (message.get("interval") instanceof Map<?, ?> interval && System.nanoTime() - drawnAt > 200_000_000L) {
            drawnAt = System.nanoTime();
            double elapsed = number(interval.get("elapsedSeconds"));
            double own = length.toMillis() / 1e3;
            String phase = String.valueOf(interval.get("phase"));
            StringBuilder line = new StringBuilder(timeLeft()).append("  ")
                .append(Boolean.TRUE.equals(interval.get("warmup")) ? "warm-up " : phase.isEmpty() ? "" : phase + " ")
                .append(Math.round(own > 0 ? Math.min(own, elapsed) : elapsed)).append(own > 0 ? "/" + Math.round(own) : "").append(" s")
                .append(String.format(Locale.ROOT, "  %,.0f sent/s  %,.0f received/s", number(interval.get("sentPerSecond")),
                    number(interval.get("receivedPerSecond"))));
            if (number(interval.get("failed")) > 0) {
                line.append(String.format(Locale.ROOT, "  %,.0f failed", number(interval.get("failed"))));
            }
            draw(line.toString());
        }
    }

    /** In front of all that changes. */
    private String timeLeft() {
        if (left == null) {
            return "";
        }
        Duration rest = left.minusNanos(System.nanoTime() - began);
        return rest.toSeconds() < 1 ? "" : ", " + SweepPlan.duration(rest) + " left";
    }

    private static double number(@Nullable Object value) {
        return value instanceof Number number ? number.doubleValue() : 0;
    }

    /** @param rest what comes behind the variant, which gives way to it where the terminal is narrow */
    private void draw(String rest) {
        if (kind == StatusLine.REDRAWN) {
            int columns = width.getAsInt();
            int room = columns - 1 - trial.length() - rest.length() - 3;
            String name = variant.length() <= room || variant.length() <= SHORT ? variant
                : variant.substring(0, Math.max(SHORT, room) - 3) + "...";
            String line = line(name, rest);
            err.print("\r" + (line.length() < columns ? line : line.substring(0, columns - 1)) + "\033[K");
            err.flush();
            drawn = true;
        } else if (kind == StatusLine.REPEATED && System.nanoTime() - repeatedAt >= StatusLine.REPEAT_NANOS) {
            repeatedAt = System.nanoTime();
            err.println(line(variant, rest));
        }
    }

    private String line(String name, String rest) {
        return trial + (name.isEmpty() ? "" : " (" + name + ")") + rest;
    }

    /** A line that stays. */
    synchronized void say(String line) {
        clear();
        err.println(line);
    }

    /** Makes room for a line on standard output. */
    synchronized void clear() {
        if (drawn) {
            err.print("\r\033[K");
            err.flush();
            drawn = false;
        }
    }

    @Override
    public void close() {
        clear();
    }
}
