package io.brokermeter.cluster.group;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.brokermeter.cluster.CallDiscovery;
import io.brokermeter.cluster.Hello;
import io.brokermeter.cluster.Role;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;

/**
 * One membership in a group: a channel of JGroups and its protocols, configured by code alone. An agent has several, one after the other.
 */
public final class GroupChannel implements AutoCloseable {

    private static final long JOIN_MILLIS = 1_500;
    private static final long LEAVE_MILLIS = 250;
    private static final long VIEW_MILLIS = 500;
    /** The interval of retransmissions, in milliseconds; long, since TCP loses nothing as long as a connection lasts. */
    private static final long REPEAT_MILLIS = 1_000;
    /**
     * The number of attempts to join. A busy machine takes seconds for a first join, and a coordinator that admits an agent which has given
     * up takes it for killed or silent.
     */
    private static final int JOIN_TRIES = 4;
    /**
     * The longest time that an agent tries to join when the coordinator that called it sends nothing though its connection lasts, in
     * milliseconds.
     */
    public static final long LONGEST_JOIN_MILLIS = JOIN_TRIES * JOIN_MILLIS;
    /**
     * The most bytes on the way from one member to another that the receiver has not taken. A receiver that is slow has as many waiting
     * from each sender.
     */
    private static final long CREDITS = 1L << 20;

    public final PeerConnections line;
    public final CallDiscovery calls;
    public final StarTopology star;
    public final JChannel channel;
    /** Counted down when an agent's coordinator is gone or the cluster is closed. */
    public final CountDownLatch over = new CountDownLatch(1);

    /** Receives what becomes known of members before the group reports it. Called by threads of JGroups. */
    public interface Watch {
        void ended(Address member);

        void silent(Address member);

        /** Called in an agent when JGroups suspects a member, and would remove it from the group. */
        void lost(GroupChannel session, Address member);
    }

    public GroupChannel(Hello own, InetAddress address, ListeningPort listening, CallDiscovery.CallHandler handler, Watch watch,
            Receiver receiver) throws Exception {
        JGroupsSetup.initialize();
        calls = new CallDiscovery(own, handler);
        line = new PeerConnections(address, listening, member -> {
            calls.lost(member);
            watch.ended(member);
        });
        star = new StarTopology(own.role() == Role.AGENT, member -> watch.lost(this, member));
        List<Protocol> stack = List.of(line, calls, new Heartbeats(watch::silent), star, new NAKACK2().setXmitInterval(REPEAT_MILLIS),
            new UNICAST3().setXmitInterval(REPEAT_MILLIS), new STABLE(),
            // GMS counts the next attempt before it compares
            new GMS().setJoinTimeout(JOIN_MILLIS).setMaxJoinAttempts(JOIN_TRIES + 1).setLeaveTimeout(LEAVE_MILLIS)
                .setViewAckCollectionTimeout(VIEW_MILLIS).printLocalAddress(false),
            new UFC().setMaxCredits(CREDITS));
        channel = new JChannel(stack);
        channel.setName(own.name());
        channel.setReceiver(receiver);
    }

    /** Connects to the group. In an agent, blocks until a coordinator calls or {@link CallDiscovery#end} is called. */
    public void connect() throws Exception {
        channel.connect(CallDiscovery.GROUP);
    }

    /** Sends a frame on a thread of its own, without flow control. Does not block. */
    public void tell(Address member, byte[] frame) {
        Thread.ofVirtual().name("cluster frame").start(() -> {
            try {
                channel.send(new BytesMessage(member, frame).setFlag(Message.Flag.NO_FC));
            } catch (Exception e) {
                JGroupsSetup.log("a frame to " + member + ": " + e);
            }
        });
    }

    /** Leaves the group, or only stops if the coordinator of the group was lost. */
    @Override
    public void close() {
        calls.end();
        channel.close();
    }
}
