package io.brokermeter.cluster.clock;

import java.io.Closeable;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * The agent's end of the clock probes. Sends about fifty probes a second at random moments (Poisson, so that nothing periodic on the way
 * can meet them all), or about twenty while more would hardly make the bound smaller, and computes from the answers how far this machine's
 * clock is from the coordinator's. The first fifty are sent within a fifth of a second, so an estimate is there at once.
 *
 * <p>Uses two daemon threads: one sends and renews the line, ten times a second at first and twice a second later; one receives. When
 * nothing is received over UDP for three seconds, or in the first second, a TCP connection to the same port, with a receiving thread of its
 * own, carries the same frames, while UDP is still tried. All methods may be called from any thread and do not block.
 */
public final class ProbeClient implements Closeable {

    /**
     * The report of the clock at one second.
     *
     * @param at the moment, agent's clock, nanoseconds
     * @param offset agent's minus coordinator's clock as {@link #line} gave it then, nanoseconds
     * @param bound the greatest error of {@code offset}, nanoseconds: by what was known then, and from five seconds later on by the probes
     *     after it, too
     */
    public record Told(long at, long offset, long bound) {}

    /** The number of answers before which there is no estimate. */
    public static final int LEAST_ANSWERS = 10;
    /** The interval at which {@link #line} changes in the first {@link #YOUNG} and after a step, nanoseconds. */
    public static final long LINE_EVERY = 100_000_000;
    /**
     * The interval at which {@link #line} changes later, nanoseconds: the estimate from a minute of probes changes little from one second
     * to the next, and a line costs more than a probe.
     */
    public static final long OLD_LINE_EVERY = 500_000_000;
    /** The most by which the next line may be late, nanoseconds: it waits for a probe. */
    private static final long LATE = 250_000_000;
    /** The time that the probes must reach back before {@link #line} changes at {@link #OLD_LINE_EVERY}, nanoseconds. */
    static final long YOUNG = 10_000_000_000L;

    private static final long MEAN = 20_000_000;
    /** The mean interval of probes while the bound is about as small as the network permits, nanoseconds. */
    private static final long CALM_MEAN = 50_000_000;
    /**
     * The greatest bound at which probes are sent at {@link #CALM_MEAN}, as a multiple of half the shortest round trip of the last minute.
     */
    private static final double NEAR_LEAST = 1.5;
    private static final long FIRST_MEAN = 4_000_000;
    private static final int FIRST = 50;
    private static final long LONGEST_PAUSE = 200_000_000;
    static final long SECOND = 1_000_000_000L;
    static final long ALL_SILENT = 10 * SECOND;
    /** The time after a second at which its bound is computed again, by the probes that came in between, nanoseconds. */
    private static final long JUDGED_AFTER = 5 * SECOND;
    /** The number of probes of which one tries UDP while TCP is used. */
    private static final int TRIES_UDP = 50;

    private final InetSocketAddress server;
    private final LongSupplier clock;
    private final Consumer<ClockEvent> told;
    private final ProbeWay.Udp udp;
    private final Thread sender;
    private final long since;
    private volatile boolean closed;
    private volatile @Nullable ClockLine line;
    private volatile Runnable renewed = () -> {};

    // Shared with the receiving threads.
    private final Object lock = new Object();
    private final OffsetBand band = new OffsetBand();
    private final ClockHistory history = new ClockHistory();
    private long answers;
    private final ShortestTrip trips = new ShortestTrip();
    private volatile long lastAnswer;
    private volatile boolean stepped;

    // Used by the sending thread alone.
    private final TcpFallback fallback;
    private boolean silent;
    /** Whether more probes would hardly make the band narrower. */
    private boolean calm;
    private long nextLine;
    private long nextSecond;
    private int stepsTold;

    private ProbeClient(InetSocketAddress server, @Nullable InetSocketAddress bind, byte[] key, LongSupplier clock,
            Consumer<ClockEvent> told) throws IOException {
        this.server = server;
        this.clock = clock;
        this.told = told;
        this.since = clock.getAsLong();
        this.lastAnswer = since;
        this.nextLine = since;
        this.nextSecond = since;
        this.udp = new ProbeWay.Udp(server, bind, key, clock, this::take);
        byte[] secret = key.clone();
        this.fallback = new TcpFallback(server, udp, () -> new ProbeWay.Tcp(server, bind, secret, clock, this::take), since, told);
        this.sender = Thread.ofPlatform().daemon().name("brokermeter-clock-probe").unstarted(this::probe);
    }

    /**
     * Opens the socket and starts the threads. Whether the server answers shows later.
     *
     * @param server the address of the coordinator's {@link ProbeServer}, resolved
     * @param bind the address of this machine to send from, or null for any
     * @param key the secret of the session; it is copied
     * @param told receives the events, on the sending thread: it must not block
     * @throws IOException when no socket can be opened or bound
     */
    public static ProbeClient start(InetSocketAddress server, @Nullable InetSocketAddress bind, byte[] key,
            Consumer<ClockEvent> told) throws IOException {
        return start(server, bind, key, System::nanoTime, told);
    }

    /** Starts a client with another clock, which runs nearly as fast as the true one. */
    static ProbeClient start(InetSocketAddress server, @Nullable InetSocketAddress bind, byte[] key, LongSupplier clock,
            Consumer<ClockEvent> told) throws IOException {
        if (server.isUnresolved()) {
            throw new IOException("The host of the coordinator's clock, " + server.getHostString() + ", is not known.");
        }
        ProbeClient client = new ProbeClient(server, bind, key, clock, told);
        client.udp.startReceiving();
        client.sender.start();
        return client;
    }

    static String text(InetSocketAddress address) {
        String host = address.getAddress() instanceof Inet6Address ? "[" + address.getHostString() + "]" : address.getHostString();
        return host + ":" + address.getPort();
    }

    private void take(long t1, long t2, long t3, long t4) {
        synchronized (lock) {
            if (band.add(t1, t2, t3, t4)) {
                stepped = true;
            }
            answers++;
            trips.add(t4, t4 - t1 - (t3 - t2));
        }
        lastAnswer = t4;
    }

    private void probe() {
        long next = clock.getAsLong();
        for (long number = 1; !closed; number++) {
            ProbeWay.Tcp connection = fallback.connection();
            // Until the TCP connection answers, every probe is sent over UDP as well.
            boolean tryUdp = connection == null || connection.answers() == 0 || number % TRIES_UDP == 0;
            ProbeWay way = connection == null || tryUdp ? udp : connection;
            way.prepare();
            next += pause(number <= FIRST ? FIRST_MEAN : calm && connection == null ? CALM_MEAN : MEAN);
            long now = clock.getAsLong();
            if (now - next > LONGEST_PAUSE) {
                next = now;
            }
            while (next - now > 0 && !closed) {
                LockSupport.parkNanos(this, next - now);
                now = clock.getAsLong();
            }
            way.send();
            if (connection != null && tryUdp) {
                connection.prepare();
                connection.send();
            }
            look(now);
        }
        fallback.close();
    }

    private static long pause(long mean) {
        return Math.min(LONGEST_PAUSE, (long) (-Math.log(1 - ThreadLocalRandom.current().nextDouble()) * mean));
    }

    /** Does what is due beside sending: chooses the protocol, renews the line and reports silence. */
    private void look(long now) {
        fallback.look(now, lastAnswer);
        if (stepped || now - nextLine >= 0) {
            stepped = false;
            renew(now);
        }
        boolean nothing = now - lastAnswer > ALL_SILENT;
        if (nothing && !silent) {
            told.accept(new ClockEvent.Silent(server));
        }
        silent = nothing;
    }

    /** Renews the line, and records its offset once a second. */
    private void renew(long now) {
        List<ClockStep> steps;
        synchronized (lock) {
            long every = now - band.begin() < YOUNG ? LINE_EVERY : OLD_LINE_EVERY;
            nextLine = now + every;
            Offset known = answers < LEAST_ANSWERS ? null : band.at(now);
            calm = known != null && known.bound() <= NEAR_LEAST * trips.nanos() / 2;
            if (known != null) {
                ClockLine before = line;
                ClockLine made = ClockLine.of(known, every + LATE);
                made = before == null ? made : before.follow(made, now);
                line = made;
                if (now - nextSecond >= 0) {
                    nextSecond = now + SECOND - LINE_EVERY / 2;
                    history.add(now, now - made.coordinator(), made.bound());
                    history.judge(band, now - JUDGED_AFTER);
                }
            }
            steps = band.settledSince(stepsTold);
            stepsTold = band.settled();
        }
        renewed.run();
        for (ClockStep step : steps) {
            told.accept(new ClockEvent.Stepped(step, since));
        }
    }

    /** Returns the current estimate of the clock; null before the first ten answers, and for an instant after a step. */
    public @Nullable Offset offset() {
        synchronized (lock) {
            return answers < LEAST_ANSWERS ? null : band.at(clock.getAsLong());
        }
    }

    /**
     * Returns the line by which this machine computes the coordinator's time; null before the first ten answers. It is renewed each
     * {@link #LINE_EVERY} or {@link #OLD_LINE_EVERY}, so that it continues where the line before was ({@link ClockLine#follow}).
     */
    public @Nullable ClockLine line() {
        return line;
    }

    /** @param wake called each time that {@link #line} may have changed, on the sending thread: it must not block */
    public void whenRenewed(Runnable wake) {
        renewed = wake;
    }

    /** Returns the steps since the start; at most the last thousand. */
    public List<ClockStep> steps() {
        synchronized (lock) {
            return band.steps();
        }
    }

    /**
     * Returns the greatest error of {@link #line} in a stretch of time, which is also the error of one-way times measured in it.
     *
     * @param from its beginning, agent's clock
     * @param to its end
     * @return nanoseconds; {@link Long#MAX_VALUE} if a clock stepped in it; empty if it began before the first line or more than a day ago
     */
    public OptionalLong bound(long from, long to) {
        synchronized (lock) {
            // After a step the old line is used until the next one is made.
            if (band.steps().stream().anyMatch(step -> step.touches(from - 2 * LINE_EVERY, to))) {
                return OptionalLong.of(Long.MAX_VALUE);
            }
            return history.bound(from, to);
        }
    }

    /** Returns what was reported since the start, about once a second; at most the last day of it. */
    public List<Told> history() {
        synchronized (lock) {
            return history.all();
        }
    }

    /** Returns the moment at which the probes began, by the agent's clock. */
    public long since() {
        return since;
    }

    /** Returns the number of probes that were answered, over UDP and TCP. */
    public long answers() {
        synchronized (lock) {
            return answers;
        }
    }

    /** Closes the sockets and ends the threads, without waiting for them. The results can still be queried. */
    @Override
    public void close() {
        closed = true;
        udp.close();
        LockSupport.unpark(sender);
    }
}
