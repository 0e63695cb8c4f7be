package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.recording.ConnectTimes;
import io.brokermeter.engine.scenario.Connecting;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;

/** Connections that are begun at a rate, in virtual time. */
class PacedConnectsTest {

    private static final double MILLI = 1e6;

    private final LoopbackRun run = LoopbackRun.of().sendOnly().producers(51).count(51);
    /** The moments at which attempts began. */
    private final List<Long> begun = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger attempts = new AtomicInteger();

    /** The first producer connects at once; the others are due at 10, 20 ... 500 ms behind, and each takes 35 ms, so that four are made at a time. */
    @Test
    void connectionsBeginWhenTheyAreDueWhetherThoseBeforeThemAreThereOrNot() throws Exception {
        ConnectTimes times = connects(35, 0, Integer.MAX_VALUE);

        assertThat(begun).hasSize(51);
        List<Long> sorted = begun.stream().sorted().toList();
        assertThat((sorted.getLast() - sorted.get(1)) / MILLI).isBetween(489.0, 491.0);
        assertThat(times.count()).isEqualTo(51);
        assertThat(times.failedAttempts()).isZero();
        assertThat(times.askedPerSecond()).isEqualTo(100);
        assertThat(times.seconds()).isBetween(0.569, 0.572);
        assertThat(times.times().getMaxValue() / MILLI).isBetween(34.9, 36.0);
        assertThat(times.times().getValueAtPercentile(50) / MILLI).isBetween(34.9, 36.0);
    }

    /** Attempts 11 to 13 fail, those of three connections, which are made 100 ms later. */
    @Test
    void aFailedAttemptIsCountedMadeAgainAndPartOfTheTime() throws Exception {
        ConnectTimes times = connects(0, 11, 13);

        assertThat(begun).hasSize(54);
        assertThat(times.count()).isEqualTo(51);
        assertThat(times.failedAttempts()).isEqualTo(3);
        assertThat(times.times().getCountBetweenValues(99_000_000, 103_000_000)).isEqualTo(3);
        assertThat(times.times().getValueAtPercentile(50) / MILLI).isLessThan(1);
    }

    @Test
    void whatCannotBeMadeWithinTheConnectTimeoutEndsTheRun() {
        assertThatThrownBy(() -> connects(0, 11, Integer.MAX_VALUE)).isInstanceOf(RunFailure.class)
            .hasRootCauseMessage("too many connections");
        assertThat(attempts.get()).isGreaterThan(12 + 10);
    }

    @Test
    void whatTheFirstConnectionIsRefusedForEndsTheRunAtOnce() {
        assertThatThrownBy(() -> connects(0, 1, 1)).isInstanceOf(RunFailure.class);
        assertThat(attempts.get()).isEqualTo(1);
    }

    /** Runs over connections that take some time, of whose attempts some fail. */
    private ConnectTimes connects(long millis, int firstFailing, int lastFailing) throws Exception {
        LoopbackDriver whole = new LoopbackDriver(run.clock().broker());
        Driver driver = (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            if (method.getName().equals("connect")) {
                begun.add(run.clock().nanos());
                int attempt = attempts.incrementAndGet();
                long until = run.clock().nanos() + millis * 1_000_000;
                for (long left; (left = until - run.clock().nanos()) > 0;) {
                    run.clock().park(left);
                }
                if (attempt >= firstFailing && attempt <= lastFailing && firstFailing > 0) {
                    throw new IOException("too many connections");
                }
            }
            return LoopbackRun.unwrapped(() -> method.invoke(whole, args));
        });
        ConnectTimes times = run.over(driver).connecting(Connecting.PLAIN.at(Rate.parse("100"))).execute().connects();
        assertThat(times).isNotNull();
        return times;
    }
}
