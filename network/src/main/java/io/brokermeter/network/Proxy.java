package io.brokermeter.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP proxy in front of one address, which delays traffic by a {@link NetworkRule} and which can be interrupted. It listens on
 * the loopback interface. Bytes keep their order and arrive at the moment when they are due, never before. Bytes that the server does not
 * take, or for which the bandwidth does not suffice, wait in bounded buffers, so that clients get back-pressure.
 *
 * <p>A connection through the proxy consists of two TCP connections: each has windows of its own, and packets cannot be lost.
 *
 * <p>Any thread may call any method. A method that changes something returns when the change took effect. The proxy ends with its process.
 */
public final class Proxy implements NetworkPath {

    /** The longest wait for the proxy's thread, for which a busy machine may have no processor for many seconds. */
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = 10_000_000;

    private final InetSocketAddress target;
    private final ServerSocketChannel listener;
    private final Selector selector;
    private final Alarm alarm;
    private final Punctuality punctual = new Punctuality(System::nanoTime);
    private final Thread loop;
    private final Relay.Common common = new Relay.Common(new Blocks(), new Bottleneck(), new Bottleneck());
    private final ThreadCommands commands = new ThreadCommands(COMMAND_LIMIT);
    private final Set<Relay> relays = new HashSet<>();
    private final PriorityQueue<Relay> due = new PriorityQueue<>(Comparator.comparingLong(relay -> relay.at));
    /** The relays that are due in the current turn of the loop. */
    private final List<Relay> ready = new ArrayList<>();
    private volatile NetworkRule rule;
    private volatile int open;
    private volatile boolean closed;
    private boolean isCut;
    private boolean isDark;
    /** The time by which the bytes that are read in the current turn had come before, in nanoseconds. */
    private long behind;
    private long accepted;

    private Proxy(InetSocketAddress target, NetworkRule rule, InetSocketAddress at) throws IOException {
        this.target = target;
        this.rule = rule;
        selector = Selector.open();
        listener = ServerSocketChannel.open();
        try {
            listener.setOption(StandardSocketOptions.SO_RCVBUF, Relay.SOCKET_BUFFER);
            listener.bind(at, 1_024);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException | RuntimeException e) {
            listener.close();
            selector.close();
            throw e;
        }
        alarm = new Alarm("brokermeter-network-alarm", selector::wakeup);
        loop = Thread.ofPlatform().daemon().name("brokermeter-network").unstarted(this::run);
        loop.start();
    }

    /**
     * Opens a proxy on a free port of the loopback interface.
     *
     * @param host the server in front of which the proxy is; the proxy does not connect to it before a client comes
     * @throws IllegalArgumentException with one sentence, for a rule that a proxy cannot follow
     * @throws IOException when the host has no address or the proxy cannot listen
     */
    public static Proxy open(String host, int port, NetworkRule rule) throws IOException {
        return open(host, port, rule, new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
    }

    /**
     * Opens a proxy at a given address.
     *
     * @param at an address of the loopback interface; port 0 for a free one
     */
    static Proxy open(String host, int port, NetworkRule rule, InetSocketAddress at) throws IOException {
        refuseLoss(rule);
        return new Proxy(new InetSocketAddress(InetAddress.getByName(host), port), rule, at);
    }

    static void refuseLoss(NetworkRule rule) {
        if (rule.loss() > 0) {
            throw new IllegalArgumentException("A proxy loses no packets, since TCP repeats them on each side of it: loss needs a link.");
        }
    }

    @Override
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.socket().getLocalSocketAddress();
    }

    /** Returns the port on which the proxy listens. */
    public int port() {
        return listener.socket().getLocalPort();
    }

    /** Returns the rule that holds for traffic now. */
    public NetworkRule rule() {
        return rule;
    }

    @Override
    public void rule(NetworkRule other) {
        refuseLoss(other);
        command(() -> {
            rule = other;
            relays.forEach(relay -> relay.rule(other));
        });
    }

    @Override
    public void cut() {
        command(() -> {
            isCut = true;
            List.copyOf(relays).forEach(Relay::close);
        });
    }

    @Override
    public void reset() {
        command(() -> List.copyOf(relays).forEach(Relay::reset));
    }

    @Override
    public void blackHole(boolean on) {
        command(() -> {
            isDark = on;
            relays.forEach(relay -> relay.dark(on));
        });
    }

    @Override
    public void heal() {
        command(() -> {
            isCut = false;
            isDark = false;
            relays.forEach(relay -> relay.dark(false));
        });
    }

    @Override
    public int connections() {
        return open;
    }

    private void command(Runnable command) {
        if (closed) {
            return;
        }
        boolean taken = commands.ask(() -> {
            command.run();
            for (Relay relay : List.copyOf(relays)) {
                if (relay.isClosed()) {
                    due.remove(relay);
                    forget(relay);
                } else {
                    workSoon(relay);
                }
            }
        }, selector::wakeup);
        if (!taken && !closed) {
            throw new IllegalStateException("The proxy on port " + port() + " does not answer.");
        }
    }

    private void workSoon(Relay relay) {
        due.remove(relay);
        relay.at = Long.MIN_VALUE;
        due.add(relay);
    }

    private void run() {
        Linux.lowerTimerSlack();
        try {
            while (!closed) {
                turn();
            }
        } catch (IOException | ClosedSelectorException e) {
            // the proxy was closed
        } finally {
            commands.end();
            relays.forEach(Relay::close);
            open = 0;
            alarm.close();
        }
    }

    private void turn() throws IOException {
        Relay first = due.peek();
        long now = System.nanoTime();
        if (first == null) {
            selector.select();
            came(now);
        } else if (first.at <= now) {
            selector.selectNow();
            behind = 0;
        } else {
            alarm.set(first.exact ? punctual.wakeFor(first.at, now) : first.at);
            selector.select();
            came(now);
            if (first.exact) {
                punctual.await(first.at);
            }
        }
        commands.take();
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.attachment() instanceof Relay relay) {
                work(relay);
            } else {
                accept();
            }
        }
        selector.selectedKeys().clear();
        // Each relay once: one that is due again at once must hold up neither the others nor a command.
        long until = System.nanoTime();
        for (Relay relay = due.peek(); relay != null && relay.at <= until; relay = due.peek()) {
            ready.add(due.remove());
        }
        ready.forEach(this::work);
        ready.clear();
    }

    private void came(long since) {
        behind = selector.selectedKeys().isEmpty() ? 0 : punctual.behind(since, System.nanoTime());
    }

    private void work(Relay relay) {
        due.remove(relay);
        relay.work(target, System.nanoTime(), behind);
        if (relay.isClosed()) {
            forget(relay);
        } else if (relay.at != DelayedBytes.NEVER) {
            due.add(relay);
        }
    }

    private void forget(Relay relay) {
        if (relays.remove(relay)) {
            open = relays.size();
        }
    }

    private void accept() throws IOException {
        List<SocketChannel> clients = new ArrayList<>();
        try {
            for (SocketChannel client = listener.accept(); client != null; client = listener.accept()) {
                clients.add(client);
            }
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            // Perhaps no descriptor is left. Clients that wait to be accepted go on waiting.
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        for (SocketChannel client : clients) {
            try {
                if (isCut) {
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                    client.close();
                    continue;
                }
                NetworkRule now = rule;
                Relay relay = new Relay(client, now, common, selector, System.nanoTime() + now.rtt().toNanos(), accepted++);
                relay.dark(isDark);
                relays.add(relay);
                open = relays.size();
                work(relay);
            } catch (IOException e) {
                client.close();
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            listener.close();
            selector.wakeup();
            loop.join(COMMAND_LIMIT.toMillis());
            selector.close();
        } catch (IOException e) {
            // nothing can be done about it
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
