package io.brokermeter.engine.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;

/** Tests of what a process leaves to the others when it cannot remove it itself, on a {@link VirtualClock}. */
class LeavingTest {

    /** The first process, which declares first, loses its connection after a second; that of the second process lives. */
    @Test
    void whatAProcessMadeThatLostItsConnectionIsRemovedByAnotherOne() throws Exception {
        Groups groups = new Groups();
        groups.duration = Duration.ofSeconds(2);
        groups.producers("p", p -> p.load = new Load.Constant(Rate.parse("100"))).consumers("c", c -> {});
        AtomicReference<ConnectionListener> ofProducers = new AtomicReference<>();
        Driver keeping = LoopbackRun.with(groups.driver(), (own, listener, method, args) -> {
            if (method.getName().equals("producer")) {
                ofProducers.set(listener);
            }
            return LoopbackRun.unwrapped(() -> method.invoke(own, args));
        });
        RunPair pair = new RunPair(groups, Plan.of(groups.plan().scenario(), List.of(keeping)));
        pair.after(1_000, () -> requireNonNull(ofProducers.get()).lost(new IOException("cut")));
        try (groups.clock;
                Connection broker = groups.driver().connect(pair.plan.groups().getFirst().endpoint().settings(), LoopbackRun.DEAF)) {
            pair.execute();
            assertThat(pair.runs.getFirst().part().result().failures()).as("the loss").isNotEmpty();
            assertThat(pair.meeting.reached).as("both were there to the end").contains("0 CLOSED", "1 CLOSED");
            assertThat(broker.declare(pair.plan.destinations().getFirst())).as("it was removed").isTrue();
        }
    }
}
