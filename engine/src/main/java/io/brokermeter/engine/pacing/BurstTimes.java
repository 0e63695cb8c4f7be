package io.brokermeter.engine.pacing;

import java.time.Duration;

/** Events of bursts with silence between them. A burst has the same whole number of events each time. */
final class BurstTimes implements FireTimes {

    private final double rate;
    private final long eventsOfBurst;
    private final long cycleNanos;

    BurstTimes(double rate, Duration on, Duration off) {
        this.rate = rate;
        this.eventsOfBurst = Math.max(1, Math.round(rate * on.toNanos() / 1e9));
        this.cycleNanos = on.plus(off).toNanos();
    }

    @Override
    public long at(long index) {
        return index / eventsOfBurst * cycleNanos + (long) (index % eventsOfBurst * 1e9 / rate);
    }
}
