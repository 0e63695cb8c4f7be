package io.brokermeter.trials.sweep;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Estimates how long the rest of a sweep will take, from the planned durations of its trials and the durations of those that are over. A
 * trial with a planned duration takes that and the average by which finished trials exceeded their plans; one without a planned duration
 * takes the average duration of the finished ones without. Used by one thread.
 */
final class TimeLeft {

    private long beyondMillis;
    private int planned;
    private long openMillis;
    private int open;

    /**
     * Records a trial that is over.
     *
     * @param plan its planned duration, zero for none
     * @param took its actual duration
     */
    void finished(Duration plan, Duration took) {
        if (plan.isZero()) {
            openMillis += took.toMillis();
            open++;
        } else {
            beyondMillis += took.minus(plan).toMillis();
            planned++;
        }
    }

    /** Returns the expected duration of a trial; empty when it is not known. */
    Optional<Duration> of(Duration plan) {
        if (plan.isZero()) {
            return open == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(openMillis / open));
        }
        long beyond = planned == 0 ? 0 : beyondMillis / planned;
        return Optional.of(Duration.ofMillis(Math.max(0, plan.toMillis() + beyond)));
    }

    /** Returns the expected duration of several trials; empty when that of one is not known. */
    Optional<Duration> of(List<Duration> plans) {
        Duration sum = Duration.ZERO;
        for (Duration plan : plans) {
            Optional<Duration> one = of(plan);
            if (one.isEmpty()) {
                return Optional.empty();
            }
            sum = sum.plus(one.get());
        }
        return Optional.of(sum);
    }
}
