package io.brokermeter.engine.pacing;

import java.time.Duration;

/**
 * A schedule whose rate is m (1 + a sin(2 pi t / P)). Before t, N(t) = m (t + a P / (2 pi) (1 - cos(2 pi t / P))) events are
 * due; a whole period has exactly m P. The inverse is found by Newton's method inside a bracket, which converges in a few
 * steps and cannot leave the bracket where the rate touches zero.
 */
final class SineTimes implements FireTimes {

    private static final int STEPS = 60;

    private final double mean;
    private final double share;
    private final double period;
    private final double eventsOfPeriod;

    SineTimes(double mean, double amplitude, Duration period) {
        this.mean = mean;
        this.share = amplitude / mean;
        this.period = period.toNanos() / 1e9;
        this.eventsOfPeriod = mean * this.period;
    }

    @Override
    public long at(long index) {
        double periods = Math.floor(index / eventsOfPeriod);
        double wanted = index - periods * eventsOfPeriod;
        double low = 0;
        double high = period;
        double t = wanted / mean;
        for (int step = 0; step < STEPS && high - low > 1e-10; step++) {
            double angle = 2 * Math.PI * t / period;
            double miss = mean * (t + share * period / (2 * Math.PI) * (1 - Math.cos(angle))) - wanted;
            if (miss > 0) {
                high = t;
            } else {
                low = t;
            }
            if (Math.abs(miss) < 1e-9) {
                break;
            }
            double next = t - miss / (mean * (1 + share * Math.sin(angle)));
            t = next > low && next < high ? next : (low + high) / 2;
        }
        return (long) ((periods * period + t) * 1e9);
    }
}
