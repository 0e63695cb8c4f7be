package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Setting;
import org.junit.jupiter.api.Test;

/** Tests of what a process leaves to the others when it cannot remove it itself, on a {@link VirtualClock}. */
class LeavingTest {

    /** Returns a driver that keeps the listener of the connection that producers are opened on. */
    private static Driver keeping(AtomicReference<ConnectionListener> ofProducers, LoopbackDriver loopback) {
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            Object made = LoopbackRun.unwrapped(() -> method.invoke(loopback, args));
            return !(made instanceof Connection connection) ? made : Proxy.newProxyInstance(Driver.class.getClassLoader(),
                new Class<?>[] {Connection.class}, (_, called, with) -> {
                    if (called.getName().equals("producer")) {
                        ofProducers.set((ConnectionListener) args[1]);
                    }
                    return LoopbackRun.unwrapped(() -> called.invoke(connection, with));
                });
        });
    }

    /** The first process, which declares first, loses its connection after a second; that of the second process lives. */
    @Test
    void whatAProcessMadeThatLostItsConnectionIsRemovedByAnotherOne() throws Exception {
        Groups groups = new Groups();
        groups.duration = Duration.ofSeconds(2);
        groups.producers("p", p -> p.load = new Load.Constant(Rate.parse("100"))).consumers("c", c -> {});
        AtomicReference<ConnectionListener> ofProducers = new AtomicReference<>();
        Plan plan = Plan.of(groups.plan().scenario(), List.of(keeping(ofProducers, groups.driver())));
        long number = Part.whole(plan).run();
        Share whole = Share.whole(plan);
        List<Share> shares = List.of(new Share(0, whole.producers(), new BitSet()), new Share(1, new BitSet(), whole.consumers()));
        Meeting meeting = new Meeting(Set.of(0, 1), groups.clock::elapsed);
        List<Exception> failures = new CopyOnWriteArrayList<>();
        List<Run> runs = shares.stream().map(share -> new Run(plan, new Part(share, number, meeting.of(share.number())),
            new RunObserver() {
                @Override
                public void interval(Interval i) {
                    if (share.number() == 0 && i.elapsedNanos() >= 1_000_000_000L) {
                        requireNonNull(ofProducers.get()).lost(new IOException("cut"));
                    }
                }
            }, null, null, Setting::key, groups.clock)).toList();
        try (groups.clock;
                Connection broker = groups.driver().connect(plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            List<Thread> threads = runs.stream().map(run -> groups.clock.start("share", () -> {
                try {
                    run.execute();
                } catch (RunFailure | RuntimeException e) {
                    failures.add(e);
                }
            })).toList();
            threads.forEach(thread -> groups.clock.join(thread, Duration.ofHours(1).toNanos()));
            assertThat(failures).isEmpty();
            assertThat(runs.getFirst().part().result().failures()).as("the loss").isNotEmpty();
            assertThat(meeting.reached).as("both were there to the end").contains("0 CLOSED", "1 CLOSED");
            assertThat(broker.declare(plan.destinations().getFirst())).as("it was removed").isTrue();
        }
    }
}
