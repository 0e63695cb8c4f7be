package io.brokermeter.reports;

import java.util.function.Consumer;

import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;

/** Made-up parts of results, in which each figure has a different value. */
public final class Made {

    private Made() {}

    /** Returns fates of messages, {@code unknown} of which are unknown. */
    public static MessageFates fates(long unknown) {
        return new MessageFates(3, 4, 5, 6, unknown, 8, 9, 10, 11, 12);
    }

    /** Returns the scorecard of a known fault with 16 attempts and two restored connections, changed by {@code change}. */
    public static Scorecard card(FaultTimes first, Consumer<Scorecard.Values> change) {
        return Scorecard.of(its -> {
            its.first = first;
            its.faultKnown = true;
            its.attempts = 16;
            its.restored = 2;
            its.fates = fates(7);
            change.accept(its);
        });
    }

    /** Returns the times of a broker that was killed at 8.004 s and came back, changed by {@code change}. */
    public static FaultTimes killed(Consumer<FaultTimes.Values> change) {
        return FaultTimes.of(its -> {
            its.faultAt = 8.004;
            its.detect = 0.012;
            its.withoutSend = 2.5;
            its.withoutDelivery = 2.7;
            its.to95 = 2.6;
            its.catchUp = 0.75;
            its.longestWait = 2.55;
            its.rateBefore = 1000;
            its.sendsStopped = 8;
            its.deliveriesStopped = 7.9;
            change.accept(its);
        });
    }

    /** Sets the resource usage of a run on a machine that is not saturated. */
    public static void health(Health.Values its) {
        its.cpuSeconds = 2.5;
        its.cpuMicrosPerMessage = 31.25;
        its.machineBusyPercent = 50;
        its.gcPauses = 3;
        its.gcPauseMillis = 12;
        its.gcLongestPauseMillis = 6;
        its.hiccup999Millis = 0.21;
        its.hiccupMaxMillis = 1.7;
        its.lateness99Millis = 0.08;
        its.residentBytes = 100L << 20;
    }
}
