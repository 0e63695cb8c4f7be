package io.brokermeter.driver.loopback;

import java.util.SplittableRandom;

/** The times that the server of one destination takes for messages, and those that they are delayed behind it. Used by one thread. */
final class ServiceTimes {

    private final LoopbackBroker broker;
    private final LoopbackSettings loopback;
    private final SplittableRandom random = new SplittableRandom(42);

    ServiceTimes(LoopbackBroker broker, LoopbackSettings loopback) {
        this.broker = broker;
        this.loopback = loopback;
    }

    /** Returns when a message has been served whose service begins at {@code begin}, in nanoseconds. */
    long served(long begin) {
        return afterFreeze(begin + service());
    }

    /** Returns the delay of the next message behind its service, in nanoseconds. */
    long delay() {
        return loopback.delayNanos() + (loopback.randomDelayNanos() == 0 ? 0 : random.nextLong(loopback.randomDelayNanos()));
    }

    private long service() {
        if (loopback.serviceNanos() == 0) {
            return 0;
        }
        return loopback.exponential()
            ? (long) (-Math.log(1 - random.nextDouble()) * loopback.serviceNanos()) : loopback.serviceNanos();
    }

    /** Returns the end of the freeze for a time within it, and any other time unchanged. */
    private long afterFreeze(long moment) {
        if (loopback.freezeNanos() == 0) {
            return moment;
        }
        long origin = broker.time.nanos() - broker.age();
        long from = origin + loopback.freezeAtNanos();
        long to = from + loopback.freezeNanos();
        return moment >= from && moment < to ? to : moment;
    }
}
