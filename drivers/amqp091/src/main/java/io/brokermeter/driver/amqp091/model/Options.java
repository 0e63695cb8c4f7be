package io.brokermeter.driver.amqp091.model;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

import com.rabbitmq.client.impl.ClientVersion;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.Transport;
import org.jspecify.annotations.Nullable;

/** The URL and the parameters of one connection, read and checked. Immutable. */
public final class Options {

    /** Name and version of RabbitMQ's Java client. */
    public static final String CLIENT_LIBRARY = "amqp-client " + ClientVersion.VERSION;

    private static final String MECHANISM = "sasl.mechanism";

    /** The driver's own parameters. */
    public static final List<Parameter> PARAMETERS = TlsOptions.with(
        Transport.parameter("Whether connections go over brokermeter's own path, where it has what is asked for, or over RabbitMQ's Java"
            + " client, which automatic-recovery and the client's own settings take."),
        new Parameter(MECHANISM, "PLAIN|EXTERNAL", "PLAIN",
            "How a connection logs in: by user name and password, or by the certificate in key-store, without either."),
        new Parameter("confirms", "true|false", "true",
            "Lets the broker confirm each message; without it a message counts as confirmed when it is written."),
        new Parameter("auto-ack", "true|false", "false",
            "Receives without acknowledging: a message is the consumer's as soon as the broker has sent it."),
        new Parameter("mandatory", "true|false", "false",
            "Asks for messages back that no queue takes; each of them counts as a failed send."),
        new Parameter("exchange", "NAME", "",
            "Publishes to this exchange, which is created when it is not there; topic://KEY then is a routing key."),
        new Parameter("exchange-type", "fanout|direct|topic|headers|...", "",
            "The type of an exchange; by default fanout for topic://, and with exchange=NAME topic for topic:// and direct for"
                + " queue://."),
        new Parameter("routing-key", "KEY", "", "The routing key of every message; by default the name of the queue."),
        new Parameter("binding-key", "KEY", "", "The key that binds a queue to its exchange; by default the routing key."),
        new Parameter("binding-arg.NAME", "VALUE", "", "An argument of that binding, as exchanges of type headers read it."),
        new Parameter("queue-type", "classic|quorum|stream", "", "The type of queues (RabbitMQ); by default the broker's own."),
        new Parameter("durable", "true|false", "true", "Whether a queue that is created survives a restart of the broker."),
        new Parameter("max-length", "N", "", "The most messages that a queue keeps (x-max-length)."),
        new Parameter("max-length-bytes", "N", "", "The most bytes of messages that a queue keeps (x-max-length-bytes)."),
        new Parameter("overflow", "drop-head|reject-publish|...", "",
            "What a full queue does (x-overflow); a message that it rejects counts as a failed send."),
        new Parameter("message-ttl", "MS", "", "How long a queue keeps a message, in milliseconds (x-message-ttl)."),
        new Parameter("lazy", "true|false", "false", "Keeps the messages of a classic queue on disk (x-queue-mode=lazy)."),
        new Parameter("max-priority", "N", "", "Makes a queue sort by priorities up to this one (x-max-priority)."),
        new Parameter("arg.NAME", "VALUE", "", "Any other argument of a queue, for example arg.x-dead-letter-exchange=dlx."),
        new Parameter("priority", "N", "", "The priority of every message, 0 to 255."),
        new Parameter("stream-offset", "first|last|next|N|INTERVAL", "",
            "Where a consumer begins in a stream; by default first for queue:// and next for topic://."),
        new Parameter("heartbeat", "SECONDS", "20", "After twice this time without a sign of life a connection is given up; 0"
            + " for never."),
        new Parameter("frame-max", "BYTES", "131072", "The largest frame."),
        new Parameter("channel-max", "N", "2047", "The most producers and consumers of one connection."),
        new Parameter("connection-name", "NAME", "brokermeter",
            "The name of a connection in the broker's lists; a client id changes it unless it is given."),
        new Parameter("automatic-recovery", "true|false", "false",
            "Connects again by itself after a broken connection, with everything on it; takes RabbitMQ's Java client."),
        new Parameter("recovery-interval", "MS", "1000", "The wait between two attempts to connect again."));

    /** The names of the settings that the client library itself reads, except those that begin with {@link #CLIENT_PREFIX}. */
    private static final Set<String> CLIENT = Set.of(
        "connection.timeout", "handshake.timeout", "shutdown.timeout", "topology.recovery.enabled", "channel.rpc.timeout",
        "channel.should.check.rpc.response.type", "use.nio", "nio.read.byte.buffer.size", "nio.write.byte.buffer.size",
        "nio.nb.io.threads", "nio.write.enqueuing.timeout.in.ms", "nio.write.queue.capacity");

    private static final String VALIDATE = "ssl.validate.server.certificate";

    /** Our names of the TLS parameters, by the client library's names. */
    private static final Map<String, String> TLS_NAMES = Map.of("ssl.trust.store", "trust-store", "ssl.trust.store.password",
        "trust-store-password", "ssl.key.store", "key-store", "ssl.key.store.password", "key-store-password",
        "ssl.verify.hostname", "verify-host", VALIDATE, "trust-all");
    private static final String CLIENT_PREFIX = "client.properties.";
    private static final String ARGUMENT = "arg.";
    private static final String BINDING_ARGUMENT = "binding-arg.";
    /** The queue argument for the type of a queue. */
    private static final String TYPE = "x-queue-type";
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
    private static final int LONGEST_NAME = 255;
    /** The longest login in bytes: with everything else in it, the frame of the login must stay small. */
    private static final int LONGEST_LOGIN = 2048;
    private static final int PORT = 5672;
    private static final int TLS_PORT = 5671;

    /**
     * What both sides agree on when a connection is opened, as the user wants it.
     *
     * @param heartbeatSeconds the interval of heart-beats, 0 for none
     * @param frameMax the size of the largest frame in bytes
     * @param channelMax the most channels
     */
    public record Limits(int heartbeatSeconds, int frameMax, int channelMax) {}

    private final ServerUrl url;
    /** The TLS settings; empty without TLS. */
    public final Optional<TlsOptions> tls;
    /** Whether the certificate of this side is the login, by the mechanism EXTERNAL; otherwise it is by PLAIN. */
    public final boolean external;
    private final Transport transport;
    /** The parameter that requires RabbitMQ's Java client; empty if none does. */
    private final String obstacle;
    public final boolean confirms;
    public final boolean autoAck;
    public final boolean mandatory;
    /** The exchange to publish to; empty if the user named none. */
    public final String exchange;
    private final @Nullable String exchangeType;
    public final @Nullable String routingKey;
    public final @Nullable String bindingKey;
    public final Map<String, Object> bindingArguments;
    private final @Nullable String queueType;
    public final boolean durable;
    /** Whether the user set any property of queues. */
    public final boolean shapesQueues;
    public final Map<String, Object> queueArguments;
    /** The priority of messages, 0 to 255, or -1 for none. */
    public final int priority;
    public final @Nullable String streamOffset;
    public final Limits limits;
    public final String connectionName;
    /** Whether a broken connection is restored automatically. */
    public final boolean recovers;
    public final int recoveryMillis;
    /** The settings that the client library itself reads. */
    public final Map<String, String> clientSettings;

    /**
     * Reads the settings of a connection.
     *
     * @throws IllegalArgumentException with one sentence for the user that names what is wrong
     */
    public Options(Driver driver, ConnectionSettings settings) {
        Set<String> schemes = new LinkedHashSet<>(driver.schemes());
        schemes.add("amqp");
        schemes.add("amqps");
        boolean secure = settings.url().strip().matches("(?i)[a-z0-9]+s://.*");
        url = ServerUrl.parse(settings.url(), schemes, secure ? TLS_PORT : PORT);

        Set<String> others = new LinkedHashSet<>(CLIENT);
        for (Map<String, String> given : List.of(url.query(), settings.properties())) {
            for (String name : given.keySet()) {
                if (isNamed(name, ARGUMENT) || isNamed(name, BINDING_ARGUMENT) || isNamed(name, CLIENT_PREFIX)) {
                    others.add(name);
                }
            }
        }
        Parameters given = Parameters.of(driver, renamed(url.query()), renamed(settings.properties()), others);
        external = given.choice(MECHANISM, "PLAIN", "EXTERNAL").equals("EXTERNAL");
        if (external) {
            refuse(!isTls() || !given.has("key-store"), MECHANISM + "=EXTERNAL logs in by a certificate, and needs a URL that begins with"
                + " amqp091s:// and key-store");
            refuse(settings.user() != null || settings.password() != null, MECHANISM
                + "=EXTERNAL logs in by a certificate, in which the broker finds the user name; leave out user name and password");
        }
        tls = TlsOptions.of(given, isTls(), "begin the URL with amqp091s:// or amqps://");
        Map<String, Object> arguments = new LinkedHashMap<>();
        Map<String, Object> binding = new LinkedHashMap<>();
        Map<String, String> library = new LinkedHashMap<>();
        given.others().forEach((name, value) -> {
            if (name.startsWith(ARGUMENT)) {
                arguments.put(name.substring(ARGUMENT.length()), value(value));
            } else if (name.startsWith(BINDING_ARGUMENT)) {
                binding.put(name.substring(BINDING_ARGUMENT.length()), value(value));
            } else {
                library.put(name, value);
            }
        });
        bindingArguments = Collections.unmodifiableMap(binding);
        clientSettings = Collections.unmodifiableMap(library);

        confirms = given.flag("confirms");
        autoAck = given.flag("auto-ack");
        mandatory = given.flag("mandatory");
        exchange = given.text("exchange").orElse("");
        exchangeType = given.text("exchange-type").orElse(null);
        routingKey = given.has("routing-key") ? given.text("routing-key").orElse("") : null;
        bindingKey = given.has("binding-key") ? given.text("binding-key").orElse("") : null;
        queueType = given.has("queue-type") ? given.choice("queue-type", "classic", "quorum", "stream") : null;
        durable = given.flag("durable");
        if (queueType != null) {
            arguments.put(TYPE, queueType);
        }
        number(given, "max-length", "x-max-length", arguments);
        number(given, "max-length-bytes", "x-max-length-bytes", arguments);
        number(given, "message-ttl", "x-message-ttl", arguments);
        if (given.has("max-priority")) {
            arguments.put("x-max-priority", (long) given.number("max-priority", 0, 255));
        }
        given.text("overflow").ifPresent(overflow -> arguments.put("x-overflow", overflow));
        if (given.flag("lazy")) {
            arguments.put("x-queue-mode", "lazy");
        }
        queueArguments = Collections.unmodifiableMap(arguments);
        shapesQueues = given.has("durable") || !arguments.isEmpty();
        priority = given.has("priority") ? given.number("priority", 0, 255) : -1;
        streamOffset = given.text("stream-offset").orElse(null);
        limits = new Limits(given.number("heartbeat", 0, 65_535), given.number("frame-max", 4096, 64 * 1024 * 1024),
            given.number("channel-max", 1, 65_535));
        String id = settings.clientId();
        connectionName = given.has("connection-name") || id == null ? given.text("connection-name").orElse("brokermeter") : id;
        recovers = given.flag("automatic-recovery");
        recoveryMillis = given.number("recovery-interval", 1, Integer.MAX_VALUE);

        transport = Transport.of(given);
        obstacle = recovers ? "automatic-recovery" : clientSettings.isEmpty() ? "" : clientSettings.keySet().iterator().next();
        transport.check("AMQP 0-9-1", obstacle);
        refuseContradictions(given);
        refuseWhatCannotBeSaid(settings);
    }

    /** Rejects values with lengths or characters that the protocol's handshake cannot carry. */
    private void refuseWhatCannotBeSaid(ConnectionSettings settings) {
        String user = settings.user() == null ? "" : settings.user();
        var secret = settings.password();
        String password = secret == null ? "" : secret.reveal();
        refuse(user.indexOf(0) >= 0 || password.indexOf(0) >= 0,
            "AMQP 0-9-1 cannot carry a user name or a password with a null character");
        refuse(bytes(user) + bytes(password) > LONGEST_LOGIN,
            "AMQP 0-9-1 cannot carry a user name and a password of together more than " + LONGEST_LOGIN + " bytes");
        String id = settings.clientId() == null ? "" : settings.clientId();
        refuse(bytes(id) > LONGEST_NAME, "AMQP 0-9-1 allows names of " + LONGEST_NAME
            + " bytes, and the client id is a part of the names of queues; this one has " + bytes(id));
        refuse(id.indexOf(0) >= 0, "AMQP 0-9-1 cannot carry a client id with a null character");
        refuse(bytes(virtualHost()) > LONGEST_NAME, "AMQP 0-9-1 allows names of " + LONGEST_NAME
            + " bytes; that of the virtual host has " + bytes(virtualHost()));
        refuse(bytes(connectionName) > LONGEST_LOGIN, "connection-name must not have more than " + LONGEST_LOGIN + " bytes");
        refuseLong("exchange", exchange);
        refuseLong("exchange-type", exchangeType);
        refuseLong("routing-key", routingKey);
        refuseLong("binding-key", bindingKey);
    }

    private static void refuseLong(String name, @Nullable String value) {
        refuse(value != null && bytes(value) > LONGEST_NAME,
            "AMQP 0-9-1 allows names of " + LONGEST_NAME + " bytes; the parameter " + name + " has more");
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static Map<String, String> renamed(Map<String, String> given) {
        Map<String, String> renamed = new LinkedHashMap<>();
        given.forEach((name, value) -> {
            String shared = TLS_NAMES.getOrDefault(name, name);
            String said = !name.equals(VALIDATE) ? value : value.equals("false") ? "true" : value.equals("true") ? "false" : value;
            if (renamed.put(shared, said) != null) {
                throw new IllegalArgumentException("Parameters " + name + " and " + shared + " say the same; give one of them.");
            }
        });
        return renamed;
    }

    private static boolean isNamed(String name, String prefix) {
        return name.startsWith(prefix) && name.length() > prefix.length() && !name.equals(prefix + "NAME");
    }

    private static void number(Parameters given, String name, String argument, Map<String, Object> arguments) {
        if (given.has(name)) {
            arguments.put(argument, given.longNumber(name, 0));
        }
    }

    /** Returns whether brokermeter's own path is used, and not RabbitMQ's Java client. */
    public boolean isOwn() {
        return transport.isOwn(obstacle);
    }

    /** Returns {@link #isOwn}; the listener is told why it is not, unless the user asked for the client. */
    public boolean isOwn(ConnectionListener listener) {
        return transport.isOwn("AMQP 0-9-1 goes", CLIENT_LIBRARY, obstacle, listener);
    }

    private void refuseContradictions(Parameters given) {
        refuse(mandatory && !confirms, "mandatory=true needs confirms=true: only a confirmed send can still fail");
        refuse(!confirms && "true".equals(clientSettings.get("use.nio")),
            "confirms=false cannot be used with use.nio=true, which leaves nobody to say when a message is written");
        refuse(isStream() && autoAck, "A stream is not read with auto-ack=true: acknowledgements are what asks for more");
        refuse(!durable && queueType != null && !queueType.equals("classic"),
            "durable=false needs a classic queue, not queue-type=" + queueType);
        refuse(streamOffset != null && !isStream(), "stream-offset needs queue-type=stream");
        refuse(given.has("recovery-interval") && !recovers, "recovery-interval needs automatic-recovery=true");
        refuse(exchange.isEmpty() && given.has("exchange"), "exchange needs a name");
        refuse(!isOwn() && given.has(TlsOptions.SERVER_NAME), TlsOptions.SERVER_NAME + " cannot be used with RabbitMQ's Java client ("
            + (obstacle.isEmpty() ? "transport=client" : obstacle) + "), which looks for the host of the URL in the certificate");
    }

    /**
     * Checks that no parameter of an exchange or binding is given for a destination without a binding.
     *
     * @throws IllegalArgumentException with one sentence for the user that names such a parameter
     */
    public void check(Destination destination) {
        boolean isBound = !exchange.isEmpty() || destination.isTopic() && !isStream();
        String unused = bindingKey != null ? "binding-key" : exchangeType != null ? "exchange-type"
            : bindingArguments.isEmpty() ? "" : BINDING_ARGUMENT + bindingArguments.keySet().iterator().next();
        refuse(!isBound && !unused.isEmpty(), unused + " needs exchange for " + destination + ", which is bound to none without it");
    }

    /**
     * Checks the settings for a consumer: {@link #check(Destination)}, and that each message of a stream is delivered to the run once.
     *
     * @throws IllegalArgumentException with one sentence for the user
     */
    public void check(Destination destination, ConsumerSettings consumer) {
        check(destination);
        if (!isStream()) {
            return;
        }
        if (consumer.competing()) {
            throw new Refusal(
                "Each consumer of the stream %s reads all of it, so its messages would come several times; let one consumer read it (%s), or name it as a topic, which each may read.",
                destination, Setting.CONSUMERS);
        }
        if (consumer.resumes()) {
            throw new Refusal(
                "A consumer of the stream %s that is opened again begins at stream-offset, not where it was, so no run can restore its connection (%s).",
                destination, Setting.RECONNECT);
        }
        refuse(recovers, "A consumer of a stream that is opened again begins at stream-offset, not where it was; leave out"
            + " automatic-recovery for " + destination);
    }

    private static void refuse(boolean contradiction, String sentence) {
        if (contradiction) {
            throw new IllegalArgumentException(sentence + ".");
        }
    }

    /** Converts a value to the protocol type that it looks like: an integer, a boolean, or a text. */
    static Object value(String text) {
        if (INTEGER.matcher(text).matches()) {
            return Long.parseLong(text);
        }
        return text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : text;
    }

    /** Returns those of the protocol's capabilities that are available with these settings. */
    public Set<Capability> capabilities(Set<Capability> all) {
        EnumSet<Capability> left = EnumSet.copyOf(all);
        if (!confirms) {
            left.remove(Capability.CONFIRMATIONS);
        }
        if (autoAck) {
            left.removeAll(Set.of(
                Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE, Capability.PREFETCH, Capability.REQUEUE,
                Capability.REJECT));
        }
        if (isStream()) {
            left.removeAll(Set.of(Capability.DURABLE_SUBSCRIPTIONS, Capability.SHARED_SUBSCRIPTIONS,
                Capability.TRANSACTED_RECEIVE, Capability.TRANSACTED_SEND, Capability.ROLLBACK, Capability.TIME_TO_LIVE,
                Capability.REQUEUE, Capability.REJECT, Capability.POLLING));
        }
        if (!queueArguments.containsKey("x-max-priority")) {
            // any other queue accepts a priority silently, and delivers as if there were none
            left.remove(Capability.PRIORITY);
        }
        return left;
    }

    /** Returns the servers, in the order in which they are tried. */
    public List<ServerUrl.Server> servers() {
        return url.servers();
    }

    /** Returns scheme and servers, for error messages. */
    public String address() {
        return url.address();
    }

    /** Returns the URL without its parameters. */
    public String shown() {
        return url.address() + (url.path().isEmpty() ? "" : "/" + url.path());
    }

    public boolean isTls() {
        return url.scheme().endsWith("s");
    }

    public String virtualHost() {
        return url.path().isEmpty() ? "/" : url.path();
    }

    public boolean exchangeTypeGiven() {
        return exchangeType != null;
    }

    /** Returns the type of an exchange that is created for a queue or a topic. */
    public String exchangeType(boolean topic) {
        if (exchangeType != null) {
            return exchangeType;
        }
        return exchange.isEmpty() ? "fanout" : topic ? "topic" : "direct";
    }

    public boolean isStream() {
        return "stream".equals(queueType);
    }

    /** Returns whether queues are quorum queues, which cannot end with their consumers. */
    boolean isQuorum() {
        return "quorum".equals(queueArguments.get(TYPE));
    }

    /** Returns the arguments of queues that end with their consumers: without the type, since queues of some types cannot. */
    public Map<String, Object> transientArguments() {
        Map<String, Object> arguments = new HashMap<>(queueArguments);
        arguments.remove(TYPE);
        return arguments;
    }
}
