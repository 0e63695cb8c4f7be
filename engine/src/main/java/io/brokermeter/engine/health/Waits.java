package io.brokermeter.engine.health;

/**
 * The times that sending threads waited, by cause, in nanoseconds or as shares of their time from 0 to 1.
 *
 * @param window time in which messages were due and all windows concerned were full
 * @param rest time in which messages were due and a think time or the pause after a failed send kept them back
 * @param loss time in which messages were due and lost connections were being restored
 * @param call time within calls of the client
 * @param busy all time but that in which nothing was due: the times above, and that in which the threads worked
 */
public record Waits(double window, double rest, double loss, double call, double busy) {

    public static final Waits NONE = new Waits(0, 0, 0, 0, 0);

    public Waits plus(Waits other) {
        return new Waits(window + other.window, rest + other.rest, loss + other.loss, call + other.call, busy + other.busy);
    }

    public Waits times(double factor) {
        return new Waits(window * factor, rest * factor, loss * factor, call * factor, busy * factor);
    }

    /** Returns these times as shares of {@code time}, which is in nanoseconds. */
    public Waits partsOf(double time) {
        return new Waits(part(window, time), part(rest, time), part(loss, time), part(call, time), part(busy, time));
    }

    private static double part(double wait, double time) {
        return Math.min(1, wait / time);
    }
}
