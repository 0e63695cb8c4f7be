package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.rocketmq.library.ClientProperties;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.jspecify.annotations.Nullable;

/** The settings from URL and parameters of a connection. Immutable. */
final class RocketMqSettings {

    static final String SCHEME = "rocketmq";
    /** The parameter that replaces addresses of brokers. */
    static final String ADDRESSES = "broker-address";

    static final List<Parameter> PARAMETERS = TlsOptions.with(
        new Parameter("send", "sync|async|oneway", "async",
            "How messages are sent: waiting for each answer in the sending thread, without waiting, or without any answer."),
        new Parameter("queues", "N", "4", "Queues that a new topic gets on each broker."),
        new Parameter("queue-selection", "sticky|round-robin", "sticky",
            "sticky keeps each producer on one queue, so that its order holds; round-robin spreads its messages over all "
                + "queues, as RocketMQ's own producers do, and keeps the order of each queue only."),
        new Parameter("shared-client", "true|false", "false",
            "All producers outside transactions send through one client of RocketMQ and its connection to each broker, as the threads of "
                + "one application do; otherwise each connection has a client of its own."),
        new Parameter("tags", "TAG", "", "The tag of every message, which selectors read."),
        new Parameter("keys", "TEXT", "", "The keys of every message, by which the broker indexes it."),
        new Parameter("delay-level", "N", "0", "The delay level of every message, 1 to 18 as the broker defines them."),
        new Parameter("delay-time", "MILLISECONDS", "0", "The time that the broker holds every message back."),
        new Parameter("orderly", "true|false", "false",
            "Consumers lock their queues, so that the order of a queue holds while consumers come and go."),
        new Parameter("consume-threads", "N", "1",
            "Threads of each consumer; with more than one, only orderly consumers keep an order."),
        new Parameter("consume-batch", "N", "1", "The most messages that a consumer acknowledges together."),
        new Parameter("pull-batch", "N", "32", "The most messages that one request to a broker brings."),
        new Parameter("group", "NAME", "", "The consumer group, in place of one that is named after the destination."),
        new Parameter("reconnect", "true|false", "false",
            "Lets the client restore broken connections; otherwise one that breaks ends the run."),
        new Parameter(ADDRESSES, "ADVERTISED=REACHABLE,...", "",
            "Where brokers are reached whose address in the name server, host:port, leads nowhere from here."));

    private static final int DEFAULT_PORT = 9876;

    /** The ways to send messages. */
    enum Send { SYNC, ASYNC, ONEWAY }

    /** The URL without its parameters. */
    final String url;
    final List<ServerUrl.Server> servers;
    /** The name servers in the client's format. */
    final String nameServers;
    /** Those of them that answered when the connection was opened, in the same format: all of them before that, or if none did. */
    volatile String answering;
    /** The access key. */
    final @Nullable String user;
    /** The secret key. */
    final @Nullable Secret password;
    final @Nullable String clientId;
    /** The longest time that connecting, or one administrative step, may take. */
    final Duration timeout;
    final boolean reconnect;
    /** The addresses at which brokers are reached, by the addresses that they advertise. */
    final Map<String, String> addresses;
    final Send send;
    /** Number of queues of a new topic on each broker. */
    final int queues;
    /** Whether the messages of a producer go to all queues in turn, rather than to one queue. */
    final boolean roundRobin;
    final boolean sharedClient;
    /** The tag of every message; empty for none. */
    final String tags;
    /** The keys of every message; empty for none. */
    final String keys;
    /** The broker's delay level of every message, 0 for none. */
    final int delayLevel;
    /** The delay of every message in milliseconds, 0 for none. */
    final int delayMillis;
    /** The consumer group that replaces the driver's; empty for none. */
    final String group;
    /** Whether consumers lock their queues. */
    final boolean orderly;
    final int consumeThreads;
    /** The most messages that are acknowledged together. */
    final int consumeBatch;
    /** The most messages that one request to a broker returns. */
    final int pullBatch;
    /** The TLS of the connection; empty for plain TCP. */
    final Optional<RocketMqTls> encryption;
    /** The client's own properties. */
    final Map<String, String> client;

    private RocketMqSettings(ServerUrl address, ConnectionSettings settings, Parameters given) {
        url = address.address();
        servers = address.servers();
        nameServers = String.join(";", servers.stream().map(ServerUrl.Server::toString).toList());
        answering = nameServers;
        user = settings.user();
        password = settings.password();
        clientId = settings.clientId();
        timeout = settings.connectTimeout();
        reconnect = given.flag("reconnect");
        addresses = addresses(given.text(ADDRESSES).orElse(""));
        send = Send.valueOf(given.choice("send", "sync", "async", "oneway").toUpperCase(Locale.ROOT));
        queues = given.number("queues", 1, 1024);
        roundRobin = given.choice("queue-selection", "sticky", "round-robin").equals("round-robin");
        sharedClient = given.flag("shared-client");
        tags = given.text("tags").orElse("");
        keys = given.text("keys").orElse("");
        delayLevel = given.number("delay-level", 0, 18);
        delayMillis = given.number("delay-time", 0, Integer.MAX_VALUE);
        group = given.text("group").orElse("");
        orderly = given.flag("orderly");
        consumeThreads = given.number("consume-threads", 1, 1000);
        consumeBatch = given.number("consume-batch", 1, 1024);
        pullBatch = given.number("pull-batch", 1, 1024);
        encryption = TlsOptions.of(given, "true".equals(given.others().get("useTLS")), "set useTLS=true").map(RocketMqTls::new);
        client = given.others();
    }

    /** @throws IllegalArgumentException with one sentence for the user */
    static RocketMqSettings of(Driver driver, ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(commas(settings.url()), Set.of(SCHEME), DEFAULT_PORT);
        if (!url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "/" + url.path()
                + "' cannot be used: RocketMQ has no path behind its name servers.");
        }
        boolean own = isOwn(url.query()) && isOwn(settings.properties());
        Parameters given = Parameters.of(driver, url.query(), settings.properties(), own ? Set.of() : ClientProperties.names());
        if (!own) {
            // on objects that are discarded
            ClientProperties.apply(given.others(), new DefaultMQPushConsumer("check"));
            ClientProperties.apply(given.others(), new TransactionMQProducer("check"));
        }
        if ((settings.user() == null) != (settings.password() == null)) {
            throw new IllegalArgumentException("RocketMQ takes user and password together; one of them is missing.");
        }
        Names.checkClientId(settings.clientId());
        RocketMqSettings read = new RocketMqSettings(url, settings, given);
        if (read.delayLevel > 0 && read.delayMillis > 0) {
            throw new IllegalArgumentException("Give delay-level or delay-time, not both.");
        }
        return read;
    }

    /** Returns the URL with commas between name servers, for which RocketMQ itself uses semicolons. */
    static String commas(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url.replace(';', ',') : url.substring(0, query).replace(';', ',') + url.substring(query);
    }

    /** Returns whether all names are the driver's own, so that the client's classes need not be loaded. */
    private static boolean isOwn(Map<String, String> names) {
        return PARAMETERS.stream().map(Parameter::name).toList().containsAll(names.keySet());
    }

    private static Map<String, String> addresses(String text) {
        Map<String, String> addresses = new LinkedHashMap<>();
        List<String> pairs = new ArrayList<>(List.of(text.split("[,;]", -1)));
        pairs.removeIf(String::isEmpty);
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1 || pair.indexOf(':') < 1 || pair.lastIndexOf(':') < equals) {
                throw new IllegalArgumentException("Parameter " + ADDRESSES + " of protocol ROCKETMQ must be "
                    + "host:port=host:port, not '" + pair + "'.");
            }
            addresses.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return addresses;
    }
}
