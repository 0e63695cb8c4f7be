package io.brokermeter.driver.loopback;

import java.net.ConnectException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Destination;

/** A broker in memory: the destinations that connections with the same URL share, and the clock of the settings' times. */
final class LoopbackBroker {

    private static final int MOST_PLATFORM_SERVERS = 64;
    private static final Map<String, LoopbackBroker> BROKERS = new HashMap<>();

    /** The interval in nanoseconds at which a dying broker checks whether its servers have stopped. */
    private static final long STOPPED_EVERY = 100_000;

    final LoopbackSettings knobs;
    final LoopbackTime time;
    private final String url;
    private final Map<Destination, LoopbackDestination> destinations = new HashMap<>();
    private final Set<LoopbackConnection> connections = new LinkedHashSet<>();
    private final AtomicInteger servers = new AtomicInteger();
    private volatile long firstMessage;
    private volatile boolean dead;

    private LoopbackBroker(String url, LoopbackSettings loopback, LoopbackTime time) {
        this.url = url;
        this.knobs = loopback;
        this.time = time;
    }

    /**
     * Connects to the broker of a URL, and creates the broker for the first connection. Messages held since earlier connections are served
     * again.
     */
    static LoopbackConnection connect(String url, LoopbackSettings loopback, LoopbackTime time,
            ConnectionListener listener) throws ConnectException {
        // In one step: otherwise the last connection could leave a broker that was found but not yet joined, and the broker would be
        // forgotten.
        synchronized (BROKERS) {
            LoopbackBroker broker = BROKERS.computeIfAbsent(url, u -> new LoopbackBroker(u, loopback, time));
            if (broker.isDown()) {
                throw new ConnectException("Connection refused");
            }
            if (broker.connections.isEmpty() && !broker.dead) {
                broker.destinations.values().forEach(LoopbackDestination::serveAgain);
            }
            LoopbackConnection connection = new LoopbackConnection(broker, listener);
            broker.connections.add(connection);
            return connection;
        }
    }

    /** Removes a closed connection. The last one to leave ends the broker, except for messages and durable subscriptions that it holds. */
    void leave(LoopbackConnection connection) {
        synchronized (BROKERS) {
            connections.remove(connection);
            forgetIfLeft();
        }
    }

    private void forgetIfLeft() {
        if (connections.isEmpty() && !isDown()) {
            destinations.values().forEach(LoopbackDestination::stop);
            destinations.values().removeIf(d -> !d.holdsMessages());
            if (destinations.isEmpty()) {
                // A connection that is closed twice may come when another broker has the URL.
                BROKERS.remove(url, this);
            }
        }
    }

    LoopbackDestination destination(Destination destination) {
        synchronized (BROKERS) {
            return destinations.computeIfAbsent(destination, d -> new LoopbackDestination(d, this));
        }
    }

    /** @return whether this call created the destination */
    boolean declare(Destination destination) {
        synchronized (BROKERS) {
            boolean is = destinations.containsKey(destination);
            destination(destination);
            return !is;
        }
    }

    void delete(Destination destination) {
        synchronized (BROKERS) {
            LoopbackDestination removed = destinations.remove(destination);
            if (removed != null) {
                removed.stop();
            }
        }
    }

    /** Returns the nanoseconds since the first message; the first call starts the clock. */
    long age() {
        long now = time.nanos();
        long first = firstMessage;
        return now - (first == 0 ? begin(now) : first);
    }

    /** Starts the clock, unless the first message of another destination has started it. Returns when it started. */
    private synchronized long begin(long now) {
        if (firstMessage == 0) {
            firstMessage = now;
            if (knobs.death().atNanos() > 0) {
                time.start("loopback-death", false, this::die);
            }
        }
        return firstMessage;
    }

    /**
     * Starts the server of a destination. Platform threads keep the settings' times most exactly; of thousands of destinations only the
     * first {@value #MOST_PLATFORM_SERVERS} get one, and virtual threads serve the rest.
     */
    Thread server(Runnable serving) {
        return time.start("loopback-server", servers.incrementAndGet() > MOST_PLATFORM_SERVERS, serving);
    }

    boolean isDead() {
        return dead;
    }

    /** Returns whether the broker is dead and will come back. */
    boolean isDown() {
        return dead && knobs.death().forNanos() > 0;
    }

    private void die() {
        // not from now on: on a busy machine this thread begins late
        sleepUntil(firstMessage + knobs.death().atNanos());
        dead = true;
        all(destinations.values()).forEach(LoopbackDestination::stop);
        if (knobs.restores()) {
            // Otherwise a server would still confirm, and later repeat, messages that the clients consider in flight from here on.
            awaitStop();
        }
        for (LoopbackConnection connection : all(connections)) {
            if (knobs.restores()) {
                connection.interrupt();
            } else {
                connection.lose();
            }
        }
        if (knobs.death().forNanos() > 0) {
            sleepUntil(time.nanos() + knobs.death().forNanos());
            awaitStop();
            dead = false;
            if (knobs.restores()) {
                all(connections).forEach(LoopbackConnection::resume);
            }
            // The messages wait for clients, even if none has come back yet.
            all(destinations.values()).forEach(LoopbackDestination::liveAgain);
        }
    }

    private void awaitStop() {
        while (all(destinations.values()).stream().anyMatch(LoopbackDestination::isServed)) {
            time.park(STOPPED_EVERY);
        }
    }

    private static <T> List<T> all(Collection<T> some) {
        synchronized (BROKERS) {
            return List.copyOf(some);
        }
    }

    private void sleepUntil(long end) {
        long left;
        while ((left = end - time.nanos()) > 0) {
            time.park(left);
        }
    }

    /** Blocks while the broker is down. */
    void awaitLife() {
        while (isDown()) {
            time.park(1_000_000);
        }
    }
}
