package io.brokermeter.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.cluster.group.GroupChannel;
import io.brokermeter.cluster.group.JGroupsSetup;
import io.brokermeter.cluster.group.ListeningPort;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * A process among those that make one measurement: reports the other members and exchanges messages with them. A coordinator sees its
 * agents; an agent sees its coordinator, and waits for the next one when that is gone. Agents do not see each other.
 *
 * <p>All methods may be called from any thread, including the listener's.
 */
public final class Cluster implements AutoCloseable {

    /** The longest message, in bytes of UTF-8. */
    public static final int LONGEST_MESSAGE = 32 << 20;

    private static final long DRAIN_MILLIS = 2_000;
    private static final long GOODBYE_MILLIS = 1_500;
    private static final long END_MILLIS = 5_000;
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    static {
        JGroupsSetup.initialize();
    }

    private final ClusterSettings settings;
    private final Hello own;
    private final ListeningPort listening;
    private final InetAddress address;
    private final Thread life;
    private final Events events;

    private final AddressCalls calls;
    private final Membership membership;

    private Cluster(ClusterSettings settings, ClusterListener listener, List<Targets.Target> targets) throws IOException {
        this.settings = settings;
        events = new Events(listener);
        own = Hello.of(settings);
        InetAddress bind = settings.bind() == null && settings.credential() == null ? InetAddress.getLoopbackAddress() : settings.bind();
        address = OwnAddress.address(bind, settings.credential() == null, targets);
        listening = new ListeningPort(bind, settings.port(), settings.credential(), this::refuseConnection);
        calls = new AddressCalls(targets, settings.dns());
        membership = new Membership(own, calls, events);
        life = Thread.ofPlatform().daemon().name("cluster")
            .unstarted(settings.role() == Role.AGENT ? this::beAgent : this::beCoordinator);
    }

    /**
     * Opens a cluster, in which this process takes part until {@link #close}. Returns at once; the listener is notified of other members.
     *
     * @throws ClusterException if the port is taken, an address is invalid or unknown, or an address beyond loopback is requested without a
     *     credential
     */
    public static Cluster open(ClusterSettings settings, ClusterListener listener) throws ClusterException {
        if (settings.credential() == null && settings.bind() != null && !settings.bind().isLoopbackAddress()) {
            throw new ClusterException(
                settings.bind().getHostAddress() + " is not loopback, and without a key nothing listens beyond that");
        }
        if (settings.dns()) {
            OwnAddress.forgetNamesSoon();
        }
        List<Targets.Target> targets = Targets.parse(settings);
        try {
            Cluster cluster = new Cluster(settings, listener, targets);
            cluster.events.start();
            cluster.life.start();
            return cluster;
        } catch (IOException e) {
            throw new ClusterException("cannot listen on port " + settings.port() + ": " + e.getMessage(), e);
        }
    }

    /** Returns the port that this process listens on, with the bound address, or this machine's own where that is a wildcard. */
    public InetSocketAddress address() {
        return new InetSocketAddress(address, listening.port());
    }

    /** Returns the {@link Member#id} by which the other members of its group know this process now; empty if it is in no group. */
    public String id() {
        return membership.id();
    }

    /**
     * Returns the address of this machine from which a coordinator's packets go to an agent and to which the agent's packets come back. The
     * machine may have several, of IPv4 and of IPv6. If it is unknown, returns that of {@link #address}.
     */
    public InetAddress addressTowards(Member member) {
        Peer peer = membership.peer(member.id());
        AddressCalls.Known known = peer == null ? null : calls.known(peer.address());
        InetAddress found = known == null ? null : OwnAddress.towards(known.dialed().getIpAddress());
        return found == null ? address : found;
    }

    /** Returns the other members: in a coordinator the agents, in an agent its coordinator. */
    public List<Member> members() {
        return membership.members();
    }

    /** Returns a coordinator's missing agents, as its user wrote them, each with a sentence that gives the reason as far as it is known. */
    public Map<String, String> missing() {
        return calls.missing();
    }

    /** Returns the last warnings and errors of JGroups, from all clusters of this process, for the diagnosis of failures. */
    public static List<String> complaints() {
        return JGroupsSetup.recentLog();
    }

    /**
     * Sends a message without waiting. Messages to a member arrive completely and in order as long as it is a member.
     *
     * @throws ClusterException if the member is gone, if the message is longer than {@link #LONGEST_MESSAGE}, or if 64 MiB wait for this
     *     member already
     */
    public void send(Member to, String json) throws ClusterException {
        send(to, json, Duration.ZERO);
    }

    /**
     * Sends a message as {@link #send(Member, String)} does, but waits for room.
     *
     * @param patience the longest time to wait
     */
    public void send(Member to, String json, Duration patience) throws ClusterException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_MESSAGE) {
            throw new ClusterException("a message of " + bytes.length + " bytes, and the longest may have " + LONGEST_MESSAGE);
        }
        Peer peer = membership.peer(to.id());
        Outbox.Taken taken;
        try {
            taken = peer == null ? Outbox.Taken.GONE : peer.outbox().add(bytes, patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while a message to " + to.name() + " waited", e);
        }
        switch (taken) {
            case YES -> {
            }
            case FULL -> throw new ClusterException(to.name() + " at " + to.address() + " takes messages too slowly: " + (Outbox.MOST >> 20)
                + " MiB wait for it");
            case GONE -> throw new ClusterException(to.name() + " at " + to.address() + " is gone");
        }
    }

    /** Returns the number of bytes that wait to be sent to the member with this {@link Member#id}; 0 if it is gone. */
    public long waiting(String id) {
        Peer peer = membership.peer(id);
        return peer == null ? 0 : peer.outbox().bytes();
    }

    /**
     * Says goodbye and leaves the cluster. Messages sent before still go out, if they can within two seconds. The listener is not called
     * any more when this returns, unless the listener itself is the caller. Blocks for some seconds at most.
     */
    @Override
    public void close() {
        Membership.Left left = membership.close();
        if (left == null) {
            return;
        }
        GroupChannel last = left.session();
        List<Peer> all = left.peers();
        calls.close();
        try {
            sayGoodbye(last, all);
            if (last != null) {
                last.calls.end();
                last.star.end();
                last.over.countDown();
            }
            membership.wake();
            life.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            life.interrupt();
        }
        listening.close();
        all.forEach(Peer::go);
        events.awaitEnd(END_MILLIS);
    }

    private void sayGoodbye(@Nullable GroupChannel last, List<Peer> all) throws InterruptedException {
        if (last == null || all.isEmpty()) {
            return;
        }
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS);
        for (Peer peer : all) {
            peer.outbox().drain(Math.max(0, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            if (peer.outbox().bytes() > 0) {
                // a member that takes no messages takes no goodbye either
                peer.go();
                continue;
            }
            last.tell(peer.address(), Frames.bye());
        }
        if (settings.role() == Role.COORDINATOR) {
            membership.awaitGone(GOODBYE_MILLIS);
        } else {
            for (Peer peer : all) {
                peer.awaitGoodbyeHeard(TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS));
            }
        }
    }

    // Lives

    private GroupChannel begin() throws Exception {
        GroupChannel next = new GroupChannel(own, address, listening, membership.callHandler, membership.watch, membership.receiver);
        membership.begin(next);
        return next;
    }

    private void beCoordinator() {
        try (GroupChannel only = begin()) {
            only.connect();
            calls.open(only);
            only.over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException("the group of the coordinator ended", e);
        }
    }

    private void beAgent() {
        while (!membership.isClosed()) {
            try (GroupChannel next = begin()) {
                next.connect();
                if (membership.joined(next)) {
                    next.over.await();
                }
                membership.part(next);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (Exception e) {
                JGroupsSetup.log("an agent could not wait for a call: " + e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private void refuseConnection(InetAddress from, IOException why) {
        String text = from.getHostAddress();
        String sentence = "refused a connection from " + text + ", which has " + Targets.reasonRefused(why);
        // The sentence is part of the key, so that a connection that sends nothing does not hide a wrong key from the same host.
        events.refused("stranger " + sentence, new PeerRefusal(PeerRefusal.Reason.STRANGER, text, sentence));
    }

}
