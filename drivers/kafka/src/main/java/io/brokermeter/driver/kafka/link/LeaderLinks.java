package io.brokermeter.driver.kafka.link;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a producer or a consumer to the leaders of a topic's partitions; finds out where these are, and connects again after an
 * end.
 *
 * @param <L> the kind of connection
 */
public final class LeaderLinks<L extends LeaderLink> {

    private static final String HINT = "is it a Kafka broker?";

    /** Makes a connection of a socket after the first requests. */
    public interface Making<L> {

        L link(int node, Greeting.Greeted greeted);
    }

    private final ReentrantLock lock;
    private final Leaders cluster;
    private final LinkSettings settings;
    private final String topic;
    private final List<? extends Place<L>> places;
    private final Runnable wake;
    private final Supplier<Greeting> greetings;
    private final Making<L> making;
    private volatile List<L> up = List.of();

    // guarded by the lock
    private boolean repairing;
    private long repairAt = System.nanoTime();
    private boolean ended;
    /** Whether all connections ended while an answer was owed, and there is none yet again. */
    private boolean broken;

    private volatile boolean closed;
    private volatile boolean back;
    private volatile String trouble = "";

    /**
     * @param places the partitions, guarded by the lock
     * @param wake called under the lock after each attempt to connect
     */
    public LeaderLinks(ReentrantLock lock, Leaders cluster, LinkSettings settings, String topic, List<? extends Place<L>> places,
            Runnable wake,
            Supplier<Greeting> greetings, Making<L> making) {
        this.lock = lock;
        this.cluster = cluster;
        this.settings = settings;
        this.topic = topic;
        this.places = places;
        this.wake = wake;
        this.greetings = greetings;
        this.making = making;
    }

    /** Returns the connections. Any thread. */
    public List<L> up() {
        return up;
    }

    /** Returns why there is no connection; empty if there is no trouble. */
    public String trouble() {
        return trouble;
    }

    /** Connects to the leaders of all partitions that are used. Blocks. */
    public void open() throws DriverException {
        for (Node missing : missing().values()) {
            connect(missing);
        }
    }

    /** Connects to those leaders of {@link #open} that can be reached, and fails if one cannot. */
    private void connectAll() throws DriverException {
        DriverException first = null;
        for (Node missing : missing().values()) {
            try {
                connect(missing);
            } catch (DriverException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Asks where the leaders are, and returns those to which there is no connection. */
    private Map<Integer, Node> missing() throws DriverException {
        List<@Nullable Node> leaders = cluster.leaders(topic);
        Map<Integer, Node> missing = new HashMap<>();
        lock.lock();
        try {
            for (Place<L> each : places) {
                Node leader = each.partition < leaders.size() ? leaders.get(each.partition) : null;
                if (leader == null || leader.isEmpty() || !each.used) {
                    continue;
                }
                each.leader = leader.id();
                each.link = null;
                missing.put(leader.id(), leader);
                for (L link : up) {
                    if (link.node() == leader.id()) {
                        each.link = link;
                        missing.remove(leader.id());
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        return missing;
    }

    private void connect(Node leader) throws DriverException {
        Greeting.Greeted greeted = Dialer.dial(List.of(new ServerUrl.Server(leader.host(), leader.port())), settings.source(),
            settings.connectTimeout(), settings.tls().orElse(null), settings.names(), HINT, greetings.get());
        L link = making.link(leader.id(), greeted);
        if (keep(link)) {
            link.start();
        } else {
            greeted.wire().close();
        }
    }

    /** Returns whether a connection is wanted. */
    private boolean keep(L link) {
        lock.lock();
        try {
            if (ended) {
                return false;
            }
            List<L> all = new ArrayList<>(up);
            all.add(link);
            up = List.copyOf(all);
            for (Place<L> each : places) {
                if (each.leader == link.node() && each.used) {
                    each.link = link;
                }
            }
            back |= broken;
            broken = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins to connect where a connection is missing, on a thread of its own. Under the lock.
     *
     * @return when to look again, at most {@code latest}
     */
    public long repair(long now, long latest) {
        if (repairing || ended) {
            return latest;
        }
        if (now - repairAt < 0) {
            return repairAt - latest < 0 ? repairAt : latest;
        }
        repairing = true;
        Thread.ofPlatform().daemon().name("brokermeter-kafka-connect").start(() -> {
            try {
                connectAll();
                trouble = "";
            } catch (DriverException | RuntimeException e) {
                trouble = String.valueOf(e.getMessage());
            } finally {
                lock.lock();
                try {
                    repairing = false;
                    repairAt = System.nanoTime() + settings.retryNanos();
                    wake.run();
                } finally {
                    lock.unlock();
                }
            }
        });
        return latest;
    }

    /** Notes that the leader of a partition is another one. Under the lock. */
    public void stale(Place<L> of) {
        of.link = null;
    }

    /** Notes the end of a connection. Under the lock. */
    public void lost(L link, boolean owed) {
        List<L> left = new ArrayList<>(up);
        left.remove(link);
        up = List.copyOf(left);
        for (Place<L> each : places) {
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
    public boolean takeClosed() {
        boolean was = closed;
        closed = false;
        return was;
    }

    /** Returns whether there is a connection again since the last call, after all of them ended while an answer was owed. */
    public boolean takeBack() {
        boolean was = back;
        back = false;
        return was;
    }

    /** Closes all connections, and makes no more of them. Under the lock. */
    public void end(Exception cause) {
        ended = true;
        for (L link : up) {
            link.end(cause);
        }
    }
}
