package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;

/** Tests of the settings that drivers get for consumers that a run opens more than once. */
class ResumedConsumersTest {

    private final LoopbackRun run = LoopbackRun.of().rate("100").duration(1_000).maxPending(1_000);
    /** Whether each consumer was opened to resume a subscription, in the order of opening. */
    private final List<Boolean> resumes = new CopyOnWriteArrayList<>();
    /** The settings of consumers that were checked. */
    private final List<ConsumerSettings> checked = new CopyOnWriteArrayList<>();
    private boolean refuses;

    private Driver watching() {
        Driver loopback = run.driver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            if (method.getName().equals("check") && args.length == 3 && args[2] instanceof ConsumerSettings settings) {
                checked.add(settings);
                if (refuses) {
                    throw new IllegalArgumentException("not again.");
                }
            }
            Object result = LoopbackRun.unwrapped(() -> method.invoke(loopback, args));
            return result instanceof Connection open ? connection(open) : result;
        });
    }

    private Object connection(Connection open) {
        return Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, args) -> {
            if (method.getName().equals("consumer")) {
                resumes.add(((ConsumerSettings) args[1]).resumes());
            }
            return LoopbackRun.unwrapped(() -> method.invoke(open, args));
        });
    }

    @Test
    void aDurableSubscriptionWhoseConsumerComesLateIsGoneOnWith() throws Exception {
        run.on("topic://T").durable(1).consumersAfter(500);

        assertThat(run.over(watching()).execute().failures()).isEmpty();
        assertThat(resumes).containsExactly(false, true);
    }

    @Test
    void aConsumerGoesOnAfterItsConnectionWasLost() throws Exception {
        run.knobs("delay=5ms&die-at=300500us&die-for=100ms").reconnect(50, 60_000);

        run.over(watching()).execute();
        assertThat(resumes).containsExactly(false, true);
    }

    @Test
    void driversAreAskedBeforehandWhetherAConsumerCanGoOn() {
        run.reconnect(50, 60_000).over(watching());
        run.plan();
        assertThat(checked).singleElement().satisfies(settings -> assertThat(settings.resumes()).isTrue());

        refuses = true;
        assertThatThrownBy(run::plan).isInstanceOf(UsageException.class).hasMessage("not again.");
    }

    @Test
    void driversLearnThatConsumersShareAQueue() {
        run.consumers(2).over(watching());
        run.plan();
        run.consumers(1).plan();
        assertThat(checked).extracting(ConsumerSettings::competing).containsExactly(true, false);
        assertThat(checked).noneMatch(ConsumerSettings::resumes);
    }
}
