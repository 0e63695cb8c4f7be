package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a run that could not begin, or was stopped before it did, leaves on the broker. */
@Timeout(240)
class BeginningTest {

    private final LoopbackRun run = LoopbackRun.of().rate("100").duration(1_000);
    /** Names of methods with their destinations, as they were called. */
    private final List<String> called = new ArrayList<>();
    private boolean refuses = true;
    /** A destination that is there before the run. */
    private @Nullable Destination old;
    private Runnable whenDeclared = () -> {};

    /** A broker that takes no producers. */
    private Driver refusing() {
        Driver loopback = run.driver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            Object result = LoopbackRun.unwrapped(() -> method.invoke(loopback, args));
            return result instanceof Connection open ? connection(open) : result;
        });
    }

    private Object connection(Connection open) {
        return Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, args) -> {
            String name = method.getName();
            if (List.of("delete", "unsubscribe").contains(name)) {
                called.add(name + " " + args[0]);
            }
            if (name.equals("producer") && refuses) {
                throw new IllegalStateException("not allowed");
            }
            Object result = LoopbackRun.unwrapped(() -> method.invoke(open, args));
            if (name.equals("declare")) {
                whenDeclared.run();
                return (boolean) result && !args[0].equals(old);
            }
            return result;
        });
    }

    private void failsToBegin() {
        assertThatThrownBy(() -> run.over(refusing()).execute()).isInstanceOfSatisfying(RunFailure.class,
            failure -> assertThat(failure.finding()).isInstanceOfSatisfying(Finding.Broken.class,
                broken -> assertThat(broken.step()).isEqualTo(Finding.Step.OPEN_PRODUCER)));
    }

    @Test
    void destinationsOfARunThatCannotBeginAreRemovedAndNoOthers() {
        old = Destination.parse("queue://OLD");
        run.on("queue://NEW", "queue://OLD");

        failsToBegin();
        assertThat(called).containsExactly("delete queue://NEW");
    }

    @Test
    void subscriptionsOfARunThatCannotBeginAreRemoved() {
        run.on("topic://T").durable(1);

        failsToBegin();
        assertThat(called).containsExactly("unsubscribe topic://T", "delete topic://T");
    }

    /** Their consumers were to come later, and only made themselves known. */
    @Test
    void subscriptionsWithoutAConsumerYetAreRemoved() {
        run.on("topic://T").durable(1).consumersAfter(500);

        failsToBegin();
        assertThat(called).containsExactly("unsubscribe topic://T", "delete topic://T");
    }

    /** Others may have begun to consume what is only sent here, or to send what is only received. */
    @Test
    void aRunOfOneSideLeavesItsDestinations() {
        run.on("queue://NEW").sendOnly();

        failsToBegin();
        assertThat(called).isEmpty();
    }

    @Test
    void whatARunMadeThatWasStoppedBeforeItsLoadIsRemoved() throws Exception {
        refuses = false;
        run.on("topic://T").durable(1).consumersAfter(500);
        whenDeclared = () -> run.started().stop(2);

        assertThat(run.over(refusing()).execute().signal()).isEqualTo(2);
        assertThat(called).containsExactly("unsubscribe topic://T", "delete topic://T");
    }
}
