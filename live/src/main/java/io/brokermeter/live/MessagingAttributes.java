package io.brokermeter.live;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.Destination;

/** The attributes that the conventions of OpenTelemetry for messaging require of the operations of a run. */
public final class MessagingAttributes {

    /** Names that the conventions give to systems whose protocols have others. */
    private static final Map<String, String> SYSTEMS = Map.of("core", "activemq", "openwire", "activemq", "amqp091", "rabbitmq");

    private MessagingAttributes() {}

    public static Map<String, String> of(Scenario scenario) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("messaging.system",
            Stream.concat(scenario.producers().stream().map(ProducerGroupSpec::endpoint),
                scenario.consumers().stream().map(ConsumerGroupSpec::endpoint))
                .map(Endpoint::protocol).map(name -> name.toLowerCase(Locale.ROOT)).filter(name -> !name.isEmpty())
                .map(name -> SYSTEMS.getOrDefault(name, name)).distinct().sorted().collect(Collectors.joining(" and ")));
        List<Destination> destinations = scenario.destinations();
        if (destinations.size() == 1) {
            all.put("messaging.destination.name", destinations.getFirst().name());
        }
        return all;
    }
}
