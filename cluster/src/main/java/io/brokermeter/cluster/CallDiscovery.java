package io.brokermeter.cluster;

import java.io.DataInput;
import java.io.IOException;
import java.util.List;

import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.Discovery;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.PingHeader;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Responses;
import org.jgroups.util.Tuple;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The discovery protocol of the cluster. A coordinator forms a group of its own at once and repeatedly calls the addresses that its user
 * named. An agent is in no group: it waits for a call and joins the group of the caller, over the connection that the caller opened. So the
 * order in which processes start does not matter, groups are never merged, and an agent needs no route to the coordinator.
 */
public final class CallDiscovery extends Discovery {

    public static final String GROUP = "brokermeter";
    private static final int LONGEST = 1 << 16;

    /** The answers of an agent to a call. */
    enum Answer {
        COMES, OTHER_VERSION, TAKEN, NOTHING
    }

    /** An answer with its detail: for {@link Answer#TAKEN} the coordinator that the agent works for, else the empty string. */
    record Reply(Answer answer, String detail) {}

    /** Handles calls and answers. Called by threads of JGroups; must not block. */
    public interface CallHandler {

        /**
         * Answers, in an agent, the call of a coordinator.
         *
         * @param callerAddress the address that the coordinator gives for itself
         * @param dialed the address at which the coordinator reached the agent
         */
        Reply called(Address caller, Hello hello, String callerAddress, String dialed);

        /** Handles, in a coordinator, the answer of an agent. */
        void answered(Address agent, IpAddress dialed, Hello hello, Reply reply);
    }

    private final CallHandler handler;
    private final Hello own;
    private final boolean agent;
    private final Object lock = new Object();
    /** The coordinator that called, as the result of the discovery for all attempts to join. */
    private final Responses found = new Responses(true);
    private @Nullable Address caller;
    private boolean tried;
    private boolean callerLost;
    private boolean ended;

    public CallDiscovery(Hello own, CallHandler handler) {
        this.own = own;
        this.handler = handler;
        agent = own.role() == Role.AGENT;
        setId(ClassConfigurator.getProtocolId(TCPPING.class));
    }

    /** Returns true: a process needs no addresses except those of processes that called it or that it called. */
    @Override
    public boolean isDynamic() {
        return true;
    }

    /** Ends the wait of an agent for a call; the agent is then alone in its group. */
    public void end() {
        synchronized (lock) {
            ended = true;
            lock.notifyAll();
        }
    }

    /** Records that the connection to a member ended: an agent that still tries to join over it gives up at its next attempt. */
    public void lost(Address member) {
        synchronized (lock) {
            callerLost |= member.equals(caller);
        }
    }

    /** Calls an address. Blocks while a connection is opened, for a few seconds at most. */
    void call(IpAddress dialed) throws IOException {
        ByteArrayDataOutputStream out = new ByteArrayDataOutputStream(256);
        ((IpAddress) down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr))).writeTo(out);
        dialed.writeTo(out);
        own.write(out);
        down_prot.down(packet(dialed, PingHeader.GET_MBRS_REQ, out));
    }

    private Message packet(Address to, byte type, ByteArrayDataOutputStream content) {
        return new BytesMessage(to).setFlag(Message.Flag.OOB, Message.Flag.NO_RELIABILITY, Message.Flag.NO_FC)
            .setFlag(Message.TransientFlag.DONT_LOOPBACK).putHeader(id, new PingHeader(type).clusterName(GROUP))
            .setArray(content.buffer(), 0, content.position());
    }

    @Override
    public Object down(Event event) {
        if (event.getType() == Event.FIND_INITIAL_MBRS) {
            return waitForCall();
        }
        return super.down(event);
    }

    private Responses waitForCall() {
        synchronized (lock) {
            while (agent && !ended && !tried && caller == null) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    ended = true;
                }
            }
            boolean first = !tried;
            tried = true;
            if (ended || callerLost) {
                found.clear();
            } else if (first && caller != null) {
                found.addResponse(new PingData(caller, true).coord(true), true);
            }
            // Each later attempt adds to the result of the first one. If that is empty, the channel ends, and another one waits again.
            return first ? found.done() : new Responses(true).done();
        }
    }

    @Override
    protected @Nullable Object handle(PingHeader header, Message message) {
        if (message.getLength() > 0 && message.getLength() <= LONGEST) {
            DataInput in = new ByteArrayDataInputStream(message.getArray(), message.getOffset(), message.getLength());
            try {
                if (agent && header.type() == PingHeader.GET_MBRS_REQ) {
                    handleCall(message.getSrc(), in);
                } else if (!agent && header.type() == PingHeader.GET_MBRS_RSP) {
                    handleAnswer(message.getSrc(), in);
                }
            } catch (IOException | IndexOutOfBoundsException e) {
                log.warn("a call that cannot be read: " + e);
            }
        }
        return null;
    }

    private void handleCall(Address from, DataInput in) throws IOException {
        IpAddress address = new IpAddress();
        address.readFrom(in);
        IpAddress dialed = new IpAddress();
        dialed.readFrom(in);
        Hello hello = Hello.read(in);
        Reply reply = handler.called(from, hello, text(address), text(dialed));
        if (reply.answer() == Answer.NOTHING) {
            return;
        }
        know(from, address);
        ByteArrayDataOutputStream out = new ByteArrayDataOutputStream(256);
        dialed.writeTo(out);
        own.write(out);
        out.writeByte(reply.answer().ordinal());
        out.writeUTF(reply.detail());
        down_prot.down(packet(from, PingHeader.GET_MBRS_RSP, out));
        if (reply.answer() == Answer.COMES) {
            synchronized (lock) {
                caller = from;
                lock.notifyAll();
            }
        }
    }

    private void handleAnswer(Address from, DataInput in) throws IOException {
        IpAddress dialed = new IpAddress();
        dialed.readFrom(in);
        Hello hello = Hello.read(in);
        know(from, dialed);
        if (hello.protocol() != own.protocol()) {
            handler.answered(from, dialed, hello, new Reply(Answer.OTHER_VERSION, ""));
            return;
        }
        int answer = in.readByte();
        if (answer < 0 || answer >= Answer.values().length) {
            throw new IOException("answer " + answer);
        }
        handler.answered(from, dialed, hello, new Reply(Answer.values()[answer], in.readUTF()));
    }

    private void know(Address member, PhysicalAddress address) {
        down_prot.down(new Event(Event.ADD_PHYSICAL_ADDRESS, new Tuple<>(member, address)));
    }

    static String id(Address member) {
        return member instanceof UUID uuid ? uuid.toStringLong() : member.toString();
    }

    static String text(IpAddress address) {
        // JGroups reads an IPv6 address without a zone as one of zone 0, which users do not write
        String host = address.getIpAddress().getHostAddress().replaceFirst("%0$", "");
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** Finds nothing: members are found by calls only. */
    @Override
    protected void findMembers(List<Address> members, boolean initial, Responses responses) {
        responses.done();
    }
}
