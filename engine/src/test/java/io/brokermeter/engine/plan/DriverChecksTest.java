package io.brokermeter.engine.plan;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import org.junit.jupiter.api.Test;

/** Settings of producers and consumers that a driver refuses are refused before anything connects. */
class DriverChecksTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    /** Returns a loopback driver with all capabilities, which refuses settings of one type and keeps no messages. */
    static Driver refusing(Class<?> settings) {
        var loopback = new LoopbackDriver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("check") && method.getParameterCount() == 3 && method.getParameterTypes()[2] == settings) {
                throw new IllegalArgumentException("Not with these " + settings.getSimpleName() + ".");
            }
            if (method.getName().equals("keeps")) {
                return false;
            }
            if (method.getName().equals("capabilities")) {
                return EnumSet.allOf(Capability.class);
            }
            try {
                return method.invoke(loopback, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }

    private static void plan(Driver driver, Messages messages) {
        plan(driver, messages, Start.AT_ONCE);
    }

    private static void plan(Driver driver, Messages messages, Start start) {
        var endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://checks", null, null, null, Duration.ofSeconds(1)));
        var limits = new Limits(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
        Plan.of(Scenario.of("test", limits, its -> {
            its.producers = List.of(ProducerGroupSpec.plain(endpoint, List.of(QUEUE), 100, messages));
            its.consumers = List.of(ConsumerGroupSpec.plain(endpoint, List.of(QUEUE)).with(spec -> spec.start = start));
            its.pacing = Pacing.PARK;
        }), List.of(driver));
    }

    @Test
    void asksTheDriverAboutProducersAndConsumers() {
        for (var settings : List.of(ProducerSettings.class, ConsumerSettings.class)) {
            assertThatThrownBy(() -> plan(refusing(settings), Messages.of(its -> {}))).isInstanceOf(UsageException.class)
                .hasMessage("Not with these " + settings.getSimpleName() + ".");
        }
    }

    /** A queue of MQTT, for example, is a subscription, which receives no messages that were sent before. */
    @Test
    void refusesConsumersAfterTheProducersOfAQueueThatKeepsNothing() {
        assertThatThrownBy(() -> plan(refusing(Void.class), Messages.of(its -> {}), Start.parse("after-producers")))
            .isInstanceOf(UsageException.class).hasMessage("Consumers that start after the producers need queues or durable subscriptions; "
                + "here queue://q keeps nothing for those who come later.");
        plan(new LoopbackDriver(), Messages.of(its -> {}), Start.parse("after-producers"));
    }

    /** Clients pass the delay to the broker in milliseconds. */
    @Test
    void refusesADeliveryDelayWithPartsOfAMillisecond() {
        for (long micros : new long[] {500, 1_500}) {
            assertThatThrownBy(
                () -> plan(refusing(Void.class), Messages.of(its -> its.deliveryDelay = Duration.of(micros, ChronoUnit.MICROS))))
                .isInstanceOf(UsageException.class).hasMessageContaining("'message.deliveryDelay' must be whole milliseconds, like 250ms.");
        }
        plan(refusing(Void.class), Messages.of(its -> its.deliveryDelay = Duration.ofMillis(1_500)));
    }

    @Test
    void refusesAHeaderOfTheNameOfTheEnvelope() {
        assertThatThrownBy(() -> plan(refusing(Void.class), Messages.of(its -> its.headers = List.of(Header.of("brokermeter", "y")))))
            .isInstanceOf(UsageException.class).hasMessageContaining("'brokermeter'").hasMessageContaining("message.headers");
    }
}
