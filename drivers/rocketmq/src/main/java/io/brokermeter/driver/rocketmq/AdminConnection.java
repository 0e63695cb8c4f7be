package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.driver.rocketmq.route.Route;
import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.common.topic.TopicValidator;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.route.TopicRouteData;
import org.jspecify.annotations.Nullable;

/**
 * A connection for everything except messages: topics, groups, offsets. The client's producers and consumers do not report that a
 * connection broke; this one does, and whatever breaks it breaks theirs as well.
 *
 * <p>Methods may be called by several threads; each ends within the connect timeout.
 */
final class AdminConnection implements AutoCloseable {

    private static final long PAUSE_MILLIS = 10;
    private static final Duration USUAL_IDLE_LIMIT = Duration.ofMinutes(2);
    /** The longest time that a broker that has just started may be unable to report its version, in nanoseconds. */
    private static final long FIRST_STATISTICS = TimeUnit.SECONDS.toNanos(3);

    private final RocketMqSettings settings;
    private final MQClientAPIImpl api;
    private final TopicBrokers brokers;
    private final Set<String> absent;
    private final GroupOffsets groups;
    private final Map<String, String> masters = new LinkedHashMap<>();
    private String broker = "";

    private AdminConnection(RocketMqSettings settings, MQClientAPIImpl api, TopicBrokers brokers, Set<String> absent) {
        this.settings = settings;
        this.api = api;
        this.brokers = brokers;
        this.absent = absent;
        this.groups = new GroupOffsets(this, api);
    }

    /**
     * @param brokers brokers on which earlier connections found the topics
     * @param absent addresses of the masters that are not available at present; groups and topics on them are left as they are
     * @param closed called with the broker's address when a connection closes, by any thread
     */
    static AdminConnection open(RocketMqSettings settings, TopicBrokers brokers, Set<String> absent,
            java.util.function.Consumer<String> closed) throws Exception {
        long deadline = System.nanoTime() + settings.timeout.toNanos();
        AdminConnection admin = new AdminConnection(settings, AdminClient.start(settings, closed, deadline), brokers, absent);
        admin.opening(() -> admin.discover(deadline), deadline);
        return admin;
    }

    /** Asks the name servers for the addresses of all brokers, masters and slaves. Blocks at most for the connect timeout. */
    static Set<String> addresses(RocketMqSettings settings) throws Exception {
        long deadline = System.nanoTime() + settings.timeout.toNanos();
        Set<String> addresses = new TreeSet<>();
        AdminConnection admin = new AdminConnection(settings, AdminClient.start(settings, null, deadline), new TopicBrokers(), Set.of());
        admin.opening(() -> admin.cluster(deadline).values().forEach(data -> addresses.addAll(data.getBrokerAddrs().values())),
            deadline);
        admin.close();
        return addresses;
    }

    private interface Step {

        void take() throws Exception;
    }

    /** Performs the first step, and closes the connection if that fails. */
    private void opening(Step first, long deadline) throws Exception {
        boolean opened = false;
        try {
            first.take();
            opened = true;
        } catch (DriverException e) {
            // the client only logs why a handshake failed
            throw refusal(deadline).map(sentence -> new DriverException(sentence, e)).orElse(e);
        } finally {
            if (!opened) {
                close();
            }
        }
    }

    private Optional<String> refusal(long deadline) {
        if (settings.encryption.isEmpty()) {
            return Optional.empty();
        }
        Stream<ServerUrl.Server> servers = Stream.concat(settings.servers.stream(),
            masters.values().stream().flatMap(address -> server(address).stream()));
        return settings.encryption.get().refusal(servers.toList(), Duration.ofMillis(left(deadline)));
    }

    /** Returns the host, without brackets, and the port of an address; empty if it has another form. */
    static Optional<ServerUrl.Server> server(String address) {
        int colon = address.lastIndexOf(':');
        try {
            return Optional.of(new ServerUrl.Server(address.substring(0, colon).replaceAll("[\\[\\]]", ""),
                Integer.parseInt(address.substring(colon + 1))));
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Returns all brokers, by name. */
    private Map<String, BrokerData> cluster(long deadline) throws Exception {
        Map<String, BrokerData> brokers;
        try {
            brokers = Objects.requireNonNull(api.getBrokerClusterInfo(left(deadline)).getBrokerAddrTable());
        } catch (RemotingTimeoutException e) {
            throw new DriverException("The name server at " + settings.url + " did not answer within "
                + settings.timeout.toMillis() + " ms; is that the address of a RocketMQ name server?", e);
        } catch (RemotingException | MQBrokerException | RuntimeException e) {
            throw new DriverException("What listens at " + settings.url + " is no RocketMQ name server, or the connection to "
                + "it broke.", e);
        }
        if (brokers.isEmpty()) {
            throw knowsNone();
        }
        return brokers;
    }

    private DriverException knowsNone() {
        return new DriverException("The name server at " + settings.url + " knows no broker.", null);
    }

    private void discover(long deadline) throws Exception {
        cluster(deadline).forEach((name, data) -> {
            String address = data.getBrokerAddrs().get(MixAll.MASTER_ID);
            if (address != null) {
                masters.put(name, address);
            }
        });
        if (masters.isEmpty()) {
            throw knowsNone();
        }
        for (String address : masters.values()) {
            try {
                String version = version(address, deadline);
                if (version != null) {
                    broker = "Apache RocketMQ " + version.replaceFirst("^V", "").replace('_', '.').toLowerCase(Locale.ROOT);
                }
            } catch (RemotingTimeoutException e) {
                throw new DriverException("The broker at " + address + " did not answer within " + settings.timeout.toMillis()
                    + " ms.", e);
            } catch (RemotingException e) {
                throw new DriverException("The broker at " + address + ", which " + settings.url + " names, cannot be reached; "
                    + "the parameter broker-address replaces an address that is of no use here.", e);
            } catch (MQBrokerException e) {
                if (e.getResponseCode() == ResponseCode.NO_PERMISSION && settings.user != null) {
                    throw new DriverException("The broker at " + address + " refuses user " + settings.user
                        + " with this password, or does not allow them to look at it (" + Causes.of("ask it", e).getMessage()
                        + ").", e);
                }
                throw Causes.of("ask the broker at " + address + " for its version", e);
            }
        }
    }

    /**
     * Returns the broker's version; null if it reports none. In its first second a broker has no statistics yet and answers the request
     * with a system error, which at least shows that it is running and permits the request.
     */
    private @Nullable String version(String address, long deadline) throws Exception {
        long patience = Math.min(deadline, System.nanoTime() + FIRST_STATISTICS);
        while (true) {
            try {
                return api.getBrokerRuntimeInfo(address, left(deadline)).getTable().get("brokerVersionDesc");
            } catch (MQBrokerException e) {
                if (e.getResponseCode() != ResponseCode.SYSTEM_ERROR) {
                    throw e;
                }
                if (System.nanoTime() >= patience) {
                    return null;
                }
                Thread.sleep(50);
            }
        }
    }

    /** Returns the milliseconds until a deadline, at least 1. */
    static long left(long deadline) {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    /** Returns name and version of the broker. */
    String broker() {
        return broker;
    }

    /** Returns the addresses of the masters that were found when the connection was opened. */
    List<String> masters() {
        return List.copyOf(masters.values());
    }

    /** Returns the name of the broker with one of the addresses of {@link #masters}. */
    String nameOf(String master) {
        return masters.entrySet().stream().filter(each -> each.getValue().equals(master)).map(Map.Entry::getKey).findFirst().orElseThrow();
    }

    /** Returns whether the master of the broker with a name is not available at present. */
    boolean isAbsent(String name) {
        String master = masters.get(name);
        return master != null && absent.contains(master);
    }

    /** Returns the names of the brokers whose masters are not available at present, in order. */
    List<String> absentBrokers() {
        return masters.keySet().stream().filter(this::isAbsent).sorted().toList();
    }

    /** Returns the addresses of the masters that are available at present. */
    List<String> available() {
        return masters.values().stream().filter(master -> !absent.contains(master)).toList();
    }

    /** Returns after which time without a request the brokers close a connection, by the least of those that say so. */
    Duration idleLimit() throws InterruptedException {
        Duration least = USUAL_IDLE_LIMIT;
        for (String address : available()) {
            try {
                String seconds = api.getBrokerConfig(address, settings.timeout.toMillis()).getProperty("serverChannelMaxIdleTimeSeconds");
                Duration limit = Duration.ofSeconds(Long.parseLong(seconds));
                least = limit.isPositive() && limit.compareTo(least) < 0 ? limit : least;
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                // not everybody may ask that
            }
        }
        return least;
    }

    /** Makes a small request to a broker, so that its connection is used, or established again. */
    void touch(String address, Duration limit) throws Exception {
        api.getBrokerRuntimeInfo(address, limit.toMillis());
    }

    /**
     * Closes the connection to a broker that does not answer, so that the closure is reported, and the next request establishes another
     * one. Nothing else notices that a host is gone without having closed its connections.
     */
    void hangUp(String address) {
        api.getRemotingClient().closeChannels(List.of(address));
    }

    /** Returns the brokers and queues of a topic at present. */
    Route route(String topic, long deadline) throws Exception {
        TopicRouteData data = null;
        try {
            data = api.getTopicRouteInfoFromNameServer(topic, left(deadline), false);
        } catch (MQClientException e) {
            if (e.getResponseCode() != ResponseCode.TOPIC_NOT_EXIST) {
                throw e;
            }
        } catch (RemotingTimeoutException e) {
            // The client stays with a name server while it is connected, though another one may answer.
            api.getRemotingClient().closeChannels(api.getRemotingClient().getNameServerAddressList());
            throw e;
        }
        Route route = new Route(topic, data);
        brokers.saw(settings.nameServers, route);
        return route;
    }

    /** Returns whether each broker that had queues of a topic has a master at present, which can report the messages waiting there. */
    boolean isWholeAt(Route route) {
        return brokers.allThere(settings.nameServers, route);
    }

    /** Returns the {@link System#nanoTime()} at which a request that begins now has taken the connect timeout. */
    long deadline() {
        return System.nanoTime() + settings.timeout.toNanos();
    }

    /** Returns the consumer groups. */
    GroupOffsets groups() {
        return groups;
    }

    /** Returns the queues to send to, or to read from; empty if the topic does not exist. */
    List<MessageQueue> queues(String topic, boolean forWriting) throws Exception {
        return asked("ask for the queues of " + topic, deadline -> route(topic, deadline).queues(forWriting));
    }

    /** A request, or several. */
    interface Question<T> {

        T ask(long deadline) throws Exception;
    }

    /** Asks within the connect timeout; {@code doing} is for the error message, as in {@link Causes#of}. */
    <T> T asked(String doing, Question<T> question) throws Exception {
        try {
            return question.ask(deadline());
        } catch (RemotingException | MQClientException | MQBrokerException e) {
            throw Causes.of(doing, e);
        }
    }

    /**
     * Creates a topic on all masters, and waits until the name server returns all of its queues to clients.
     *
     * @return whether this call created the topic
     */
    boolean create(String topic) throws Exception {
        return asked("create topic " + topic, deadline -> {
            if (!route(topic, deadline).queues(true).isEmpty()) {
                return false;
            }
            TopicConfig config = new TopicConfig(topic, settings.queues, settings.queues);
            for (String master : masters.values()) {
                api.createTopic(master, TopicValidator.AUTO_CREATE_TOPIC_KEY_TOPIC, config, left(deadline));
            }
            while (route(topic, deadline).queues(true).size() < masters.size() * settings.queues) {
                if (System.nanoTime() - deadline > 0) {
                    throw new DriverException("The name server does not know topic " + topic + " "
                        + settings.timeout.toSeconds() + " s after it was created.", null);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            return true;
        });
    }

    /** Deletes a topic on all available masters and on the name servers. */
    void deleteTopic(String topic) throws Exception {
        asked("delete topic " + topic, deadline -> {
            for (String master : available()) {
                api.deleteTopicInBroker(master, topic, left(deadline));
            }
            RemotingException gone = null;
            int told = 0;
            for (String server : settings.answering.split(";")) {
                try {
                    api.deleteTopicInNameServer(server, topic, left(deadline));
                    told++;
                } catch (RemotingException e) {
                    // one of several that is gone gets its topics anew from the brokers when it is back
                    gone = e;
                }
            }
            if (gone != null && told == 0) {
                throw gone;
            }
            brokers.forget(settings.nameServers, topic);
            return true;
        });
    }

    @Override
    public void close() {
        AdminClient.shutDown(api);
    }
}
