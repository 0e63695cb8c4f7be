package io.brokermeter.engine.pacing;

import java.time.Duration;

import io.brokermeter.engine.scenario.Rate;

/**
 * A schedule of bursts with silence between them: a constant rate whose clock stands still in the silence. A burst that is too
 * short for a whole number of events, or even for one, thus leaves the rest of its time to the next burst, and nothing is rounded.
 */
final class BurstTimes implements FireTimes {

    private final FireTimes withoutSilence;
    private final long onNanos;
    private final long offNanos;
    /** The largest number of silences before an event that is ever due. */
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
