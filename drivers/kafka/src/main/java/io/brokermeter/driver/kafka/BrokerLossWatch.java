package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Failure;
import io.brokermeter.spi.ServerUrl;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Detects the loss of the brokers, since Kafka's clients retry for ever and report nothing. It reads the clients' own connection metrics a
 * few times a second, which causes no network traffic; only if all connections of a client were closed does it try whether any broker still
 * accepts one. Any thread may call the methods.
 */
final class BrokerLossWatch implements Runnable {

    private static final long TICK = 200_000_000;
    private static final long QUIET_AFTER_BREAK = 10_000_000_000L;
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);

    private final KafkaSettings settings;
    private final ConnectionListener listener;
    private final Consumer<DriverException> whenLost;
    private final List<Client> clients = new CopyOnWriteArrayList<>();
    private final Thread thread;
    private volatile List<ServerUrl.Server> servers;
    private volatile boolean stopped;
    private volatile @Nullable String trouble;

    /** @param whenLost called once, when no broker has accepted connections for as long as the settings allow */
    BrokerLossWatch(KafkaSettings settings, ConnectionListener listener, Consumer<DriverException> whenLost) {
        this.settings = settings;
        this.listener = listener;
        this.whenLost = whenLost;
        this.servers = settings.url().servers();
        this.thread = Thread.ofPlatform().daemon().name("brokermeter-kafka-watch").unstarted(this);
    }

    /** The connections of one of Kafka's clients. */
    static final class Client {

        private final Metric open;
        private final Metric closed;
        private final boolean idles;
        private volatile boolean forgotten;
        private double lastOpen;
        private double lastClosed;

        private Client(Metric open, Metric closed, boolean idles) {
            this.open = open;
            this.closed = closed;
            this.idles = idles;
        }

        /** Returns whether all connections that were open at the last call have been closed since. */
        boolean broke() {
            double nowClosed = number(closed);
            double nowOpen = number(open);
            boolean broke = nowClosed > lastClosed && nowClosed - lastClosed >= lastOpen;
            lastClosed = nowClosed;
            lastOpen = nowOpen;
            return broke && !forgotten;
        }

        private static double number(Metric metric) {
            return metric.metricValue() instanceof Number number ? number.doubleValue() : 0;
        }
    }

    void start() {
        thread.start();
    }

    /** Sets the addresses of all known brokers. */
    void know(List<ServerUrl.Server> all) {
        servers = List.copyOf(all);
    }

    /**
     * Starts to watch a client.
     *
     * @param idles whether the client may close its connections because it is idle
     * @return the argument for {@link #forget}
     */
    Client add(Map<MetricName, ? extends Metric> metrics, boolean idles) {
        Client client = new Client(metric(metrics, "connection-count"), metric(metrics, "connection-close-total"), idles);
        clients.add(client);
        return client;
    }

    private static Metric metric(Map<MetricName, ? extends Metric> metrics, String name) {
        return metrics.entrySet().stream().filter(e -> e.getKey().name().equals(name)).map(e -> (Metric) e.getValue()).findFirst()
            .orElseThrow(() -> new IllegalStateException("Kafka's client has no metric " + name + "."));
    }

    /** Stops watching a client; to be called before the client is closed. */
    void forget(Client client) {
        client.forgotten = true;
        clients.remove(client);
    }

    /** Returns why no broker can be reached at present, or null if no trouble is known. */
    @Nullable String trouble() {
        return trouble;
    }

    @Override
    public void run() {
        long troubleSince = 0;
        long lastBreak = System.nanoTime() - QUIET_AFTER_BREAK;
        while (!stopped) {
            LockSupport.parkNanos(TICK);
            boolean look = trouble != null;
            boolean broke = false;
            for (Client client : clients) {
                if (client.broke()) {
                    look = true;
                    broke |= !client.idles;
                }
            }
            if (!look || stopped) {
                continue;
            }
            long now = System.nanoTime();
            Optional<String> reason = Failure.unreachable(servers, PROBE_LIMIT);
            if (stopped) {
                return;
            }
            if (reason.isEmpty()) {
                if (trouble != null) {
                    trouble = null;
                    lastBreak = now;
                    listener.resumed();
                } else if (broke && now - lastBreak >= QUIET_AFTER_BREAK) {
                    lastBreak = now;
                    listener.interrupted("All connections of a client to " + settings.address() + " broke");
                    listener.resumed();
                }
            } else if (trouble == null) {
                trouble = reason.get();
                troubleSince = now;
                listener.interrupted(reason.get());
            } else if (now - troubleSince >= settings.patience().toNanos()) {
                DriverException cause = new DriverException(reason.get() + ", and has not for " + settings.patience().toSeconds()
                    + " s; the parameter reconnect-timeout sets how long that may last.", null);
                whenLost.accept(cause);
                return;
            }
        }
    }

    /** Stops the watch, and returns when the listener is not called any more. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join(PROBE_LIMIT.multipliedBy(5));
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
