package io.brokermeter.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.brokermeter.cluster.group.GroupChannel;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The members of a cluster as one process knows them, by what its group, its connections and its calls report. In an agent this is the
 * coordinator that called it, in a coordinator the agents that are in its group and have answered a call. Thread-safe.
 */
final class Membership {

    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The most of a look that counts as waited: a standstill of this process is none. */
    private static final long LOOK_MILLIS = 100;
    /** The time after which all attempts to join have ended when nobody answers, in milliseconds. */
    private static final long JOIN_MILLIS = GroupChannel.LONGEST_JOIN_MILLIS + 500;
    private static final long SETTLED_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Role role;
    private final Hello own;
    private final AddressCalls calls;
    private final Events events;

    private final Object lock = new Object();
    private final Map<Address, Peer> peers = new HashMap<>();
    private final Map<Address, Departure> notes = new HashMap<>();
    private @Nullable GroupChannel session;
    private @Nullable Peer coordinator;
    private long joinedAt;
    /** The {@link System#nanoTime()} at which the coordinator first called this agent again after it had joined; 0 if it has not. */
    private long calledAt;
    private boolean closed;

    /** @param events receives the arrivals, departures and messages of members, and the refusals */
    Membership(Hello own, AddressCalls calls, Events events) {
        this.role = own.role();
        this.own = own;
        this.calls = calls;
        this.events = events;
    }

    // Used by the cluster

    /** Returns the {@link Member#id} of this process in its group; empty if it is in none. */
    String id() {
        synchronized (lock) {
            Address known = session == null ? null : session.channel.getAddress();
            return known == null ? "" : CallDiscovery.id(known);
        }
    }

    List<Member> members() {
        synchronized (lock) {
            return peers.values().stream().map(Peer::member).toList();
        }
    }

    /** Returns the member with this {@link Member#id}; null if it is gone. */
    @Nullable Peer peer(String id) {
        synchronized (lock) {
            for (Peer peer : peers.values()) {
                if (peer.member().id().equals(id)) {
                    return peer;
                }
            }
            return null;
        }
    }

    /** Begins with a channel that has not joined a group. */
    void begin(GroupChannel next) {
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
    }

    /** @return whether the channel is in the group of the coordinator that called, and not alone because it was not admitted */
    boolean joined(GroupChannel next) {
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

    /** Notes that an agent is not in the group of its coordinator any more. */
    void part(GroupChannel gone) {
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

    /** Returns whether {@link #close} was called or this thread was interrupted. */
    boolean isClosed() {
        synchronized (lock) {
            return closed || Thread.currentThread().isInterrupted();
        }
    }

    /**
     * What a process leaves.
     *
     * @param session its channel; null if it had none yet
     */
    record Left(@Nullable GroupChannel session, List<Peer> peers) {}

    /** Ends the events and joins no further group. Returns what is to be left; null if that was done before. */
    @Nullable Left close() {
        synchronized (lock) {
            awaitArrival();
            if (closed) {
                return null;
            }
            closed = true;
            events.end();
            return new Left(session, List.copyOf(peers.values()));
        }
    }

    /** Waits until a join in progress ends: an agent that left before could say no goodbye, and would be taken for killed. */
    private void awaitArrival() {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        try {
            while (!closed && role == Role.AGENT && coordinator != null && joinedAt == 0) {
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

    /** Waits until the agents, which leave when a goodbye reaches them, are gone: a coordinator that is alone needs no successor. */
    void awaitGone(long limitMillis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
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

    /** Wakes the threads that wait for members. */
    void wake() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    // Arrivals and departures

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

    /** Updates a coordinator's members: a process is a member if it is in the group and has answered a call. */
    private void look() {
        synchronized (lock) {
            View view = session == null ? null : session.channel.getView();
            if (view == null || role != Role.COORDINATOR) {
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
                if (role == Role.COORDINATOR) {
                    now.tell(from.address(), Frames.heard());
                } else {
                    now.over.countDown();
                }
            }
        }
    }

    private void note(Address member, Departure why) {
        synchronized (lock) {
            if (peers.containsKey(member) || coordinator != null && coordinator.address().equals(member)) {
                notes.putIfAbsent(member, why);
            }
        }
    }

    // Calls, connections, and messages

    /** Handles the calls of coordinators, and the answers of agents. */
    final CallDiscovery.CallHandler callHandler = new CallDiscovery.CallHandler() {

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
                        new Peer(hello.member(CallDiscovery.id(caller), callerAddress), caller, now.channel, events,
                            Membership.this::leaves);
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

    /** Notes what connections and heartbeats say of members. */
    final GroupChannel.Watch watch = new GroupChannel.Watch() {

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

    /** Receives views and messages of the group. */
    final Receiver receiver = new Receiver() {

        @Override
        public void viewAccepted(View view) {
            if (role == Role.COORDINATOR) {
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

    /**
     * Returns the sender of a message; null if it is no member. To an agent this is the coordinator that called, also before it has joined
     * it. A coordinator waits if need be: it may admit an agent before it has read the agent's answer to its call.
     */
    private @Nullable Peer sender(Address from) throws InterruptedException {
        synchronized (lock) {
            if (role == Role.AGENT) {
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
