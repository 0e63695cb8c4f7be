package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.driver.amqp091.model.ConnectRefusal;
import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Rejection;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;

/**
 * The result of connecting: an open connection and the parameters that both sides agreed on.
 *
 * @param reader positioned behind the broker's last answer
 * @param serverProperties properties that the broker announces
 * @param heartbeatSeconds interval of heart-beats in seconds, 0 for none
 */
record Amqp091Handshake(
        Wire wire, Amqp091Frames reader, Map<String, Object> serverProperties, Rejection rejection, int frameMax, int channelMax,
        int heartbeatSeconds) {

    /** Connects to the first server that answers, logs in and opens the virtual host; bounded by the connect timeout. */
    static Amqp091Handshake dial(Options options, ConnectionSettings settings) throws DriverException {
        return Dialer.dial(options.servers(), settings.source(), settings.connectTimeout(), options.tls.orElse(null), TlsNames.OWN,
            "does that port speak AMQP 0-9-1?", (wire, server) -> greet(wire, options, settings));
    }

    private static Amqp091Handshake greet(Wire wire, Options options, ConnectionSettings settings) throws IOException {
        Amqp091Frames reader = new Amqp091Frames(options.limits.frameMax());
        wire.write(ByteBuffer.wrap("AMQP\0\0\11\1".getBytes(StandardCharsets.US_ASCII)));

        ByteBuffer start = expect(wire, reader, Method.CONNECTION_START);
        start.getShort();
        Map<String, Object> serverProperties = Fields.table(start);
        List<String> mechanisms = List.of(Fields.longText(start).split(" "));
        String mechanism = options.external ? "EXTERNAL" : "PLAIN";
        if (!mechanisms.contains(mechanism)) {
            throw ConnectRefusal.unoffered(options, String.join(", ", mechanisms));
        }
        var password = settings.password();
        String secret = settings.user() == null ? "guest" : password == null ? "" : password.reveal();
        say(wire, Method.CONNECTION_START_OK, to -> {
            Fields.table(to, clientProperties(options));
            Fields.shortText(to, mechanism);
            Fields.longText(to, options.external ? "" : "\0" + ConnectRefusal.user(settings) + "\0" + secret);
            Fields.shortText(to, "en_US");
        });

        ByteBuffer tune;
        try {
            tune = expect(wire, reader, Method.CONNECTION_TUNE);
        } catch (ReplyException e) {
            // some brokers refuse a login with another code
            throw new ReplyException(ReplyException.ACCESS_REFUSED, String.valueOf(e.getMessage()));
        }
        int channels = tune.getShort() & 0xffff;
        int channelMax = Math.min(channels == 0 ? 65_535 : channels, options.limits.channelMax());
        long frames = tune.getInt() & 0xffffffffL;
        int frameMax = frames == 0 ? options.limits.frameMax() : (int) Math.min(frames, options.limits.frameMax());
        int theirs = tune.getShort() & 0xffff;
        int ours = options.limits.heartbeatSeconds();
        int heartbeat = ours == 0 || theirs == 0 ? ours : Math.min(ours, theirs);
        say(wire, Method.CONNECTION_TUNE_OK,
            to -> to.putShort((short) channelMax).putInt(frameMax).putShort((short) heartbeat));
        say(wire, Method.CONNECTION_OPEN, to -> {
            Fields.shortText(to, options.virtualHost());
            Fields.shortText(to, "");
            to.put((byte) 0);
        });
        expect(wire, reader, Method.CONNECTION_OPEN_OK);
        return new Amqp091Handshake(
            wire, reader, serverProperties, Rejection.of(serverProperties), frameMax, channelMax, heartbeat);
    }

    private static Map<String, Object> clientProperties(Options options) {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        for (String capability : List.of("publisher_confirms", "basic.nack", "consumer_cancel_notify", "connection.blocked",
            "authentication_failure_close", "exchange_exchange_bindings")) {
            capabilities.put(capability, true);
        }
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("product", "brokermeter");
        properties.put("connection_name", options.connectionName);
        properties.put("capabilities", capabilities);
        return properties;
    }

    private static void say(Wire wire, int code, Consumer<ByteBuffer> arguments) throws IOException {
        ByteBuffer to = ByteBuffer.allocate(Method.LARGEST);
        Method.put(to, 0, code, arguments);
        wire.write(to.flip());
    }

    private static ByteBuffer expect(Wire wire, Amqp091Frames reader, int code) throws IOException {
        do {
            reader.await(wire);
        } while (reader.type() != Amqp091Frames.METHOD);
        ByteBuffer in = reader.buffer();
        int got = in.getInt();
        if (got == Method.CONNECTION_CLOSE) {
            int reply = in.getShort() & 0xffff;
            throw ReplyException.of("It says", reply, Fields.shortText(in));
        }
        if (got != code) {
            throw new IOException("the broker answered with method " + (got >> 16) + "." + (got & 0xffff));
        }
        return in;
    }
}
