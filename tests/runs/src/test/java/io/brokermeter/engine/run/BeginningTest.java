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

/** Tests of what a run that could not begin, or was stopped before its load, leaves on the broker. */
class BeginningTest {

    private final LoopbackRun run = LoopbackRun.of().rate("100").duration(1_000);
    /** The calls that delete something, with their destinations, in the order of the calls. */
    private final List<String> called = new ArrayList<>();
    private boolean refuses = true;
    /** Whether the broker refuses to delete anything. */
    private boolean keeps;
    /** A destination that exists before the run. */
    private @Nullable Destination old;
    private Runnable whenDeclared = () -> {};

    /** Returns a driver that records deletions, and refuses producers if {@link #refuses} is set. */
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
                if (keeps) {
                    throw new IllegalStateException("still in use");
                }
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

    /** What stays on the broker is told beside the reason why the run could not begin. */
    @Test
    void whatCannotBeRemovedIsTold() {
        keeps = true;

        assertThatThrownBy(() -> run.over(refusing()).execute()).isInstanceOfSatisfying(RunFailure.class,
            failure -> assertThat(failure.findings()).satisfiesExactly(
                first -> assertThat(first).isEqualTo(failure.finding()),
                left -> assertThat(left).isInstanceOfSatisfying(Finding.Broken.class, broken -> {
                    assertThat(broken.step()).isEqualTo(Finding.Step.REMOVE_DESTINATION);
                    assertThat(broken.cause()).contains("still in use");
                })));
    }

    @Test
    void subscriptionsOfARunThatCannotBeginAreRemoved() {
        run.on("topic://T").durable(1);

        failsToBegin();
        assertThat(called).containsExactly("unsubscribe topic://T", "delete topic://T");
    }

    /** The subscriptions were created at the beginning, although their consumers were to start later. */
    @Test
    void subscriptionsWithoutAConsumerYetAreRemoved() {
        run.on("topic://T").durable(1).consumersAfter(500);

        failsToBegin();
        assertThat(called).containsExactly("unsubscribe topic://T", "delete topic://T");
    }

    /** Other programs may consume what is only sent here, or send what is only received here. */
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
