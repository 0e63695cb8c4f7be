package io.brokermeter.trials;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How long the rest of a sweep will take, from what its trials are planned for and what those that are over took. A trial
 * whose length is planned takes that and what the finished ones took beyond their plans on average; one whose length is not
 * planned takes as long as the finished ones of that sort did on average. Used by one thread.
 */
final class TimeLeft {

    private long beyondMillis;
    private int planned;
    private long openMillis;
    private int open;

    /**
     * A trial is over.
     *
     * @param plan what it was planned for, zero for nothing
     * @param took what it took
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

    /** How long a trial will take; empty when nothing is known of it. */
    Optional<Duration> of(Duration plan) {
        if (plan.isZero()) {
            return open == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(openMillis / open));
        }
        long beyond = planned == 0 ? 0 : beyondMillis / planned;
        return Optional.of(Duration.ofMillis(Math.max(0, plan.toMillis() + beyond)));
    }

    /** How long several trials will take; empty when nothing is known of one of them. */
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
