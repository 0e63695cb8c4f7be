package io.brokermeter.driver.kafka.direct;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** The connections of a producer to the leaders of its partitions; finds out where these are, and connects again after an end. */
final class LeaderLinks {

    private static final String HINT = "is it a Kafka broker?";

    private final Dispatch dispatch;
    private final Owner owner;
    private final DirectSettings settings;
    private final String topic;
    private final Routes routes;
    private final byte[] beginning;
    private final PartitionSends[] partitions;
    private volatile List<BrokerLink> up = List.of();

    // guarded by the producer's lock
    private boolean repairing;
    private long repairAt = System.nanoTime();
    private boolean ended;
    /** Whether all connections ended while an answer was owed, and there is none yet again. */
    private boolean broken;

    private volatile boolean closed;
    private volatile boolean back;
    private volatile String trouble = "";

    LeaderLinks(Dispatch dispatch, Owner owner, DirectSettings settings, String topic, Routes routes, byte[] beginning,
            PartitionSends[] partitions) {
        this.dispatch = dispatch;
        this.owner = owner;
        this.settings = settings;
        this.topic = topic;
        this.routes = routes;
        this.beginning = beginning;
        this.partitions = partitions;
    }

    /** Returns the connections. Any thread. */
    List<BrokerLink> up() {
        return up;
    }

    /** Returns why there is no connection; empty if there is no trouble. */
    String trouble() {
        return trouble;
    }

    /** Connects to the leaders of all partitions that the producer sends to. Blocks. */
    void open() throws DriverException {
        for (Map.Entry<Integer, Node> missing : missing().entrySet()) {
            connect(missing.getValue());
        }
    }

    /** Asks where the leaders are, and returns those to which there is no connection. */
    private Map<Integer, Node> missing() throws DriverException {
        List<@Nullable Node> leaders = owner.leaders(topic);
        Map<Integer, Node> missing = new HashMap<>();
        dispatch.locked(() -> {
            for (PartitionSends each : partitions) {
                Node leader = each.partition < leaders.size() ? leaders.get(each.partition) : null;
                if (leader == null || leader.isEmpty() || !routes.uses(each.partition)) {
                    continue;
                }
                each.leader = leader.id();
                each.link = null;
                missing.put(leader.id(), leader);
                for (BrokerLink link : up) {
                    if (link.node == leader.id()) {
                        each.link = link;
                        missing.remove(leader.id());
                    }
                }
            }
            return null;
        });
        return missing;
    }

    private void connect(Node leader) throws DriverException {
        Map<ApiKeys, Short> needed = settings.idempotent()
            ? Map.of(ApiKeys.PRODUCE, ProduceRequest.VERSION, ApiKeys.INIT_PRODUCER_ID, BrokerLink.INIT_PRODUCER_ID)
            : Map.of(ApiKeys.PRODUCE, ProduceRequest.VERSION);
        Greeting.Greeted greeted = Dialer.dial(List.of(new ServerUrl.Server(leader.host(), leader.port())), settings.connectTimeout(),
            settings.tls().orElse(null), settings.names(), HINT, new Greeting(settings, needed, BrokerLink.LARGEST_ANSWER));
        BrokerLink link = new BrokerLink(leader.id(), dispatch, settings, beginning, greeted);
        boolean wanted = dispatch.locked(() -> {
            if (ended) {
                return false;
            }
            List<BrokerLink> all = new ArrayList<>(up);
            all.add(link);
            up = List.copyOf(all);
            for (PartitionSends each : partitions) {
                if (each.leader == link.node && routes.uses(each.partition)) {
                    each.link = link;
                }
            }
            back |= broken;
            broken = false;
            return true;
        });
        if (wanted) {
            link.start();
        } else {
            greeted.wire().close();
        }
    }

    /**
     * Begins to connect where a connection is missing, on a thread of its own. Under the lock.
     *
     * @return when to look again, at most {@code latest}
     */
    long repair(long now, long latest) {
        if (repairing || ended) {
            return latest;
        }
        if (now - repairAt < 0) {
            return repairAt - latest < 0 ? repairAt : latest;
        }
        repairing = true;
        Thread.ofPlatform().daemon().name("brokermeter-kafka-connect").start(() -> {
            try {
                open();
                trouble = "";
            } catch (DriverException | RuntimeException e) {
                trouble = String.valueOf(e.getMessage());
            } finally {
                dispatch.locked(() -> {
                    repairing = false;
                    repairAt = System.nanoTime() + settings.retryNanos();
                    return dispatch.wake();
                });
            }
        });
        return latest;
    }

    /** Notes that the leader of a partition is another one. Under the lock. */
    void stale(PartitionSends of) {
        of.link = null;
    }

    /** Notes the end of a connection. Under the lock. */
    void lost(BrokerLink link, boolean owed) {
        List<BrokerLink> left = new ArrayList<>(up);
        left.remove(link);
        up = List.copyOf(left);
        for (PartitionSends each : partitions) {
            if (each.link == link) {
                each.link = null;
            }
        }
        if (left.isEmpty()) {
            closed = true;
            broken |= owed;
        }
    }

    /** Returns whether all connections ended since the last call. */
    boolean takeClosed() {
        boolean was = closed;
        closed = false;
        return was;
    }

    /** Returns whether there is a connection again since the last call, after all of them ended while an answer was owed. */
    boolean takeBack() {
        boolean was = back;
        back = false;
        return was;
    }

    /** Closes all connections, and makes no more of them. Under the lock. */
    void end(Exception cause) {
        ended = true;
        for (BrokerLink link : up) {
            link.end(cause);
        }
    }
}
