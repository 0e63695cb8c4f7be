package io.brokermeter.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of which messages a selector selects, as far as that is known from the plan. */
class SelectionsTest {

    private static Plan plan(String selector) {
        var endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://selections", null, null, null, Duration.ofSeconds(1)));
        var limits = new Limits(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
        List<Destination> queue = List.of(Destination.parse("queue://Q"));
        Messages coloured = Messages.of(its -> its.headers = List.of(Header.parse("colour", "{red,blue}"), Header.of("size", "big")));
        return Plan.of(Scenario.of("test", limits, its -> {
            its.producers = List.of(ProducerGroupSpec.plain(endpoint, queue, 100, coloured));
            its.consumers = List.of(ConsumerGroupSpec.plain(endpoint, queue).with(group -> group.selector = selector));
        }), List.of(DriverChecksTest.refusing(Void.class)));
    }

    @Test
    void conditionsOnHeadersOfTheRunAreUnderstood() {
        Plan plan = plan("colour = 'red' AND size = 'big'");
        Selections selections = Selections.of(plan);

        assertThat(selections.of(plan.consumers().getFirst().consumers().getFirst())).isZero();
        assertThat(selections.of(plan.producers().getFirst())).isEqualTo(new boolean[][] {{true, false}});
    }

    /** Fields of Jakarta Messaging, of a client or a broker, which no producer of the run sets as a header. */
    @ParameterizedTest
    @ValueSource(strings = {"JMSDeliveryMode = 'PERSISTENT'", "JMSXGroupID = 'g' AND colour = 'red'", "TAGS = 'a'"})
    void whoMeetsAConditionOnOtherFieldsIsNotKnown(String selector) {
        Plan plan = plan(selector);
        Selections selections = Selections.of(plan);

        assertThat(selections.count()).isZero();
        assertThat(selections.of(plan.consumers().getFirst().consumers().getFirst())).isEqualTo(Selections.UNKNOWN);
    }
}
