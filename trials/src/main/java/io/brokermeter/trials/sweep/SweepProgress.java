package io.brokermeter.trials.sweep;

import java.io.PrintStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntSupplier;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.screen.StatusLine;
import org.jspecify.annotations.Nullable;

/**
 * The one live line of a sweep on a terminal: the trial, its progress, its rates and the time left; a line every 10 seconds where the
 * terminal cannot go back in a line. Elsewhere nothing is printed, since each trial has a line when it is over. Thread-safe.
 */
final class SweepProgress implements RunObserver {

    /** The number of characters of a variant's name that are shown on any terminal. */
    private static final int SHORT = 12;

    private final PrintStream err;
    private final StatusLine kind;
    private final IntSupplier width;
    private final String steps;
    private final boolean events;
    private final Sentences sentences = new Sentences(Option::inFile);
    private final Set<String> notices = new HashSet<>();
    /** The text in front of the variant. */
    private String trial = "";
    private String variant = "";
    private Duration length = Duration.ZERO;
    private @Nullable Duration left;
    private long began;
    /** Failed sends of the trial so far. */
    private long failed;
    private long drawnAt;
    private long repeatedAt = System.nanoTime() - StatusLine.REPEAT_NANOS;
    private boolean drawn;
    private boolean unmeasured;

    /** @param events whether events of the trials are printed */
    SweepProgress(PrintStream err, StatusLine kind, IntSupplier width, String steps, boolean events) {
        this.events = events;
        this.err = err;
        this.kind = kind;
        this.width = width;
        this.steps = steps;
    }

    /**
     * Begins a trial.
     *
     * @param name name of its variant, empty for none
     * @param planned planned duration of the trial, zero when it is not known
     * @param rest expected duration of this trial and those after it, null as long as it is not known
     */
    synchronized void begin(int number, String name, Duration planned, @Nullable Duration rest) {
        trial = "trial " + number + " of " + steps;
        variant = name;
        length = planned;
        left = rest;
        began = System.nanoTime();
        failed = 0;
        drawnAt = 0;
    }

    /** Sets whether what follows are trials that do not count, whose events are not printed. */
    synchronized void unmeasured(boolean now) {
        unmeasured = now;
        if (now) {
            doing("warming the broker up");
        }
    }

    /** Shows a step of the trial that takes a while. */
    synchronized void doing(String what) {
        draw(timeLeft() + "  " + what);
    }

    @Override
    public synchronized void interval(Interval i) {
        if (unmeasured) {
            return;
        }
        failed += i.failed();
        if (System.nanoTime() - drawnAt <= 200_000_000L) {
            return;
        }
        drawnAt = System.nanoTime();
        double elapsed = i.elapsedNanos() / 1e9;
        double own = length.toMillis() / 1e3;
        StringBuilder line = new StringBuilder(timeLeft()).append("  ")
            .append(i.warmup() ? "warm-up " : i.phase().isEmpty() ? "" : i.phase() + " ")
            .append(Math.round(own > 0 ? Math.min(own, elapsed) : elapsed)).append(own > 0 ? "/" + Math.round(own) : "").append(" s")
            .append(String.format(Locale.ROOT, "  %,.0f sent/s  %,.0f received/s", rate(i, i.sent()), rate(i, i.received())));
        if (failed > 0) {
            line.append(String.format(Locale.ROOT, "  %,d failed", failed));
        }
        draw(line.toString());
    }

    private static double rate(Interval i, long count) {
        return i.seconds() > 0 ? count / i.seconds() : 0;
    }

    @Override
    public synchronized void event(Event event) {
        if (!events || event.kind() == Event.Kind.PHASE || event.kind() == Event.Kind.UNSEEN) {
            return;
        }
        if (event.kind() == Event.Kind.NOTICE) {
            notice(sentences.of(event.what()));
        } else if (!unmeasured) {
            say("trial: " + sentences.of(event.what()));
        }
    }

    /** Prints a notice; one about options is the same for every trial, and printed once. */
    synchronized void notice(String sentence) {
        if (!unmeasured && notices.add(sentence)) {
            say("trial: " + sentence);
        }
    }

    /** Returns the time left, which is shown in front of all else that changes; empty when it is not known or below a second. */
    private String timeLeft() {
        if (left == null) {
            return "";
        }
        Duration rest = left.minusNanos(System.nanoTime() - began);
        return rest.toSeconds() < 1 ? "" : ", " + SweepPlan.duration(rest) + " left";
    }

    /** @param rest the text after the variant, for which the variant is shortened where the terminal is narrow */
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

    /** Prints a line that stays. */
    synchronized void say(String line) {
        clear();
        err.println(line);
    }

    /** Removes the live line, to make room for a line on standard output. */
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
