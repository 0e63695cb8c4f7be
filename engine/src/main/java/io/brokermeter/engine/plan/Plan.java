package io.brokermeter.engine.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * What exactly will run: a pure function of the scenario and the drivers at hand. Making one checks everything that can
 * be checked without a network.
 *
 * @param scenario what was asked for
 * @param producerDriver the sending protocol, or null for a run that only receives
 * @param consumerDriver the receiving protocol, or null for a run that only sends
 * @param producers the producers, in the order of their stripes
 * @param producerConnections number of producing connections
 * @param consumers the consumers
 * @param consumerConnections number of consuming connections
 * @param subscriptions number of subscriptions in the ledger's sense
 * @param consumerClientIds client id of each consuming connection, null where it has none
 */
public record Plan(
        Scenario scenario, @Nullable Driver producerDriver, @Nullable Driver consumerDriver, List<ProducerPlan> producers,
        int producerConnections, List<ConsumerPlan> consumers, int consumerConnections, int subscriptions,
        List<@Nullable String> consumerClientIds) {

    /**
     * Plans a scenario.
     *
     * @throws UsageException with one sentence that names the option, for what cannot be run
     */
    public static Plan of(Scenario scenario, List<Driver> drivers) {
        Driver producerDriver = null;
        List<ProducerPlan> producers = List.of();
        int producerConnections = 0;
        ProducerSide sending = scenario.producers();
        if (sending != null) {
            producerDriver = driver(sending.endpoint(), scenario.destinations(), drivers);
            check(sending, scenario, producerDriver);
            producers = producers(sending, scenario.destinations());
            producerConnections = sending.sharedConnections()
                    ? Math.min(sending.threads(), producers.size()) : producers.size();
        }
        Driver consumerDriver = null;
        Consumers consumers = new Consumers(List.of(), 0, 0, List.of());
        ConsumerSide receiving = scenario.consumers();
        if (receiving != null) {
            consumerDriver = driver(receiving.endpoint(), scenario.destinations(), drivers);
            check(receiving, scenario, consumerDriver);
            consumers = consumers(receiving, scenario.destinations());
        }
        return new Plan(scenario, producerDriver, consumerDriver, producers, producerConnections, consumers.plans,
                consumers.connections, consumers.subscriptions, consumers.clientIds);
    }

    /** Whether the sending side hears from the broker that it has a message; without that, sends are only known as written. */
    public boolean confirms() {
        ProducerSide side = scenario.producers();
        return producerDriver != null && side != null
                && producerDriver.capabilities(side.endpoint().settings()).contains(Capability.CONFIRMATIONS);
    }

    private static Driver driver(Endpoint endpoint, List<Destination> destinations, List<Driver> drivers) {
        for (Driver driver : drivers) {
            if (driver.protocol().equalsIgnoreCase(endpoint.protocol())) {
                try {
                    driver.check(endpoint.settings());
                    destinations.forEach(destination -> driver.check(endpoint.settings(), destination));
                } catch (IllegalArgumentException e) {
                    throw new UsageException(e.getMessage() == null ? "The URL cannot be used." : e.getMessage());
                }
                return driver;
            }
        }
        String known = drivers.stream().map(Driver::protocol).sorted().collect(Collectors.joining(", "));
        throw new UsageException("Protocol '" + endpoint.protocol() + "' is not known; there are " + known + ".");
    }

    private static void check(ProducerSide side, Scenario scenario, Driver driver) {
        positive(side.perDestination(), "--producers");
        positive(side.threads(), "--threads");
        notNegative(side.maxPending(), "--max-pending");
        notNegative(side.commitInterval(), "--commit-interval");
        notNegative(side.messageCount(), "--message-count");
        if (side.messageSize() < 0) {
            throw new UsageException("--message-size must not be negative.");
        }
        if (!side.bare() && side.messageSize() < Envelope.SIZE) {
            throw new UsageException("--message-size " + side.messageSize() + " is smaller than the " + Envelope.SIZE
                    + " bytes of the envelope; use at least " + Envelope.SIZE + ", or --bare for no transfer time and no ledger.");
        }
        long producers = (long) side.perDestination() * scenario.destinations().size();
        if (producers > 100_000) {
            throw new UsageException(producers + " producers (--producers times --num-destinations) are more than 100,000.");
        }
        Set<Capability> can = driver.capabilities(side.endpoint().settings());
        require(driver, can, Capability.TOPICS, scenario.destinations().stream().anyMatch(Destination::isTopic));
        require(driver, can, Capability.PERSISTENCE, side.persistent());
        require(driver, can, Capability.TIME_TO_LIVE, side.ttlMillis() > 0);
        require(driver, can, Capability.MESSAGE_GROUPS, side.group() != null);
        require(driver, can, Capability.TRANSACTED_SEND, side.commitInterval() > 0);
        require(driver, can, Capability.MESSAGE_IDS, side.messageIds());
        require(driver, can, Capability.TIMESTAMPS, side.timestamps());
        require(driver, can, Capability.HEADERS, !side.headers().isEmpty());
    }

    private static void check(ConsumerSide side, Scenario scenario, Driver driver) {
        positive(side.perDestination(), "--consumers");
        positive(side.batch(), "--multi-ack-every");
        notNegative(side.sharedSubscriptions(), "--shared");
        notNegative(side.connections(), "--consumer-connections");
        notNegative(side.messageCount(), "--message-count");
        boolean queue = scenario.destinations().stream().anyMatch(d -> !d.isTopic());
        if (side.sharedSubscriptions() > 0 && queue) {
            throw new UsageException("--shared needs topics; " + first(scenario, false) + " is a queue.");
        }
        if (side.durable() && queue) {
            throw new UsageException("--durable needs topics; " + first(scenario, false) + " is a queue.");
        }
        if (side.durable() && side.sharedSubscriptions() == 0 && side.endpoint().settings().clientId() == null) {
            throw new UsageException("--durable needs --clientID: an unshared durable subscription belongs to a client id.");
        }
        Set<Capability> can = driver.capabilities(side.endpoint().settings());
        require(driver, can, Capability.TOPICS, !queue);
        require(driver, can, Capability.SELECTORS, side.selector() != null);
        require(driver, can, Capability.DURABLE_SUBSCRIPTIONS, side.durable());
        require(driver, can, Capability.SHARED_SUBSCRIPTIONS, side.sharedSubscriptions() > 0);
        require(driver, can, Capability.TRANSACTED_RECEIVE, side.ackMode() == AckMode.TRANSACTED);
        require(driver, can, Capability.BATCH_ACKNOWLEDGEMENT, side.ackMode() == AckMode.BATCH);
        require(driver, can, Capability.PREFETCH, side.prefetch() >= 0);
    }

    private static void require(Driver driver, Set<Capability> can, Capability capability, boolean needed) {
        if (needed && !can.contains(capability)) {
            throw new UsageException("Protocol " + driver.protocol() + " cannot do " + capability.option() + " ("
                    + capability.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ")"
                    + (driver.capabilities().contains(capability) ? " with the parameters given." : "."));
        }
    }

    private static void positive(long value, String option) {
        if (value < 1) {
            throw new UsageException(option + " must be at least 1, not " + value + ".");
        }
    }

    private static void notNegative(long value, String option) {
        if (value < 0) {
            throw new UsageException(option + " must not be negative, not " + value + ".");
        }
    }

    private static Destination first(Scenario scenario, boolean topic) {
        return scenario.destinations().stream().filter(d -> d.isTopic() == topic).findFirst().orElseThrow();
    }

    private static List<ProducerPlan> producers(ProducerSide side, List<Destination> destinations) {
        List<ProducerPlan> plans = new ArrayList<>();
        int threads = Math.min(side.threads(), side.perDestination() * destinations.size());
        // Destinations vary fastest, so that neighbouring stripes of the schedule go to different destinations.
        for (int n = 0; n < side.perDestination(); n++) {
            for (int d = 0; d < destinations.size(); d++) {
                int index = plans.size();
                int thread = index % threads;
                plans.add(new ProducerPlan(index, d, destinations.get(d), thread, side.sharedConnections() ? thread : index));
            }
        }
        return List.copyOf(plans);
    }

    private record Consumers(
            List<ConsumerPlan> plans, int connections, int subscriptions, List<@Nullable String> clientIds) {}

    private static Consumers consumers(ConsumerSide side, List<Destination> destinations) {
        String clientId = side.endpoint().settings().clientId();
        int shared = side.sharedSubscriptions();
        // With a client id a shared subscription belongs to it, so its consumers must share a connection.
        boolean oneConnectionPerSubscription = shared > 0 && clientId != null;
        int perDestination = Math.max(1, shared) * side.perDestination();
        int automatic = destinations.size() * (oneConnectionPerSubscription ? shared : perDestination);
        int connections = side.connections() == 0 ? automatic : Math.min(side.connections(), automatic);

        List<ConsumerPlan> plans = new ArrayList<>();
        Map<String, Integer> ledgerSubscriptions = new LinkedHashMap<>();
        int group = 0;
        for (int d = 0; d < destinations.size(); d++) {
            Destination destination = destinations.get(d);
            for (int s = 0; s < Math.max(1, shared); s++, group++) {
                for (int c = 0; c < side.perDestination(); c++) {
                    int index = plans.size();
                    String name = shared > 0 ? "shared-" + destination.name() + "-" + s
                            : side.durable() ? "durable-" + destination.name() + "-" + c : null;
                    String ledgerKey = d + "/" + (destination.isTopic() ? shared > 0 ? "s" + s : "c" + c : "q");
                    int subscription = ledgerSubscriptions.computeIfAbsent(ledgerKey, k -> ledgerSubscriptions.size());
                    plans.add(new ConsumerPlan(index, d, destination, subscription,
                            (oneConnectionPerSubscription ? group : index) % connections,
                            new ConsumerSettings(side.ackMode(), side.batch(), name, side.durable(), shared > 0,
                                    side.prefetch(), !side.latency().isZero() || side.rate() != null, side.selector())));
                }
            }
        }
        List<@Nullable String> clientIds = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            clientIds.add(clientId == null ? null : connections == 1 ? clientId : clientId + i);
        }
        return new Consumers(List.copyOf(plans), connections, ledgerSubscriptions.size(), clientIds);
    }
}
