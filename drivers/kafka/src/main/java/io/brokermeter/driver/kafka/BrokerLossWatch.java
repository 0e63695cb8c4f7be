package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Detects the loss of the brokers, since Kafka's clients retry for ever and report nothing. It reads the clients' own connection metrics a
 * few times a second, which causes no network traffic; only if all connections of a client were closed does it try whether any broker still
 * accepts one. If one does, the end of the connections is an interruption only where an answer was owed on them: clients and brokers close
 * what is idle, and the client connects again when it needs to. Any thread may call the methods.
 */
final class BrokerLossWatch implements Runnable {

    private static final long TICK = 200_000_000;
    private static final long QUIET_AFTER_BREAK = 10_000_000_000L;
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(1);

    private final KafkaSettings settings;
    private final ConnectionListener listener;
    private final Consumer<DriverException> whenLost;
    private final List<Watched> clients = new CopyOnWriteArrayList<>();
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

    /** What happened to the connections of a client since the last look. */
    enum Change {
        NONE,
        /** All of them were closed. */
        CLOSED,
        /** All of them were closed while an answer was owed, and the client has connected again since. */
        BROKE
    }

    /** Connections that are watched. */
    interface Watched {

        /** Returns what happened since the last call. */
        Change look();
    }

    /** The connections of one of Kafka's clients. */
    static final class Client implements Watched {

        /** Number of looks in which requests that a break left unanswered are noticed; the metrics are not read at one moment. */
        private static final int LOOKS = 3;
        /** Number of looks that are compared with the present one: connections that break together may end in several of them. */
        private static final int TOGETHER = 5;

        /** What the metrics said in a look. */
        private record Look(double closed, double open, double created, double sent) {}

        private final Metric open;
        private final Metric closed;
        private final Metric created;
        private final Metric sent;
        private final Metric answered;
        /** The number of a producer's requests that wait for an answer; the other clients do not count them. */
        private final Optional<Metric> waiting;
        private final boolean answers;
        private final boolean idles;
        private volatile boolean forgotten;
        /** The last looks since all connections were closed, newest first; never empty. */
        private final Deque<Look> before = new ArrayDeque<>(List.of(new Look(0, 0, 0, 0)));
        private double lastAnswered;
        private double lastOwed;
        /** Number of requests that will never have an answer, by the last look, and as known before all connections were closed. */
        private double lastUnanswered;
        private double unanswered;
        /** Number of looks in which further ones may turn up. */
        private int looks;
        /** Whether connections broke after which the client has made no other one yet, and the number that it had made before. */
        private boolean broken;
        private double createdBefore;

        /**
         * @param answers whether producers get answers
         * @param idles whether a break of the client's connections concerns no message
         */
        Client(Map<MetricName, ? extends Metric> metrics, boolean answers, boolean idles) {
            this.open = metric(metrics, "connection-count");
            this.closed = metric(metrics, "connection-close-total");
            this.created = metric(metrics, "connection-creation-total");
            this.sent = metric(metrics, "request-total");
            this.answered = metric(metrics, "response-total");
            this.waiting = find(metrics, "requests-in-flight");
            this.answers = answers || waiting.isEmpty();
            this.idles = idles;
        }

        private static Metric metric(Map<MetricName, ? extends Metric> metrics, String name) {
            return find(metrics, name).orElseThrow(() -> new IllegalStateException("Kafka's client has no metric " + name + "."));
        }

        /** Returns the metric of the whole client; those of single nodes have the same names. */
        private static Optional<Metric> find(Map<MetricName, ? extends Metric> metrics, String name) {
            return metrics.entrySet().stream().filter(e -> e.getKey().name().equals(name) && !e.getKey().tags().containsKey("node-id"))
                .map(e -> (Metric) e.getValue()).findFirst();
        }

        /** Compares the metrics with those of the last look. An attempt to connect that failed counts as a closed connection in them. */
        @Override
        public Change look() {
            Look now = new Look(number(closed), number(open), number(created), number(sent));
            double nowAnswered = number(answered);
            Look last = before.getFirst();
            Optional<Look> allOpen = allClosedSince(now);
            boolean all = allOpen.isPresent() && allOpen.get().created() > 0;
            if (all && !broken) {
                createdBefore = allOpen.get().created();
            }
            if (answers && waiting.isPresent()) {
                // requests that are neither answered nor waited for
                double nowUnanswered = now.sent() - nowAnswered - number(waiting.get());
                double certain = Math.min(nowUnanswered, lastUnanswered);
                if (all) {
                    // those of before are of another connection
                    unanswered = Math.max(unanswered, lastUnanswered);
                }
                looks = all ? LOOKS : Math.max(0, looks - 1);
                if (looks > 0 && certain > unanswered) {
                    broken = true;
                    looks = 0;
                }
                if (looks == 0) {
                    unanswered = Math.max(unanswered, certain);
                }
                lastUnanswered = nowUnanswered;
            } else {
                // what still answers is a connection that did not break beside attempts that failed
                broken &= nowAnswered == lastAnswered || now.created() > last.created();
                double nowOwed = answers ? now.sent() - nowAnswered - unanswered : now.sent() - last.sent();
                if (all) {
                    broken |= nowOwed > 0 || lastOwed > 0;
                    unanswered = now.sent() - nowAnswered;
                }
                lastOwed = nowOwed;
            }
            boolean back = broken && now.created() > createdBefore;
            broken &= !back;
            if (allOpen.isPresent()) {
                // what ended is counted once
                before.clear();
            } else if (before.size() == TOGETHER) {
                before.removeLast();
            }
            before.addFirst(now);
            lastAnswered = nowAnswered;
            return forgotten ? Change.NONE
                : back ? idles ? Change.CLOSED : Change.BROKE : allOpen.isPresent() ? Change.CLOSED : Change.NONE;
        }

        /** Returns the latest of the last looks since which as many connections were closed as were open at any time, if the last one was now. */
        private Optional<Look> allClosedSince(Look now) {
            if (now.closed() == before.getFirst().closed()) {
                return Optional.empty();
            }
            double mostOpen = 0;
            for (Look look : before) {
                mostOpen = Math.max(mostOpen, look.open());
                if (now.closed() - look.closed() >= mostOpen) {
                    return Optional.of(look);
                }
            }
            return Optional.empty();
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
     * @param idles whether a break of the client's connections concerns no message
     * @return the argument for {@link #forget}
     */
    Client add(Map<MetricName, ? extends Metric> metrics, boolean idles) {
        Client client = new Client(metrics, !settings.acks().equals("0"), idles);
        add(client);
        return client;
    }

    /** Starts to watch connections. */
    void add(Watched connections) {
        clients.add(connections);
    }

    /** Stops watching connections; to be called before they are closed. */
    void forget(Watched connections) {
        if (connections instanceof Client client) {
            client.forgotten = true;
        }
        clients.remove(connections);
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
            for (Watched client : clients) {
                Change change = client.look();
                look |= change != Change.NONE;
                broke |= change == Change.BROKE;
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
