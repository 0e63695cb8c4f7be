package io.brokermeter.driver.stomp;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Refusal;
import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/** What the protocol leaves open and each broker decides by itself. */
enum Dialect {

    ARTEMIS("Artemis"), ACTIVEMQ("ActiveMQ Classic"), RABBITMQ("RabbitMQ"), OTHER("This broker");

    private final String title;

    Dialect(String title) {
        this.title = title;
    }

    /**
     * The broker that the header {@code server} of its CONNECTED frame names.
     *
     * @param server null for a broker that does not say, which Artemis is to clients of version 1.0 alone
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

    /** The broker with this value of the parameter {@code broker}. */
    static Dialect named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    String title() {
        return title;
    }

    /** What it has not of what the protocol can do. */
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

    /** The name of a destination on the wire; one that begins with a slash is taken as it is. */
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

    /** What says to a sending or subscribing frame whether it means a queue or a topic. */
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

    /** Whether it delivers by priority what waits in a queue that nobody made for that. */
    boolean hasPriorities() {
        return this == ARTEMIS;
    }

    /** Whether the header {@code AMQ_SCHEDULED_DELAY} keeps a message back. */
    boolean hasDelays() {
        return this == ARTEMIS;
    }

    /** Whether a negative acknowledgement, or one without a requeue, ends a message. */
    boolean rejects() {
        return this != OTHER;
    }

    /** Whether a negative acknowledgement makes it deliver a message again. */
    boolean requeues() {
        return this == RABBITMQ;
    }

    /** Whether what was delivered to a subscription and not acknowledged stays there after its end. */
    boolean keepsUnacknowledged() {
        return this == RABBITMQ;
    }

    /**
     * Whether a negative acknowledgement is taken only while the subscription lasts, and the message then comes again to the same
     * subscription. Whatever a transaction holds is done at its commit, also after the subscription's end.
     */
    boolean givesBackInTransactions() {
        return this == RABBITMQ;
    }

    /** Whether a cumulative acknowledgement covers what came earlier to the other subscriptions of the connection, too. */
    boolean acknowledgesWholeConnection() {
        return this == RABBITMQ;
    }

    /** Whether an error is only about a delivery to a subscription that has ended meanwhile, after which the connection goes on. */
    boolean survives(String error) {
        return this == RABBITMQ && error.startsWith("Subscription not found");
    }

    /** Whether acknowledgements can be part of a transaction: Artemis takes them at once, whatever the frame says. */
    boolean hasTransactedAcknowledgements() {
        return this != ARTEMIS;
    }

    boolean hasSharedSubscriptions() {
        return this == ARTEMIS || this == RABBITMQ;
    }

    /** Whether a subscription lives under the client id of its connection. */
    boolean subscriptionsBelongToClient() {
        return this != RABBITMQ;
    }

    /** Whether the header {@code expires} holds a moment; otherwise {@code expiration} holds the time to live. */
    boolean expiresAtMoment() {
        return this != RABBITMQ;
    }

    /** Whether it can be told how much to send ahead. */
    private boolean hasPrefetch() {
        return this != OTHER;
    }

    /** @throws Refusal for a number of messages sent ahead, -1 for none, that it cannot be asked for */
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
     * What limits the unacknowledged messages.
     *
     * @param prefetch the number asked for, -1 for none
     * @param windowBytes what Artemis may send ahead
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
     * What makes a subscription a named one.
     *
     * @param client the client id, or null for none
     */
    Map<String, String> subscription(String name, @Nullable String client, boolean durable) {
        return switch (this) {
            case ARTEMIS -> Map.of("durable-subscription-name", name);
            case ACTIVEMQ -> Map.of("activemq.subscriptionName", name);
            // others share what has the same name
            case RABBITMQ, OTHER -> Map.of("durable", Boolean.toString(durable), "auto-delete", Boolean.toString(!durable),
                "exclusive", "false", "x-queue-name", "stomp." + (client == null ? name : client + "." + name));
        };
    }

    /** The broker's name and version for people, from the same header. */
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
