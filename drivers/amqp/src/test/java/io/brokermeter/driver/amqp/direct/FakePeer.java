package io.brokermeter.driver.amqp.direct;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.driver.wire.Wire;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;

/** A peer for one connection that answers the opening and closing frames; everything else is controlled by the test. */
final class FakePeer implements AutoCloseable {

    private final ServerSocketChannel server;
    private final Open open;
    private final Performatives codec = new Performatives();
    private final BlockingQueue<Object> frames = new LinkedBlockingQueue<>();
    private volatile SocketChannel channel;
    private volatile Open opened;
    private List<Late> withheld;
    private final AtomicInteger ends = new AtomicInteger();
    private volatile boolean deaf;

    FakePeer(Open open) throws Exception {
        this.open = open;
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofPlatform().daemon().start(this::run);
    }

    String url() throws Exception {
        return "amqp://127.0.0.1:" + ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** Returns the next frame that the peer does not answer itself, or {@code "empty"} for a heartbeat. */
    Object next() throws Exception {
        var frame = frames.poll(60, TimeUnit.SECONDS);
        if (frame == null) {
            throw new AssertionError("no frame came within 60 s");
        }
        return frame;
    }

    /** Returns the open frame of the client. */
    Open opened() {
        return opened;
    }

    boolean isSilent() {
        return frames.isEmpty();
    }

    void grant(int credit, int deliveryCount, int transfers) throws Exception {
        grant(credit, deliveryCount, transfers, 1000);
    }

    void grant(int credit, int deliveryCount, int transfers, int window) throws Exception {
        grantOn(0, credit, deliveryCount, transfers, window);
    }

    /** Grants credit to the link on the session of a channel. */
    void grantOn(int number, int credit, int deliveryCount, int transfers, int window) throws Exception {
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.valueOf(transfers));
        flow.setIncomingWindow(UnsignedInteger.valueOf(window));
        flow.setNextOutgoingId(UnsignedInteger.ZERO);
        flow.setOutgoingWindow(UnsignedInteger.valueOf(1000));
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        write(0, number, flow);
    }

    synchronized void write(int type, int number, Object performative) throws Exception {
        ByteBuffer out = ByteBuffer.allocate(4096).position(8);
        codec.encode(performative, out);
        out.putInt(0, out.position()).put(4, (byte) 2).put(5, (byte) type).putShort(6, (short) number);
        channel.write(out.flip());
    }

    /** Withholds replies about links and sessions from now on. */
    synchronized void withhold() {
        withheld = new ArrayList<>();
    }

    /** Returns the number of withheld replies. */
    synchronized int withheld() {
        return withheld == null ? 0 : withheld.size();
    }

    /** Sends the withheld replies, and replies at once from now on. */
    synchronized void release() throws Exception {
        for (Late late : withheld) {
            write(0, late.channel, late.performative);
        }
        withheld = null;
    }

    /** Returns the number of sessions that the client has ended. */
    int ends() {
        return ends.get();
    }

    /** Stops reading after the frame that is being read. */
    void stopReading() {
        deaf = true;
    }

    synchronized void raw(ByteBuffer frame) throws Exception {
        channel.write(frame);
    }

    private synchronized void answer(int number, Object performative) throws Exception {
        if (withheld == null) {
            write(0, number, performative);
        } else {
            withheld.add(new Late(number, performative));
        }
    }

    private record Late(int channel, Object performative) {}

    private void run() {
        try {
            channel = server.accept();
            Wire wire = Wire.over(channel);
            AmqpFrames incoming = new AmqpFrames();
            channel.write(ByteBuffer.wrap(incoming.take(wire, 8)));
            SaslMechanisms mechanisms = new SaslMechanisms();
            mechanisms.setSaslServerMechanisms(Symbol.valueOf("PLAIN"), Symbol.valueOf("ANONYMOUS"));
            write(1, 0, mechanisms);
            while (true) {
                while (deaf && channel.isOpen()) {
                    Thread.sleep(10);
                }
                incoming.await(wire);
                if (incoming.buffer().position() == incoming.frameEnd()) {
                    frames.add("empty");
                    continue;
                }
                Object frame;
                synchronized (this) {
                    frame = codec.decode(incoming.view(incoming.buffer().position(), incoming.frameEnd()).slice());
                }
                switch (frame) {
                    case SaslInit init -> {
                        SaslOutcome outcome = new SaslOutcome();
                        outcome.setCode(SaslCode.OK);
                        write(1, 0, outcome);
                        channel.write(ByteBuffer.wrap(incoming.take(wire, 8)));
                    }
                    case Open theirs -> {
                        opened = theirs;
                        write(0, 0, open);
                    }
                    case Begin theirs -> {
                        Begin begin = new Begin();
                        begin.setRemoteChannel(UnsignedShort.valueOf((short) incoming.channel()));
                        begin.setNextOutgoingId(UnsignedInteger.ZERO);
                        begin.setIncomingWindow(UnsignedInteger.valueOf(1000));
                        begin.setOutgoingWindow(UnsignedInteger.valueOf(1000));
                        write(0, incoming.channel(), begin);
                    }
                    case Attach theirs -> {
                        theirs.setRole(theirs.getRole() == Role.SENDER ? Role.RECEIVER : Role.SENDER);
                        theirs.setInitialDeliveryCount(UnsignedInteger.ZERO);
                        answer(incoming.channel(), theirs);
                    }
                    case Detach theirs -> answer(incoming.channel(), theirs);
                    case End theirs -> {
                        ends.incrementAndGet();
                        answer(incoming.channel(), theirs);
                    }
                    case Close theirs -> write(0, 0, theirs);
                    default -> frames.add(frame);
                }
            }
        } catch (Exception e) {
            // the connection has ended
        }
    }

    @Override
    public void close() throws Exception {
        server.close();
        if (channel != null) {
            channel.close();
        }
    }
}
