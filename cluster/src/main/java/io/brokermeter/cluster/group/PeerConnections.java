package io.brokermeter.cluster.group;

import java.io.DataInput;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.LongMessage;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.protocols.TCP;
import org.jgroups.stack.DiagnosticsHandler;

/**
 * The connections of a process. In addition to JGroups' TCP, records why a connection cannot be made, keeps connections to addresses that
 * are being called when another member joins, reports whose connection ended, and reads no objects except those of {@link ProtocolObject}.
 */
public final class PeerConnections extends TCP {

    private static final int CONNECT_MILLIS = 1_500;
    private static final int QUEUED = 1_024;
    private static final int LONGEST_PACKET = 1 << 20;

    private final Map<Address, Exception> failures = new ConcurrentHashMap<>();
    private final Set<Address> called = ConcurrentHashMap.newKeySet();
    private final Consumer<Address> ended;

    /**
     * Creates the transport of a channel.
     *
     * @param own the address that others are given for this process; the {@link ListeningPort} listens where its user said
     * @param ended called, before JGroups is, with the member whose connection ended without an orderly close
     */
    PeerConnections(InetAddress own, ListeningPort listening, Consumer<Address> ended) {
        this.ended = ended;
        setBindAddress(own);
        setBindPort(listening.port());
        setPortRange(0);
        setSocketFactory(listening);
        setBundlerType("no-bundler");
        setSockConnTimeout(CONNECT_MILLIS);
        tcpNodelay(true);
        deferClientBindAddr(true);
        enableSuspectEvents(true);
        // a frozen peer must not keep this process from sending to others
        nonBlockingSends(true);
        maxSendQueue(QUEUED);
        setMaxLength(LONGEST_PACKET);
        logDetails(false);
    }

    /** Returns the failures of the last attempts to connect or send, by address; without addresses whose last attempt succeeded. */
    public Map<Address, Exception> failures() {
        return failures;
    }

    /** Keeps the connection to an address while no process there is a member yet. */
    public void keep(Address address) {
        called.add(address);
    }

    /**
     * Forgets the old name of an agent that came back. It has another name in JGroups and the same address, for which the old name must not
     * be found.
     */
    public void forget(Address member) {
        removeLogicalAddressFromCache(member);
        logical_addr_cache.removeMarkedElements(true);
    }

    /** Closes connections at once. An orderly close would be written first, and that would block for ever if the peer is frozen. */
    public void drop(Predicate<Address> which) {
        srv.forAllConnections((address, connection) -> {
            if (which.test(address)) {
                try {
                    connection.close(false);
                } catch (IOException e) {
                    JGroupsSetup.log("the end of a connection to " + address + ": " + e);
                }
                srv.removeConnectionIfPresent(address, connection);
            }
        });
    }

    @Override
    public void send(Address dest, byte[] data, int offset, int length) throws Exception {
        try {
            super.send(dest, data, offset, length);
            failures.remove(dest);
        } catch (Exception e) {
            failures.put(dest, e);
            throw e;
        }
    }

    @Override
    public void retainAll(Collection<Address> members) {
        Set<Address> all = new HashSet<>(members);
        all.addAll(called);
        super.retainAll(all);
    }

    @Override
    public void connectionClosed(Connection conn) {
        Address peer = conn.peerAddress();
        if (conn.isClosedGracefully() || peer == null || srv == null || srv.connectionEstablishedTo(peer)) {
            // two processes that connect to each other at the same moment end up with one connection
            return;
        }
        Address member = logical_addr_cache.getByValue((PhysicalAddress) peer);
        if (member != null) {
            ended.accept(member);
        }
        super.connectionClosed(conn);
    }

    /** Accepts messages to an address as well: a coordinator calls an address before it knows which member is there. */
    @Override
    public boolean unicastDestMismatch(Address dest) {
        return !(dest instanceof PhysicalAddress) && super.unicastDestMismatch(dest);
    }

    /** @throws IllegalStateException if the message is of no kind that is used here; this ends the connection */
    @Override
    protected void handleSingleMessage(DataInput in, boolean multicast) {
        Message message;
        try {
            short type = in.readShort();
            message = switch (type) {
                case Message.BYTES_MSG -> new BytesMessage();
                case Message.EMPTY_MSG -> new EmptyMessage();
                case Message.LONG_MSG -> new LongMessage();
                case Message.OBJ_MSG -> new ProtocolObject();
                default -> throw new IllegalStateException("a message of type " + type);
            };
            message.readFrom(in);
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("a message that cannot be read", e);
        }
        if (!multicast && unicastDestMismatch(message.getDest())) {
            return;
        }
        msg_processing_policy.process(message, message.isFlagSet(Message.Flag.OOB));
    }

    /** Refuses batches of messages: no process of a cluster sends any. */
    @Override
    protected void handleMessageBatch(DataInput in, boolean multicast) {
        throw new IllegalStateException("a batch of messages");
    }

    @Override
    public DiagnosticsHandler createDiagnosticsHandler() {
        return super.createDiagnosticsHandler().setEnabled(false);
    }
}
