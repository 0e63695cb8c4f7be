package io.brokermeter.driver.rocketmq;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.remoting.RemotingClient;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/**
 * Watches the connections of an {@link AdminConnection} to the masters, on a thread of its own: asks each often enough that none is idle,
 * detects its loss, and with {@code reconnect} tries those that are absent until they are back.
 */
final class MasterWatch {

    /** The least number of requests in the time after which a broker closes an idle connection. */
    private static final int TOUCHES = 4;
    private static final Duration TOUCH_LIMIT = Duration.ofSeconds(3);
    /** The number of requests in a row that a broker leaves unanswered before its connection counts as lost. */
    private static final int MOST_UNANSWERED = 3;
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final RocketMqSettings settings;
    private final AdminConnection admin;
    private final ConnectionListener listener;
    private final Consumer<Throwable> lost;
    private final BlockingQueue<String> closures;
    private final Map<String, String> masters = new HashMap<>();
    /** The number of requests in a row that each master left unanswered; used by the watch thread only. */
    private final Map<String, Integer> unanswered = new HashMap<>();
    private final Duration touch;
    /** Addresses of masters whose connection broke and is not restored; changed by the watch thread, under the monitor of {@code forms}. */
    private final Set<String> absent;
    /** The forms of all producers that were created; guarded by its own monitor. */
    private final List<MessageForm> forms = new ArrayList<>();
    /** The network connections of all clients of this connection. */
    private final List<RemotingClient> networks = new CopyOnWriteArrayList<>();
    private final Thread watch;
    private volatile boolean over;

    /**
     * @param absent receives the addresses of masters that are not available
     * @param closures the addresses of brokers whose connections close, as {@code admin} reports them
     * @param touch the longest interval of requests to each broker
     * @param lost called once, by the watching thread, when the connection is lost for good
     */
    MasterWatch(RocketMqSettings settings, AdminConnection admin, Set<String> absent, BlockingQueue<String> closures, Duration touch,
            ConnectionListener listener, Consumer<Throwable> lost) throws InterruptedException {
        this.settings = settings;
        this.admin = admin;
        this.absent = absent;
        this.closures = closures;
        this.listener = listener;
        this.lost = lost;
        Duration idle = admin.idleLimit();
        this.touch = idle.dividedBy(TOUCHES).compareTo(touch) < 0 ? idle.dividedBy(TOUCHES) : touch;
        for (String master : admin.masters()) {
            masters.put(resolved(master), master);
        }
        this.watch = Thread.ofPlatform().name("rocketmq-watch").daemon().unstarted(this::watch);
    }

    void start() {
        watch.start();
    }

    /** Stops watching. Does not block. */
    void end() {
        over = true;
        watch.interrupt();
    }

    /** Waits until the thread has ended, some seconds at most. */
    void join() {
        ConsumerThread.join(watch, STOP_NANOS);
    }

    /** Tells the form of a new producer which masters are absent, now and later. */
    void add(MessageForm form) {
        synchronized (forms) {
            forms.add(form);
            absent.forEach(master -> form.leave(admin.nameOf(master)));
        }
    }

    /** Closes the connections of a client, too, to a broker that does not answer. */
    void add(RemotingClient network) {
        networks.add(network);
    }

    /** Returns whether any master is not available at present. */
    boolean isAnyAbsent() {
        return !absent.isEmpty();
    }

    /** Returns an address in the form in which the client names the other end of a connection. */
    private static String resolved(String address) {
        int colon = address.lastIndexOf(':');
        try {
            return InetAddress.getByName(address.substring(0, colon)).getHostAddress() + address.substring(colon);
        } catch (UnknownHostException e) {
            return address;
        }
    }

    private void watch() {
        long next = System.nanoTime() + touch.toNanos();
        while (!over) {
            try {
                long wait = next - System.nanoTime();
                String closed = closures.poll(Math.max(0, absent.isEmpty() ? wait : Math.min(wait, RETRY.toNanos())), TimeUnit.NANOSECONDS);
                String master = closed == null ? null : masters.get(closed);
                if (over) {
                    return;
                }
                if (master != null && !absent.contains(master)) {
                    broken(master);
                }
                if (closed == null) {
                    lookForAbsent();
                }
                if (System.nanoTime() - next >= 0) {
                    next = System.nanoTime() + touch.toNanos();
                    touchAll();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void touchAll() throws InterruptedException {
        for (String master : masters.values()) {
            if (absent.contains(master)) {
                continue;
            }
            try {
                admin.touch(master, TOUCH_LIMIT);
                unanswered.remove(master);
            } catch (InterruptedException e) {
                throw e;
            } catch (RemotingTimeoutException e) {
                // A broker that stands still for some seconds is not lost, but nothing else reports one whose host is gone.
                if (unanswered.merge(master, 1, Integer::sum) >= MOST_UNANSWERED) {
                    unanswered.remove(master);
                    hangUp(master);
                }
            } catch (Exception e) {
                // an answer of any kind, or a closed connection, which is reported by its closure
                unanswered.remove(master);
            }
        }
    }

    /** Closes all connections to a broker that does not answer, which the clients themselves do not. */
    private void hangUp(String master) {
        admin.hangUp(master);
        networks.forEach(network -> network.closeChannels(List.of(master)));
    }

    private void broken(String master) {
        String sentence = "The connection to the RocketMQ broker at " + master + " broke.";
        if (!settings.reconnect) {
            over = true;
            lost.accept(new DriverException(sentence, null));
            return;
        }
        synchronized (forms) {
            absent.add(master);
            forms.forEach(form -> form.leave(admin.nameOf(master)));
        }
        listener.interrupted(sentence);
        if (absent.size() < masters.size()) {
            // Messages are sent to the other masters, and consumers get the rest from slaves.
            listener.resumed();
        }
    }

    /** Tries the masters whose connection broke, each for a short time. */
    private void lookForAbsent() throws InterruptedException {
        for (String master : List.copyOf(absent)) {
            try {
                admin.touch(master, TOUCH_LIMIT);
            } catch (InterruptedException e) {
                throw e;
            } catch (RemotingTimeoutException e) {
                // a connection on which nothing comes may stay so after the master is back
                hangUp(master);
                continue;
            } catch (Exception e) {
                continue;
            }
            // Further closures while the master was absent were queued, too.
            closures.removeIf(closed -> master.equals(masters.get(closed)));
            boolean wereAllAbsent = absent.size() == masters.size();
            synchronized (forms) {
                absent.remove(master);
                forms.forEach(form -> form.comeBackTo(admin.nameOf(master)));
            }
            if (wereAllAbsent) {
                listener.resumed();
            }
        }
    }
}
