package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Parameter;
import io.brokermeter.spi.Parameters;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * What URL and parameters say, read and checked.
 *
 * @param url the URL without what must not be shown
 * @param nameServers the name servers, in the client's form: {@code host:port;host:port}
 * @param servers the same, one by one
 * @param user access key, or null
 * @param password secret key, or null
 * @param clientId the client id, or null
 * @param timeout the longest that connecting, or one administrative step, may take
 * @param reconnect whether a broken connection is left to the client to restore
 * @param addresses brokers' advertised addresses to the ones they are reached at
 * @param send how messages are sent
 * @param queues queues of a new topic on each broker
 * @param roundRobin whether each message of a producer goes to the next queue, and not all to one
 * @param sharedClient whether producers of several connections send through one client
 * @param tags the tag of every message, or empty
 * @param keys the keys of every message, or empty
 * @param delayLevel the broker's delay level of every message, 0 for none
 * @param delayMillis the delay of every message, 0 for none
 * @param group the consumer group in place of the driver's, or empty
 * @param orderly whether consumers lock their queues
 * @param consumeThreads threads of each consumer
 * @param consumeBatch the most messages that are acknowledged together
 * @param pullBatch the most messages that one request to a broker brings
 * @param encryption how to speak TLS; empty for plain TCP
 * @param client the client's own properties
 */
record RocketMqSettings(
        String url, String nameServers, List<ServerUrl.Server> servers, @Nullable String user, @Nullable Secret password,
        @Nullable String clientId, Duration timeout, boolean reconnect, Map<String, String> addresses, Send send, int queues,
        boolean roundRobin, boolean sharedClient, String tags, String keys, int delayLevel, int delayMillis, String group, boolean orderly,
        int consumeThreads, int consumeBatch, int pullBatch, Optional<Encryption> encryption, Map<String, String> client) {

    static final String SCHEME = "rocketmq";

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
        new Parameter("broker-address", "ADVERTISED=REACHABLE,...", "",
            "Where brokers are reached whose address in the name server, host:port, leads nowhere from here."));

    private static final int DEFAULT_PORT = 9876;

    /** How messages are sent. */
    enum Send { SYNC, ASYNC, ONEWAY }

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
            new Clients(given.others()).check();
        }
        if ((settings.user() == null) != (settings.password() == null)) {
            throw new IllegalArgumentException("RocketMQ takes user and password together; one of them is missing.");
        }
        Optional<Encryption> encryption = TlsOptions.of(given, "true".equals(given.others().get("useTLS")), "set useTLS=true")
            .map(Encryption::new);
        Names.checkClientId(settings.clientId());
        int delayLevel = given.number("delay-level", 0, 18);
        int delayMillis = given.number("delay-time", 0, Integer.MAX_VALUE);
        if (delayLevel > 0 && delayMillis > 0) {
            throw new IllegalArgumentException("Give delay-level or delay-time, not both.");
        }
        return new RocketMqSettings(url.address(),
            String.join(";", url.servers().stream().map(ServerUrl.Server::toString).toList()), url.servers(), settings.user(),
            settings.password(), settings.clientId(), settings.connectTimeout(), given.flag("reconnect"),
            addresses(given.text("broker-address").orElse("")),
            switch (given.choice("send", "sync", "async", "oneway")) {
                case "sync" -> Send.SYNC;
                case "async" -> Send.ASYNC;
                default -> Send.ONEWAY;
            },
            given.number("queues", 1, 1024), given.choice("queue-selection", "sticky", "round-robin").equals("round-robin"),
            given.flag("shared-client"), given.text("tags").orElse(""), given.text("keys").orElse(""), delayLevel, delayMillis,
            given.text("group").orElse(""), given.flag("orderly"), given.number("consume-threads", 1, 1000),
            given.number("consume-batch", 1, 1024), given.number("pull-batch", 1, 1024), encryption, given.others());
    }

    /** RocketMQ itself writes semicolons between name servers. */
    private static String commas(String url) {
        int query = url.indexOf('?');
        return query < 0 ? url.replace(';', ',') : url.substring(0, query).replace(';', ',') + url.substring(query);
    }

    /** Whether the client's classes need not be loaded to know the names. */
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
                throw new IllegalArgumentException("Parameter broker-address of protocol ROCKETMQ must be "
                    + "host:port=host:port, not '" + pair + "'.");
            }
            addresses.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return addresses;
    }

    /** What the client's own properties say is tried on objects that are thrown away. */
    private record Clients(Map<String, String> properties) {

        void check() {
            ClientLibrary.prepare();
            ClientProperties.apply(properties, new org.apache.rocketmq.client.consumer.DefaultMQPushConsumer("check"));
            ClientProperties.apply(properties, new org.apache.rocketmq.client.producer.TransactionMQProducer("check"));
        }
    }
}
