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
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The most of a look that counts as waited: a standstill of this process is none. */
    private static final long LOOK_MILLIS = 100;
    /** The time after which all attempts to join have ended when nobody answers, in milliseconds. */
    private static final long JOIN_MILLIS = GroupChannel.LONGEST_JOIN_MILLIS + 500;
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    static {
        JGroupsSetup.please();
    }

    private final ClusterSettings settings;
    private final Hello own;
    private final ListeningPort listening;
    private final InetAddress address;
    private final Thread life;
    private final Events events;

    private final Object lock = new Object();
    private final Map<Address, Peer> peers = new HashMap<>();
    private final Map<Address, Departure> notes = new HashMap<>();
    private final AddressCalls calls;
    private @Nullable GroupChannel session;
    private @Nullable Peer coordinator;
    private long joinedAt;
    /** The {@link System#nanoTime()} at which the coordinator first called this agent again after it had joined; 0 if it has not. */
    private long calledAt;
    private boolean closed;

    private Cluster(ClusterSettings settings, ClusterListener listener, List<Targets.Target> targets) throws IOException {
        this.settings = settings;
        events = new Events(listener);
        own = Hello.of(settings);
        InetAddress bind = settings.bind() == null && settings.credential() == null ? InetAddress.getLoopbackAddress() : settings.bind();
        address = OwnAddress.address(bind, settings.credential() == null, targets);
        listening = new ListeningPort(bind, settings.port(), settings.credential(), this::strange);
        calls = new AddressCalls(targets, settings.dns());
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
        synchronized (lock) {
            Address known = session == null ? null : session.channel.getAddress();
            return known == null ? "" : CallDiscovery.id(known);
        }
    }

    /**
     * Returns the address of this machine from which a coordinator's packets go to an agent and to which the agent's packets come back. The
     * machine may have several, of IPv4 and of IPv6. If it is unknown, returns that of {@link #address}.
     */
    public InetAddress addressTowards(Member member) {
        Peer peer = peer(member.id());
        AddressCalls.Known known = peer == null ? null : calls.known(peer.address());
        InetAddress found = known == null ? null : OwnAddress.towards(known.dialed().getIpAddress());
        return found == null ? address : found;
    }

    /** Returns the other members: in a coordinator the agents, in an agent its coordinator. */
    public List<Member> members() {
        synchronized (lock) {
            return peers.values().stream().map(Peer::member).toList();
        }
    }

    /** Returns a coordinator's missing agents, as its user wrote them, each with a sentence that gives the reason as far as it is known. */
    public Map<String, String> missing() {
        return calls.missing();
    }

    /** Returns the last warnings and errors of JGroups, from all clusters of this process, for the diagnosis of failures. */
    public static List<String> complaints() {
        return JGroupsSetup.said();
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
        Peer peer = peer(to.id());
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
        Peer peer = peer(id);
        return peer == null ? 0 : peer.outbox().bytes();
    }

    private @Nullable Peer peer(String id) {
        synchronized (lock) {
            for (Peer peer : peers.values()) {
                if (peer.member().id().equals(id)) {
                    return peer;
                }
            }
            return null;
        }
    }

    /**
     * Says goodbye and leaves the cluster. Messages sent before still go out, if they can within two seconds. The listener is not called
     * any more when this returns, unless the listener itself is the caller. Blocks for some seconds at most.
     */
    @Override
    public void close() {
        GroupChannel last;
        List<Peer> all;
        synchronized (lock) {
            awaitArrival();
            if (closed) {
                return;
            }
            closed = true;
            events.end();
            last = session;
            all = List.copyOf(peers.values());
        }
        calls.close();
        try {
            sayGoodbye(last, all);
            if (last != null) {
                last.calls.end();
                last.star.end();
                last.over.countDown();
            }
            synchronized (lock) {
                lock.notifyAll();
            }
            life.join(END_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            life.interrupt();
        }
        listening.close();
        all.forEach(Peer::go);
        events.awaitEnd(END_MILLIS);
    }

    /** Waits until a join in progress ends: an agent that left before could say no goodbye, and would be taken for killed. */
    private void awaitArrival() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        try {
            while (!closed && settings.role() == Role.AGENT && coordinator != null && joinedAt == 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (left <= 0) {
                    return;
                }
                lock.wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
            awaitGone();
        } else {
            for (Peer peer : all) {
                peer.awaitGoodbyeHeard(TimeUnit.MILLISECONDS.toNanos(DRAIN_MILLIS));
            }
        }
    }

    /** Waits until the agents, which leave when a goodbye reaches them, are gone: a coordinator that is alone needs no successor. */
    private void awaitGone() throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GOODBYE_MILLIS);
        synchronized (lock) {
            while (!peers.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
                if (left <= 0) {
                    return;
                }
                lock.wait(left);
            }
        }
    }

    // Lives

    private GroupChannel begin() throws Exception {
        GroupChannel next = new GroupChannel(own, address, listening, desk, watch, receiver);
        synchronized (lock) {
            session = next;
            coordinator = null;
            joinedAt = 0;
            calledAt = 0;
            lock.notifyAll();
            if (closed) {
                next.calls.end();
            }
        }
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
        while (!isClosed()) {
            try (GroupChannel next = begin()) {
                next.connect();
                if (joined(next)) {
                    next.over.await();
                }
                part(next);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (Exception e) {
                JGroupsSetup.keep("an agent could not wait for a call: " + e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    private boolean isClosed() {
        synchronized (lock) {
            return closed || Thread.currentThread().isInterrupted();
        }
    }

    /** @return whether the channel is in the group of the coordinator that called, and not alone because it was not admitted */
    private boolean joined(GroupChannel next) {
        View view = next.channel.getView();
        synchronized (lock) {
            Peer caller = coordinator;
            if (closed || caller == null || view == null || !view.containsMember(caller.address())) {
                return false;
            }
            joinedAt = System.nanoTime();
            arrive(caller);
            return true;
        }
    }

    private void part(GroupChannel gone) {
        synchronized (lock) {
            Peer caller = coordinator;
            if (caller == null) {
                return;
            }
            Departure why = notes.remove(caller.address());
            if (why != Departure.LEFT && !closed) {
                gone.star.fallSilent();
                gone.line.drop(_ -> true);
            }
            depart(caller, why == null ? Departure.SILENT : why);
        }
    }

    private void arrive(Peer peer) {
        if (peers.putIfAbsent(peer.address(), peer) == null) {
            events.joined(peer.member());
            lock.notifyAll();
            peer.arrived();
        }
    }

    private void depart(Peer peer, Departure why) {
        peer.go();
        if (peers.remove(peer.address(), peer)) {
            events.left(peer.member(), why);
            lock.notifyAll();
        }
    }

    // Refusals

    private void strange(InetAddress from, IOException why) {
        String text = from.getHostAddress();
        String sentence = "refused a connection from " + text + ", which has " + Targets.strange(why);
        // The sentence is part of the key, so that a connection that sends nothing does not hide a wrong key from the same host.
        events.refused("stranger " + sentence, new PeerRefusal(PeerRefusal.Reason.STRANGER, text, sentence));
    }

    private final CallDiscovery.Desk desk = new CallDiscovery.Desk() {

        @Override
        public CallDiscovery.Reply called(Address caller, Hello hello, String callerAddress, String dialed) {
            if (!own.fits(hello)) {
                events.refused("version " + CallDiscovery.id(caller),
                    new PeerRefusal(PeerRefusal.Reason.VERSION, hello.name(), "coordinator " + hello.name() + " at "
                        + callerAddress + " is version " + hello.versionBeside(own) + ", and this agent is " + own.versionBeside(hello)));
                return new CallDiscovery.Reply(CallDiscovery.Answer.OTHER_VERSION, "");
            }
            synchronized (lock) {
                GroupChannel now = session;
                if (closed || now == null) {
                    return new CallDiscovery.Reply(CallDiscovery.Answer.NOTHING, "");
                }
                Peer current = coordinator;
                if (current == null) {
                    coordinator =
                        new Peer(hello.member(CallDiscovery.id(caller), callerAddress), caller, now.channel, events, Cluster.this::leaves);
                    return new CallDiscovery.Reply(CallDiscovery.Answer.COMES, "");
                }
                if (!current.address().equals(caller)) {
                    return new CallDiscovery.Reply(CallDiscovery.Answer.TAKEN,
                        current.member().name() + " at " + current.member().address());
                }
                if (joinedAt == 0) {
                    return new CallDiscovery.Reply(CallDiscovery.Answer.COMES, "");
                }
                long at = System.nanoTime();
                if (calledAt == 0) {
                    calledAt = at;
                }
                if (at - joinedAt > SETTLED_NANOS && at - calledAt > SURE_NANOS) {
                    // a coordinator that calls repeatedly gave this member up; a single call may have been on its way before the join
                    notes.putIfAbsent(caller, Departure.SILENT);
                    now.over.countDown();
                }
                return new CallDiscovery.Reply(CallDiscovery.Answer.NOTHING, "");
            }
        }

        @Override
        public void answered(Address agent, IpAddress dialed, Hello hello, CallDiscovery.Reply reply) {
            String where = CallDiscovery.text(dialed);
            String key = where + " " + reply;
            switch (reply.answer()) {
                case COMES -> {
                    Address earlier = calls.comes(agent, dialed, hello);
                    events.forget(where + " ");
                    GroupChannel now;
                    synchronized (lock) {
                        now = session;
                    }
                    if (earlier != null && now != null) {
                        now.line.forget(earlier);
                    }
                    look();
                }
                case OTHER_VERSION -> {
                    String sentence = "agent " + hello.name() + " at " + where + " is version " + hello.versionBeside(own)
                        + ", and this coordinator is " + own.versionBeside(hello);
                    calls.comesNot(dialed, sentence);
                    events.refused(key, new PeerRefusal(PeerRefusal.Reason.VERSION, hello.name(), sentence));
                }
                case TAKEN -> {
                    String sentence = "agent " + hello.name() + " at " + where + " works for coordinator " + reply.detail();
                    calls.comesNot(dialed, sentence);
                    events.refused(key, new PeerRefusal(PeerRefusal.Reason.TAKEN, hello.name(), sentence));
                }
                case NOTHING -> {
                }
            }
        }
    };

    private final GroupChannel.Watch watch = new GroupChannel.Watch() {

        @Override
        public void ended(Address member) {
            note(member, Departure.KILLED);
        }

        @Override
        public void silent(Address member) {
            note(member, Departure.SILENT);
        }

        @Override
        public void lost(GroupChannel of, Address member) {
            synchronized (lock) {
                if (session == of && coordinator != null && coordinator.address().equals(member)) {
                    of.over.countDown();
                }
            }
        }
    };

    private void note(Address member, Departure why) {
        synchronized (lock) {
            if (peers.containsKey(member) || coordinator != null && coordinator.address().equals(member)) {
                notes.putIfAbsent(member, why);
            }
        }
    }

    private final Receiver receiver = new Receiver() {

        @Override
        public void viewAccepted(View view) {
            if (settings.role() == Role.COORDINATOR) {
                look();
            } else {
                synchronized (lock) {
                    if (session != null && coordinator != null && joinedAt != 0 && !view.containsMember(coordinator.address())) {
                        session.over.countDown();
                    }
                }
            }
        }

        @Override
        public void receive(Message message) {
            try {
                Peer from = sender(message.getSrc());
                if (from != null && message.hasArray()) {
                    from.take(message.getArray(), message.getOffset(), message.getLength());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    };

    /** Updates a coordinator's members: a process is a member if it is in the group and has answered a call. */
    private void look() {
        synchronized (lock) {
            View view = session == null ? null : session.channel.getView();
            if (view == null || settings.role() != Role.COORDINATOR) {
                return;
            }
            GroupChannel now = session;
            // JGroups retains connections by their addresses, so it would keep those of members that it gave up
            for (Peer peer : new ArrayList<>(peers.values())) {
                if (!view.containsMember(peer.address())) {
                    Departure noted = notes.remove(peer.address());
                    Departure why = noted == null ? Departure.LEFT : noted;
                    AddressCalls.Known known = calls.known(peer.address());
                    if (known != null && now != null && why == Departure.SILENT) {
                        now.line.drop(known.dialed()::equals);
                    }
                    calls.gone(peer.address(), why);
                    depart(peer, why);
                }
            }
            for (Address one : view.getMembers()) {
                AddressCalls.Known known = peers.containsKey(one) ? null : calls.known(one);
                if (known != null && now != null) {
                    calls.isThere(one);
                    arrive(new Peer(known.hello().member(CallDiscovery.id(one), CallDiscovery.text(known.dialed())), one,
                        now.channel, events, this::leaves));
                }
            }
        }
    }

    private void leaves(Peer from) {
        synchronized (lock) {
            GroupChannel now = session;
            if (now != null && peers.get(from.address()) == from) {
                notes.put(from.address(), Departure.LEFT);
                if (settings.role() == Role.COORDINATOR) {
                    now.tell(from.address(), Frames.heard());
                } else {
                    now.over.countDown();
                }
            }
        }
    }

    /**
     * Returns the sender of a message; null if it is no member. To an agent this is the coordinator that called, also before it has joined
     * it. A coordinator waits if need be: it may admit an agent before it has read the agent's answer to its call.
     */
    private @Nullable Peer sender(Address from) throws InterruptedException {
        synchronized (lock) {
            if (settings.role() == Role.AGENT) {
                Peer caller = coordinator;
                return caller != null && caller.address().equals(from) && (joinedAt == 0 || peers.containsKey(from)) ? caller : null;
            }
            for (long waited = 0; !closed && waited < UNKNOWN_NANOS && !peers.containsKey(from) && isAdmitted(from);) {
                long before = System.nanoTime();
                lock.wait(LOOK_MILLIS);
                waited += Math.min(System.nanoTime() - before, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
            }
            return peers.get(from);
        }
    }

    /** Returns whether a process is in the group. An agent is before its first message: it sends none before it knows that it was admitted. */
    private boolean isAdmitted(Address one) {
        View view = session == null ? null : session.channel.getView();
        return view != null && view.containsMember(one);
    }
}
