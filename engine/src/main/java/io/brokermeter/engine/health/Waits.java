package io.brokermeter.engine.health;

/**
 * What kept sending threads waiting, in nanoseconds, or as parts of their time from 0 to 1.
 *
 * @param window they owed messages, and all windows in question were full
 * @param rest they owed messages, and a think time or the pause after a failed send was in the way
 * @param loss they owed messages, and lost connections were being made anew
 * @param call they were within calls of the client
 */
public record Waits(double window, double rest, double loss, double call) {

    public static final Waits NONE = new Waits(0, 0, 0, 0);

    public Waits plus(Waits other) {
        return new Waits(window + other.window, rest + other.rest, loss + other.loss, call + other.call);
    }

    /** As parts of a time, nanoseconds. */
    public Waits partsOf(double time) {
        return new Waits(part(window, time), part(rest, time), part(loss, time), part(call, time));
    }

    private static double part(double wait, double time) {
        return Math.min(1, wait / time);
    }
}
