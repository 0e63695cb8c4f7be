package io.brokermeter.driver.stomp;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** The brokers, with their behaviour where the protocol leaves it open. */
enum Dialect {

    ARTEMIS("Artemis"), ACTIVEMQ("ActiveMQ Classic"), RABBITMQ("RabbitMQ"), OTHER("This broker");

    private final String title;

    Dialect(String title) {
        this.title = title;
    }

    /**
     * Returns the broker that the header {@code server} of its CONNECTED frame names.
     *
     * @param server null if the broker sends none, as Artemis to clients of version 1.0 only
     */
    static Dialect of(@Nullable String server, StompVersion version) {
        if (server == null) {
            return version == StompVersion.V1_0 ? ARTEMIS : OTHER;
        }
        if (server.startsWith("ActiveMQ-Artemis")) {
            return ARTEMIS;
        }
        if (server.startsWith("ActiveMQ")) {
            return ACTIVEMQ;
        }
        return server.startsWith("RabbitMQ") ? RABBITMQ : OTHER;
    }

    /** Returns the broker with this value of the parameter {@code broker}. */
    static Dialect named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    String title() {
        return title;
    }

    /** Returns the protocol's capabilities that this broker lacks. */
    Set<Capability> lacks() {
        Set<Capability> lacks = EnumSet.noneOf(Capability.class);
        lack(lacks, hasSharedSubscriptions(), Capability.SHARED_SUBSCRIPTIONS);
        lack(lacks, hasTransactedAcknowledgements(), Capability.TRANSACTED_RECEIVE);
        lack(lacks, hasSelectors(), Capability.SELECTORS);
        lack(lacks, hasPriorities(), Capability.PRIORITY);
        lack(lacks, hasDelays(), Capability.DELAYED_DELIVERY);
        lack(lacks, requeues(), Capability.REQUEUE);
        lack(lacks, rejects(), Capability.REJECT);
        lack(lacks, hasGroups(), Capability.MESSAGE_GROUPS);
        lack(lacks, hasPrefetch(), Capability.PREFETCH);
        return lacks;
    }

    private static void lack(Set<Capability> lacks, boolean has, Capability capability) {
        if (!has) {
            lacks.add(capability);
        }
    }

    /** Returns the name of a destination on the wire. Names that begin with a slash are left unchanged. */
    String address(Destination destination, @Nullable String prefix) {
        String name = destination.name();
        if (prefix != null) {
            return prefix + name;
        }
        if (this == ARTEMIS || name.startsWith("/")) {
            return name;
        }
        String encoded = this == RABBITMQ ? name.replace("%", "%25").replace("/", "%2F") : name;
        return (destination.isTopic() ? "/topic/" : "/queue/") + encoded;
    }

    /** Returns the headers by which a SEND or SUBSCRIBE frame states whether its destination is a queue or a topic. */
    Map<String, String> routing(Destination destination, boolean subscribe) {
        return this != ARTEMIS ? Map.of()
            : Map.of(subscribe ? "subscription-type" : "destination-type", destination.isTopic() ? "MULTICAST" : "ANYCAST");
    }

    boolean hasSelectors() {
        return this != RABBITMQ;
    }

    boolean hasGroups() {
        return this != RABBITMQ;
    }

    /** Returns whether the broker delivers by priority from queues that were not created for that. */
    boolean hasPriorities() {
        return this == ARTEMIS;
    }

    /** Returns whether the header {@code AMQ_SCHEDULED_DELAY} delays a message. */
    boolean hasDelays() {
        return this == ARTEMIS;
    }

    /** Returns whether a NACK, with {@code requeue:false} where the broker requeues, rejects a message for good. */
    boolean rejects() {
        return this != OTHER;
    }

    /** Returns whether a NACK makes the broker deliver a message again. */
    boolean requeues() {
        return this == RABBITMQ;
    }

    /** Returns whether messages that were delivered to a subscription and not acknowledged remain there after its end. */
    boolean keepsUnacknowledged() {
        return this == RABBITMQ;
    }

    /**
     * Returns whether messages must be given back in a transaction: the broker accepts a NACK only while the subscription exists, and then
     * delivers the message to the same subscription again, but the frames of a transaction take effect at its commit, even after the end of
     * the subscription.
     */
    boolean givesBackInTransactions() {
        return this == RABBITMQ;
    }

    /** Returns whether a cumulative acknowledgement includes earlier messages of the connection's other subscriptions. */
    boolean acknowledgesWholeConnection() {
        return this == RABBITMQ;
    }

    /** Returns whether the connection survives an error, since that concerns only a delivery to a subscription that has ended meanwhile. */
    boolean survives(String error) {
        return this == RABBITMQ && error.startsWith("Subscription not found");
    }

    /** Returns whether acknowledgements can be part of a transaction. Artemis applies them at once, whatever the frame says. */
    boolean hasTransactedAcknowledgements() {
        return this != ARTEMIS;
    }

    boolean hasSharedSubscriptions() {
        return this == ARTEMIS || this == RABBITMQ;
    }

    /** Returns whether a subscription belongs to the client id of its connection. */
    boolean subscriptionsBelongToClient() {
        return this != RABBITMQ;
    }

    /** Returns whether the header {@code expires} holds the time of expiry; otherwise {@code expiration} holds the time to live. */
    boolean expiresAtMoment() {
        return this != RABBITMQ;
    }

    /** Returns whether the client can limit the prefetch. */
    private boolean hasPrefetch() {
        return this != OTHER;
    }

    /** @throws Refusal if the broker cannot be asked for this prefetch, in messages; -1 means that none is set */
    void checkPrefetch(int prefetch) {
        if (prefetch > 1 && this == ARTEMIS) {
            throw new Refusal("Artemis limits what it sends ahead over STOMP in bytes; give the parameter consumer-window-size instead of"
                + " %s %d.", Setting.PREFETCH, prefetch);
        }
        if (prefetch >= 0 && !hasPrefetch()) {
            throw new Refusal("%s may send ahead what it likes over STOMP, which has no word for a limit; leave out %s, or say with the"
                + " parameter broker which one it is.", title, Setting.PREFETCH);
        }
    }

    /**
     * Returns the headers that limit the unacknowledged messages.
     *
     * @param prefetch the prefetch that the user set, in messages; -1 for none
     * @param defaultPrefetch the prefetch in messages if the user set none
     * @param windowBytes the window of Artemis in bytes, if the user set no prefetch
     */
    Map<String, String> prefetch(int prefetch, int defaultPrefetch, int windowBytes) {
        String count = Integer.toString(prefetch < 0 ? defaultPrefetch : Math.max(1, prefetch));
        return switch (this) {
            // a window of one byte lets one message through at a time
            case ARTEMIS -> Map.of("consumer-window-size", Integer.toString(prefetch < 0 ? windowBytes : 1));
            case ACTIVEMQ -> Map.of("activemq.prefetchSize", count);
            case RABBITMQ -> Map.of("prefetch-count", count);
            case OTHER -> Map.of();
        };
    }

    /**
     * Returns the headers that name a subscription.
     *
     * @param client the client id, or null for none
     */
    Map<String, String> subscription(String name, @Nullable String client, boolean durable) {
        return switch (this) {
            case ARTEMIS -> Map.of("durable-subscription-name", name);
            case ACTIVEMQ -> Map.of("activemq.subscriptionName", name);
            // consumers share what has the same name
            case RABBITMQ, OTHER -> Map.of("durable", Boolean.toString(durable), "auto-delete", Boolean.toString(!durable),
                "exclusive", "false", "x-queue-name", "stomp." + (client == null ? name : client + "." + name));
        };
    }

    /** Returns the broker's name and version, for display, from the header {@code server}. */
    static String product(@Nullable String server) {
        if (server == null) {
            return "";
        }
        String first = server.strip().split("\\s", 2)[0];
        int slash = first.indexOf('/');
        String name = slash < 0 ? first : first.substring(0, slash);
        return name.replace("ActiveMQ-Artemis", "ActiveMQ Artemis") + (slash < 0 ? "" : " " + first.substring(slash + 1));
    }
}
