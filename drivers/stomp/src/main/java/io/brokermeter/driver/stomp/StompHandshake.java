package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The result of CONNECT and the broker's answer.
 *
 * @param reader positioned behind the CONNECTED frame
 * @param heartBeatOut interval in milliseconds in which the broker expects a heart-beat of ours, 0 for none
 * @param heartBeatIn interval in milliseconds in which the broker promised a heart-beat, 0 for none
 */
record StompHandshake(
        Wire wire, StompFrames reader, StompVersion version, @Nullable String serverName, Dialect dialect, int heartBeatOut,
        int heartBeatIn) {

    /** Matches the brokers' messages about a wrong user or password. */
    private static final Pattern REFUSED =
        Pattern.compile("(?i)security|password|passcode|access refused|authenti|authoriz|\\blogin");
    private static final Pattern TWO_NUMBERS = Pattern.compile("\\s*(\\d{1,9})\\s*,\\s*(\\d{1,9})\\s*");
    private static final Pattern CLIENT_ID =
        Pattern.compile("(?i)client.?id.*(in use|already)|already connected|Client: .* connected");

    /** Connects to the first server that answers; bounded by the connect timeout. */
    static StompHandshake dial(ConnectionSettings settings, StompSettings stomp) throws DriverException {
        return Dialer.dial(stomp.url().servers(), settings.source(), settings.connectTimeout(), stomp.tls(), TlsNames.OWN,
            "does that port speak STOMP" + (stomp.tls() == null ? " without TLS?" : "?"),
            (wire, server) -> greet(wire, settings, stomp));
    }

    private static StompHandshake greet(Wire wire, ConnectionSettings settings, StompSettings stomp) throws IOException {
        wire.write(ByteBuffer.wrap(connect(settings, stomp)));
        StompFrames reader = new StompFrames();
        reader.await(wire);
        if (reader.command() == StompFrames.Command.ERROR) {
            throw refused(BrokerError.text(reader, StompVersion.V1_0), settings, stomp);
        }
        if (reader.command() != StompFrames.Command.CONNECTED) {
            throw new DriverException("The broker answered CONNECT with a frame " + reader.command() + ".", null);
        }
        String number = reader.text(StompFrames.Header.VERSION);
        StompVersion version = StompVersion.of(number);
        if (version == null || stomp.version() != null && version != stomp.version()) {
            throw new DriverException("The broker speaks STOMP " + (number == null ? "1.0" : number)
                + ", which was not asked for; change the parameter version.", null);
        }
        String name = reader.text(StompFrames.Header.SERVER);
        int[] given = heartBeats(reader.text(StompFrames.Header.HEART_BEAT));
        int[] beats = given == null ? new int[2] : given;
        // newlines between frames were always allowed, and keep an idle connection of 1.0 alive as well
        int out = version == StompVersion.V1_0 ? stomp.heartBeatOut() : agreed(stomp.heartBeatOut(), beats[1]);
        return new StompHandshake(wire, reader, version, name, stomp.dialect() == null ? Dialect.of(name, version) : stomp.dialect(),
            out, agreed(stomp.heartBeatIn(), beats[0]));
    }

    private static int agreed(int ours, int theirs) {
        return ours == 0 || theirs == 0 ? 0 : Math.max(ours, theirs);
    }

    /** Parses two numbers separated by a comma; returns null for any other text. */
    static int @Nullable [] heartBeats(@Nullable String text) {
        Matcher numbers = TWO_NUMBERS.matcher(text == null ? "" : text);
        return numbers.matches() ? new int[] {Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))} : null;
    }

    private static byte[] connect(ConnectionSettings settings, StompSettings stomp) {
        Frame frame = new Frame("CONNECT", StompVersion.V1_0);
        if (stomp.version() != StompVersion.V1_0) {
            frame.withPlain("accept-version", stomp.version() == null ? "1.0,1.1,1.2" : stomp.version().number());
            frame.withPlain("host", stomp.host());
            frame.withPlain("heart-beat", stomp.heartBeatOut() + "," + stomp.heartBeatIn());
        } else if (!stomp.host().equals("/")) {
            frame.withPlain("host", stomp.host());
        }
        Secret password = settings.password();
        return frame.withPlain("login", settings.user()).withPlain("passcode", password == null ? null : password.reveal())
            .withPlain("client-id", settings.clientId()).whole();
    }

    private static DriverException refused(String text, ConnectionSettings settings, StompSettings stomp) {
        if (CLIENT_ID.matcher(text).find()) {
            return new DriverException(
                new Refusal("The client id '%s' is used by another connection; choose another %s (the broker says: %s).",
                    settings.clientId(), Setting.CLIENT_ID, text));
        }
        Secret password = settings.password();
        String hidden =
            password == null || password.reveal().isEmpty() ? text : text.replace(password.reveal(), "***");
        if (REFUSED.matcher(text).find()) {
            String who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new DriverException(
                "The broker refused " + who + "; check user and password (it says: " + hidden + ").", null);
        }
        return new DriverException("The broker refused the connection: " + hidden + "."
            + (stomp.version() == StompVersion.V1_0 ? "" : " It was asked for the virtual host '" + stomp.host()
                + "', which the parameter host= changes."),
            null);
    }
}
