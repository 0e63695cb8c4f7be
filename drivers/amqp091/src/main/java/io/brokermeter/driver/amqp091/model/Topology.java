package io.brokermeter.driver.amqp091.model;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Maps destinations to queues, exchanges and bindings. Existing queues and exchanges are used as they are, unless the user set their
 * properties: then the broker compares.
 *
 * <ul>
 * <li>{@code queue://Q} is the queue Q. Messages are published to it through the default exchange; with the parameter {@code exchange}
 *     through that exchange, to which the queue is bound.
 * <li>{@code topic://T} is the exchange T; with the parameter {@code exchange} it is that exchange, and T is the routing key. A consumer
 *     has a queue bound to it: one of its own that ends with it, or a lasting one for a durable subscription.
 * <li>{@code topic://S} with {@code queue-type=stream} is the stream S, which each consumer reads as a whole.
 * </ul>
 */
public final class Topology {

    private final Options options;
    private final Requests requests;
    private final @Nullable String clientId;
    private final ConnectionListener listener;

    public Topology(Options options, Requests requests, @Nullable String clientId, ConnectionListener listener) {
        this.options = options;
        this.requests = requests;
        this.clientId = clientId;
        this.listener = listener;
    }

    private static <T> Optional<T> ifThere(Callable<T> request) throws Exception {
        try {
            return Optional.of(request.call());
        } catch (ReplyException e) {
            if (e.code() == ReplyException.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private interface Asking {

        void ask() throws Exception;
    }

    /** Makes a request about a queue or exchange; returns false if that does not exist. */
    private static boolean isThere(Asking request) throws Exception {
        return ifThere(() -> {
            request.ask();
            return true;
        }).isPresent();
    }

    /**
     * The exchange and routing key of a producer's messages.
     *
     * @param exchange name of the exchange, empty for the default exchange
     */
    public record Route(String exchange, String routingKey) {}

    /** Returns where messages for a destination are published. */
    public Route route(Destination destination) {
        boolean exchange = isExchange(destination);
        String target = exchange ? options.exchange.isEmpty() ? destination.name() : options.exchange
            : options.exchange;
        String key = options.routingKey;
        if (key == null) {
            key = exchange && options.exchange.isEmpty() ? "" : destination.name();
        }
        return new Route(target, key);
    }

    private boolean isExchange(Destination destination) {
        return destination.isTopic() && !options.isStream();
    }

    /** Makes sure that a destination exists; returns true if this call created it. */
    public boolean declare(Destination destination) throws Exception {
        String exchange = route(destination).exchange();
        boolean made = false;
        if (!exchange.isEmpty()) {
            made = declareExchange(exchange, destination.isTopic());
        }
        if (isExchange(destination)) {
            return made && options.exchange.isEmpty();
        }
        made = ifThere(() -> requests.queue(destination.name())).isEmpty();
        if (made || options.shapesQueues) {
            requests.declareQueue(destination.name(), options.durable, false, false, options.queueArguments);
        }
        if (!exchange.isEmpty()) {
            requests.bind(destination.name(), exchange, bindingKey(destination), options.bindingArguments);
        }
        return made;
    }

    private boolean declareExchange(String exchange, boolean topic) throws Exception {
        boolean made = !isThere(() -> requests.exchange(exchange));
        if (made || options.exchangeTypeGiven()) {
            requests.declareExchange(exchange, options.exchangeType(topic));
        }
        return made;
    }

    private String bindingKey(Destination destination) {
        String key = options.bindingKey;
        if (key != null) {
            return key;
        }
        Route route = route(destination);
        return isExchange(destination) && options.exchange.isEmpty() && options.exchangeType(true).equals("topic")
            ? "#" : route.routingKey();
    }

    public void delete(Destination destination) throws Exception {
        if (!isExchange(destination)) {
            isThere(() -> requests.deleteQueue(destination.name()));
        } else if (options.exchange.isEmpty()) {
            isThere(() -> requests.deleteExchange(destination.name()));
        }
    }

    /** Returns the number of messages ready in a queue; empty for an exchange, which holds none, and for a missing queue. */
    public OptionalLong depth(Destination destination) throws Exception {
        OptionalLong none = OptionalLong.empty();
        return isExchange(destination) ? none : ifThere(() -> requests.queue(destination.name())).map(OptionalLong::of).orElse(none);
    }

    /** Returns the queue that a consumer reads, after creating and binding it where necessary. */
    public String source(Destination destination, ConsumerSettings settings) throws Exception {
        String subscription = settings.subscription();
        if (settings.polling() && settings.shared() && !settings.durable()) {
            throw new DriverException(new Refusal("A shared subscription on %s would outlive its consumers, since the broker ends"
                + " it with those it pushes to; leave out %s, or add %s.", destination, Setting.POLLING, Setting.DURABLE));
        }
        declare(destination);
        if (!isExchange(destination)) {
            if (subscription != null && destination.isTopic()) {
                throw new DriverException(new Refusal("A stream has no named subscriptions; leave out %s and %s for %s or choose another"
                    + " queue-type.", Setting.DURABLE, Setting.SHARED, destination));
            }
            return destination.name();
        }
        String queue;
        if (subscription != null && settings.durable()) {
            queue = requests.declareQueue(name(destination, subscription), true, false, false, options.queueArguments);
        } else {
            if (options.isQuorum()) {
                listener.notice("queue-type=quorum does not hold for a topic's queues that end with their consumers, which are classic with"
                    + " RabbitMQ; those of durable subscriptions have it.");
            }
            queue = subscription == null ? requests.declareQueue("", false, true, true, options.transientArguments())
                : requests.declareQueue(name(destination, subscription), true, false, true, options.transientArguments());
        }
        requests.bind(queue, route(destination).exchange(), bindingKey(destination), options.bindingArguments);
        return queue;
    }

    /** Returns the name of a named subscription's queue. */
    private String name(Destination destination, String subscription) {
        return destination.name() + "." + (clientId == null ? "" : clientId + ".") + subscription;
    }

    public void unsubscribe(Destination destination, String subscription) throws Exception {
        isThere(() -> requests.deleteQueue(name(destination, subscription)));
    }

    /** Returns the arguments of a consumer. */
    public Map<String, Object> consumerArguments(Destination destination) {
        if (!options.isStream()) {
            return Map.of();
        }
        String offset = options.streamOffset;
        if (offset == null) {
            offset = destination.isTopic() ? "next" : "first";
        }
        return Map.of("x-stream-offset", Options.value(offset));
    }
}
