package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.driver.amqp.library.QpidUrl;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Open;

/**
 * The result of connecting: an authenticated connection on which both sides have sent their open frames.
 *
 * @param reader positioned behind the broker's open frame
 * @param container our container id
 * @param open the broker's open frame
 */
record AmqpHandshake(Wire wire, AmqpFrames reader, String container, Open open) {

    private static final Symbol FAILED = Symbol.valueOf("amqp:connection-establishment-failed");

    /** Connects, authenticates and opens the connection; bounded by the connect timeout of {@code settings}. */
    static AmqpHandshake dial(ConnectionSettings settings, DirectUrl url) throws DriverException {
        return Dialer.dial(List.of(new ServerUrl.Server(url.host(), url.port())), settings.source(), settings.connectTimeout(), url.tls(),
            QpidUrl.TLS_NAMES, "does that port speak AMQP 1.0?", (wire, server) -> greet(wire, settings, url));
    }

    private static AmqpHandshake greet(Wire wire, ConnectionSettings settings, DirectUrl url) throws IOException {
        AmqpFrames reader = new AmqpFrames();
        Sasl.exchange(wire, reader, settings, url.host());
        String container = "brokermeter-" + UUID.randomUUID();
        Open open = new Open();
        open.setContainerId(container);
        open.setHostname(url.host());
        open.setMaxFrameSize(UnsignedInteger.valueOf(AmqpFrames.MAX_FRAME));
        open.setChannelMax(UnsignedShort.MAX_VALUE);
        if (!url.idleTimeout().isZero()) {
            // the peer is told half of the idle time that we tolerate
            open.setIdleTimeOut(UnsignedInteger.valueOf(Math.max(1, url.idleTimeout().toMillis() / 2)));
        }
        open.setProperties(Map.of(Symbol.valueOf("product"), "brokermeter"));
        Performatives codec = new Performatives();
        ByteBuffer frame = ByteBuffer.allocate(4096 + 4 * url.host().length()).position(8);
        codec.encode(open, frame);
        wire.write(frame.putInt(0, frame.position()).put(4, (byte) 2).flip());
        Open theirs = null;
        while (true) {
            switch (next(wire, reader, codec)) {
                case Open answer -> theirs = answer;
                case Close close -> throw AmqpException.of("The broker closed the connection", close.getError());
                default -> throw new IOException("the broker answered with another frame than open");
            }
            // a broker that refuses announces that in its open frame, and gives the reason in the close that follows
            if (theirs.getProperties() == null || !Boolean.TRUE.equals(theirs.getProperties().get(FAILED))) {
                return new AmqpHandshake(wire, reader, container, theirs);
            }
        }
    }

    private static Object next(Wire wire, AmqpFrames reader, Performatives codec) throws IOException {
        do {
            reader.await(wire);
        } while (reader.buffer().position() == reader.frameEnd());
        return codec.decode(reader.view(reader.buffer().position(), reader.frameEnd()).slice());
    }
}
