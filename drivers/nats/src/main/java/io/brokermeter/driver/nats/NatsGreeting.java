package io.brokermeter.driver.nats;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import io.brokermeter.driver.nats.NatsDriver.NatsSettings;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * The first exchange with a server, which speaks first, with a line {@code INFO {...}} that also tells its TLS requirements. TLS begins
 * after that line, or before it.
 */
final class NatsGreeting implements Dialer.Greeting<NatsGreeting.Met> {

    /**
     * A server that took the connection.
     *
     * @param reader what it has sent
     * @param info its description of itself
     */
    record Met(Wire wire, NatsReader reader, Json info) {}

    private static final int LONGEST = 1024 * 1024;

    private final ConnectionSettings settings;
    private final NatsSettings nats;
    /** What the server said before TLS, null if nothing. */
    private @Nullable Json before;

    NatsGreeting(ConnectionSettings settings, NatsSettings nats) {
        this.settings = settings;
        this.nats = nats;
    }

    @Override
    public boolean beforeTls(Wire plain, ServerUrl.Server server) throws IOException {
        before = null;
        if (nats.tlsFirst()) {
            return false;
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (line.size() < LONGEST) {
            if (plain.read(one.clear()) < 0) {
                throw new EOFException("no greeting");
            }
            byte next = one.get(0);
            if (line.size() == 0 && next != 'I') {
                throw stranger(server);
            }
            if (next == '\n') {
                break;
            }
            line.write(next);
        }
        Json info = Json.parse(line.toString(StandardCharsets.UTF_8).replaceFirst("^INFO\\s*", ""));
        if (!info.flag("tls_required") && !info.flag("tls_available")) {
            throw new DriverException("The NATS server at " + server + " does not speak TLS; begin the URL with nats://.", null);
        }
        before = info;
        return true;
    }

    @Override
    public Met greet(Wire wire, ServerUrl.Server server) throws IOException {
        NatsReader in = new NatsReader();
        Json info = before;
        if (info == null) {
            in.fill(wire);
            if (in.buffer().get(0) != 'I') {
                throw stranger(server);
            }
            in.await(wire);
            info = Json.parse(in.text());
            if (nats.tls() == null && info.flag("tls_required")) {
                throw new DriverException("The NATS server at " + server + " wants TLS; begin the URL with tls://.", null);
            }
        }
        Json description = info;
        try {
            wire.write(ByteBuffer.wrap((connect(description) + "PING\r\n").getBytes(StandardCharsets.UTF_8)));
            in.await(wire);
            while (in.kind() != NatsReader.Kind.PONG) {
                if (in.kind() == NatsReader.Kind.ERROR) {
                    throw refused(server, NatsLink.unquoted(in.text()));
                }
                if (in.kind() == NatsReader.Kind.PING) {
                    wire.write(ByteBuffer.wrap(NatsLink.PONG));
                }
                in.await(wire);
            }
        } catch (DriverException | ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            if (nats.tls() != null) {
                throw e;
            }
            throw refused(server, Failure.words(e));
        }
        return new Met(wire, in, description);
    }

    private static DriverException stranger(ServerUrl.Server server) {
        return new DriverException("What listens on " + server + " is no NATS server.", null);
    }

    private String connect(Json info) {
        StringBuilder line = new StringBuilder("CONNECT {\"verbose\":false,\"pedantic\":false,\"protocol\":1,\"headers\":true,"
            + "\"no_responders\":true,\"lang\":\"java\",\"version\":\"brokermeter\",");
        var secret = settings.password();
        Credentials credentials = nats.credentials();
        if (credentials != null) {
            line.append(credentials.answer(info.text("nonce")));
        } else if (settings.user() != null) {
            line.append("\"user\":").append(Json.quoted(settings.user())).append(",\"pass\":")
                .append(Json.quoted(secret == null ? "" : secret.reveal())).append(',');
        } else if (secret != null) {
            line.append("\"auth_token\":").append(Json.quoted(secret.reveal())).append(',');
        }
        if (settings.clientId() != null) {
            line.append("\"name\":").append(Json.quoted(settings.clientId())).append(',');
        }
        return line.append("\"tls_required\":").append(nats.tls() != null).append("}\r\n").toString();
    }

    private DriverException refused(ServerUrl.Server server, String words) {
        String lower = words.toLowerCase(Locale.ROOT);
        if (!lower.contains("timeout") && (lower.contains("authorization") || lower.contains("authentication"))) {
            String who = nats.credentials() != null ? "the key in " + NatsDriver.CREDENTIALS
                : settings.user() != null ? "user '" + settings.user() + "'"
                    : settings.password() != null ? "the token" : "a connection without a user name or a token";
            return new DriverException("The broker refused " + who + "; check "
                + (nats.credentials() != null ? "that file." : "user and password."), null);
        }
        return new DriverException("The NATS server at " + server + " does not take the connection (" + words + ").", null);
    }
}
