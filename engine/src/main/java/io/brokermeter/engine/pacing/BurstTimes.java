package io.brokermeter.engine.pacing;

import java.time.Duration;

import io.brokermeter.engine.scenario.Rate;

/**
 * Events of bursts with silence between them: a constant rate whose clock stands still in the silence. So a burst that is too
 * short for a whole number of events, or even for one, leaves the rest of its time to the next one, and nothing is rounded.
 */
final class BurstTimes implements FireTimes {

    private final FireTimes withoutSilence;
    private final long onNanos;
    private final long offNanos;
    /** More silences than these end beyond every clock. */
    private final long mostSilences;

    BurstTimes(Rate rate, Duration on, Duration off) {
        this.withoutSilence = FireTimes.constant(rate);
        this.onNanos = on.toNanos();
        this.offNanos = off.toNanos();
        this.mostSilences = NEVER / 2 / Math.max(1, offNanos);
    }

    @Override
    public long at(long index) {
        long moment = withoutSilence.at(index);
        long silences = moment / onNanos;
        return silences > mostSilences ? NEVER : moment + silences * offNanos;
    }
}
