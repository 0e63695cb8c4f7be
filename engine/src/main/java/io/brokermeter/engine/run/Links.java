package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;

/**
 * Everything of a run that is open towards a broker, and the order in which it is closed. Used by one thread at a time.
 */
final class Links {

    private final Plan plan;
    private final ConnectionListener listener;
    private final List<Connection> producing = new ArrayList<>();
    private final List<Connection> consuming = new ArrayList<>();
    private final List<Producer> producers = new ArrayList<>();
    private final Map<Receiver, Consumer> consumers = new LinkedHashMap<>();
    private final Set<Destination> created = new LinkedHashSet<>();
    private String broker = "";

    Links(Plan plan, ConnectionListener listener) {
        this.plan = plan;
        this.listener = listener;
    }

    /** Opens the consuming connections. */
    void connectConsumers() throws RunFailure {
        ConsumerSide side = plan.scenario().consumers();
        Driver driver = plan.consumerDriver();
        if (side == null || driver == null) {
            return;
        }
        for (String clientId : plan.consumerClientIds()) {
            consuming.add(connect(driver, side.endpoint().settings().withClientId(clientId)));
        }
    }

    /** Opens the producing connections. */
    void connectProducers() throws RunFailure {
        ProducerSide side = plan.scenario().producers();
        Driver driver = plan.producerDriver();
        if (side == null || driver == null) {
            return;
        }
        for (int i = 0; i < plan.producerConnections(); i++) {
            producing.add(connect(driver, side.endpoint().settings().withClientId(null)));
        }
    }

    private Connection connect(Driver driver, ConnectionSettings settings) throws RunFailure {
        try {
            return driver.connect(settings, listener);
        } catch (Exception e) {
            String reason = Failures.sentence(e);
            // A reason goes on in the middle of our sentence, unless it begins with an abbreviation.
            boolean word = reason.length() > 1 && Character.isLowerCase(reason.charAt(1));
            throw new RunFailure("Cannot connect to " + driver.effectiveUrl(settings) + ": "
                    + (word ? Character.toLowerCase(reason.charAt(0)) + reason.substring(1) : reason), e);
        }
    }

    /** Makes sure that every destination exists. */
    void declare() throws RunFailure {
        Connection connection = producing.isEmpty() ? consuming.getFirst() : producing.getFirst();
        for (Destination destination : plan.scenario().destinations()) {
            try {
                if (connection.declare(destination)) {
                    created.add(destination);
                }
            } catch (Exception e) {
                throw new RunFailure("Cannot use " + destination + ": " + Failures.sentence(e), e);
            }
        }
        broker = connection.broker();
    }

    void open(Sender sender, ProducerSide side) throws RunFailure {
        ProducerSettings settings = new ProducerSettings(side.persistent(), side.ttlMillis(), side.group(),
                side.messageIds(), side.timestamps(), side.commitInterval() > 0, side.maxPending(), side.headers());
        try {
            Producer producer = producing.get(sender.plan.connection()).producer(sender.plan.destination(), settings, sender);
            producers.add(producer);
            sender.attach(producer);
        } catch (Exception e) {
            throw new RunFailure("Cannot send to " + sender.plan.destination() + ": " + Failures.sentence(e), e);
        }
    }

    /** @return the consumer, which the engine must poll when it says so */
    Consumer open(Receiver receiver) throws RunFailure {
        ConsumerPlan c = receiver.plan;
        try {
            Consumer consumer = consuming.get(c.connection()).consumer(c.destination(), c.settings(), receiver);
            consumers.put(receiver, consumer);
            return consumer;
        } catch (Exception e) {
            throw new RunFailure("Cannot receive from " + c.destination() + ": " + Failures.sentence(e), e);
        }
    }

    /** What the broker says it is; empty when it does not. Asked before the run, since a closed connection cannot. */
    String broker() {
        return broker;
    }

    /** Why the producers may be standing still, as far as their clients know. */
    String stallReason() {
        for (Producer producer : producers) {
            String reason = producer.stallReason();
            if (!reason.isBlank()) {
                return reason;
            }
        }
        return "";
    }

    /**
     * Closes everything, in the order that loses nothing: producers, consumers (which acknowledge their tail), durable
     * subscriptions, destinations made for the run, connections.
     *
     * @param remove whether to remove subscriptions and destinations: not when the broker is gone
     * @return what went wrong, one sentence each
     */
    List<String> close(boolean remove) {
        List<String> troubles = new ArrayList<>();
        for (Producer producer : producers) {
            attempt(troubles, "A producer did not close", producer::close);
        }
        consumers.forEach((receiver, consumer) ->
                attempt(troubles, "A consumer of " + receiver.plan.destination() + " did not close", consumer::close));
        if (remove) {
            removeSubscriptions(troubles);
            removeDestinations(troubles);
        }
        for (Connection connection : producing) {
            attempt(troubles, "A producing connection did not close", connection::close);
        }
        for (Connection connection : consuming) {
            attempt(troubles, "A consuming connection did not close", connection::close);
        }
        return troubles;
    }

    private void removeSubscriptions(List<String> troubles) {
        ConsumerSide side = plan.scenario().consumers();
        if (side == null || !side.durable() || side.keepSubscriptions()) {
            return;
        }
        Set<String> removed = new LinkedHashSet<>();
        for (Receiver receiver : consumers.keySet()) {
            ConsumerPlan c = receiver.plan;
            String name = c.settings().subscription();
            String clientId = plan.consumerClientIds().get(c.connection());
            if (name != null && removed.add(clientId + "/" + name)) {
                attempt(troubles, "Subscription " + name + " was not removed",
                        () -> consuming.get(c.connection()).unsubscribe(c.destination(), name));
            }
        }
    }

    /** Only what a run with both halves made itself: somebody else may want to consume what a run only sent. */
    private void removeDestinations(List<String> troubles) {
        ConsumerSide side = plan.scenario().consumers();
        if (plan.scenario().producers() == null || side == null || side.durable() && side.keepSubscriptions()) {
            return;
        }
        Connection connection = producing.getFirst();
        for (Destination destination : created) {
            attempt(troubles, destination + " was not removed", () -> connection.delete(destination));
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void attempt(List<String> troubles, String what, Step step) {
        try {
            step.run();
        } catch (Exception e) {
            troubles.add(what + ": " + Failures.sentence(e));
        }
    }
}
