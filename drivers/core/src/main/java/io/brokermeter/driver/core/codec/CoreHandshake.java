package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * The result of connecting: a connection with a session, which shows that the broker has accepted user and password.
 *
 * @param frames positioned behind the broker's answer
 * @param server the broker among those of the URL
 */
record CoreHandshake(Wire wire, CoreFrames frames, ServerUrl.Server server) {

    /** Connects and creates a session on channel {@link CorePackets#FIRST_SESSION}; bounded by the connect timeout of {@code settings}. */
    static CoreHandshake dial(ConnectionSettings settings, CodecUrl url) throws DriverException {
        return Dialer.dial(url.servers(), settings.source(), settings.connectTimeout(), url.tls().orElse(null), CodecTls.NAMES,
            "does that port speak CORE?", (wire, server) -> greet(wire, server, settings, url));
    }

    private static CoreHandshake greet(Wire wire, ServerUrl.Server server, ConnectionSettings settings, CodecUrl url) throws IOException {
        ByteBuffer ping = ping(url).encoded();
        ByteBuffer session = createSession(settings, url, CorePackets.FIRST_SESSION, -1).encoded();
        wire.write(ByteBuffer.allocate(7 + ping.limit() + session.limit()).put("ARTEMIS".getBytes(StandardCharsets.US_ASCII)).put(ping)
            .put(session).flip());
        CoreFrames frames = new CoreFrames();
        while (true) {
            frames.await(wire);
            if (frames.channel() == CorePackets.SESSIONS && frames.type() == CorePackets.CREATE_SESSION_RESPONSE) {
                return new CoreHandshake(wire, frames, server);
            }
            if (frames.channel() == CorePackets.SESSIONS && frames.type() == CorePackets.EXCEPTION) {
                CoreRefusal refusal = CoreRefusal.read(frames.buffer(), "The broker refused the connection");
                if (refusal.code() == CorePackets.SECURITY) {
                    String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
                    throw new DriverException("The broker refused " + who + "; check user and password.", refusal);
                }
                throw refusal.code() == CorePackets.INCOMPATIBLE_VERSIONS ? new OlderBroker(refusal) : refusal;
            }
        }
    }

    /** Returns the keep-alive, which also tells the broker how long we may be silent. */
    static CorePacket ping(CodecUrl url) {
        return new CorePacket(CorePackets.PING, CorePackets.CONNECTION).number(url.connectionTtl());
    }

    /** @param window confirmation window of the session in bytes, -1 for none */
    static CorePacket createSession(ConnectionSettings settings, CodecUrl url, long channel, int window) {
        Secret password = settings.password();
        return new CorePacket(CorePackets.CREATE_SESSION, CorePackets.SESSIONS).text(UUID.randomUUID().toString()).number(channel)
            .number(CorePackets.VERSION).nullableText(settings.user()).nullableText(passwordText(settings, password))
            .number(url.minLargeMessageSize()).flag(false).flag(true).flag(true).number(window).flag(false).nullableText(null);
    }

    private static @Nullable String passwordText(ConnectionSettings settings, @Nullable Secret password) {
        return settings.user() == null ? null : password == null ? "" : password.reveal();
    }
}
