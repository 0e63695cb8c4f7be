package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * The start of a group.
 *
 * @param delay time from the start of the run to that of the group
 * @param afterProducers whether the group waits until every producer has ended, so that there is a backlog; then the delay
 *     counts from that moment. Only for consumers
 * @param ramp time over which the connections of the group are made, evenly; zero for all at once
 */
public record Start(Duration delay, boolean afterProducers, Duration ramp) {

    private static final String AFTER_PRODUCERS = "after-producers";

    /** The start of a group together with the run, all connections at once. */
    public static final Start AT_ONCE = new Start(Duration.ZERO, false, Duration.ZERO);

    public Start {
        if (delay.isNegative() || ramp.isNegative()) {
            throw new UsageException("A start delay or a ramp must not be negative.");
        }
    }

    /** Creates a start at {@code delay} after that of the run, all connections at once. */
    public static Start after(Duration delay) {
        return new Start(delay, false, Duration.ZERO);
    }

    /**
     * Reads {@code 5s} (seconds when bare), {@code after-producers}, or {@code after-producers:5s} for that time after their end.
     *
     * @throws UsageException with one sentence that names the right forms
     */
    public static Start parse(String text) {
        String form = text.strip();
        if (!form.toLowerCase(Locale.ROOT).startsWith(AFTER_PRODUCERS)) {
            if (!form.isEmpty() && Character.isLetter(form.charAt(0))) {
                throw new UsageException("Start '" + text + "' must be a time like 5s, " + AFTER_PRODUCERS + " or "
                    + AFTER_PRODUCERS + ":5s.");
            }
            return after(Units.duration(form, "s"));
        }
        String rest = form.substring(AFTER_PRODUCERS.length()).strip();
        if (!rest.isEmpty() && !rest.startsWith(":")) {
            throw new UsageException("Start '" + text + "' must be " + AFTER_PRODUCERS + " or " + AFTER_PRODUCERS + ":5s.");
        }
        return new Start(rest.isEmpty() ? Duration.ZERO : Units.duration(rest.substring(1), "s"), true, Duration.ZERO);
    }

    /** Returns this start with connections that are made evenly over a time. */
    public Start withRamp(Duration over) {
        return new Start(delay, afterProducers, over);
    }

    /**
     * Returns this start at another moment.
     *
     * @param moment returns where a moment of this run, since the start of its load, is to be
     * @param length returns what another length of time is to be
     */
    public Start withTimes(UnaryOperator<Duration> moment, UnaryOperator<Duration> length) {
        return new Start((afterProducers ? length : moment).apply(delay), afterProducers, length.apply(ramp));
    }

    /** Returns whether the group starts together with the run. */
    public boolean isWithRun() {
        return delay.isZero() && !afterProducers;
    }
}
