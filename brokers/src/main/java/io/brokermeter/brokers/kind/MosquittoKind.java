package io.brokermeter.brokers.kind;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PemFiles;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.Probe;

/**
 * The broker kind Eclipse Mosquitto, a program of this machine. The properties are lines of {@code mosquitto.conf}. Unless they say
 * otherwise the broker drops no message that waits for a slow subscriber ({@code max_queued_messages 0}); all else is left at the defaults
 * of the program.
 *
 * <p>The broker writes its store every half hour and at its end: a broker that is killed loses its messages since then.
 */
public final class MosquittoKind extends NativeKind {

    /** The CONNECT packet of a client of version 3.1.1 with the client id {@code x}. */
    private static final byte[] CONNECT = {0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 1, 'x'};
    private static final byte[] CONNACK = {0x20, 2};
    private static final int ITERATIONS = 101;
    private static final int SALT = 12;
    private static final int HASH_BITS = 512;

    public MosquittoKind() {
        super("mosquitto", "Eclipse Mosquitto", "mosquitto", "-h", "mosquitto version (\\S+)", "MQTT");
        features(Feature.LOGIN, Feature.TLS, Feature.ADDRESS);
    }

    @Override
    public void check(BrokerOptions options) {
        super.check(options);
        options.login().ifPresent(login -> require(login.user().indexOf(':') < 0,
            "no user name with a colon, as '" + login.user() + "'"));
    }

    @Override
    public Probe prepare(NativeCommand command, BrokerName name, int port, Map<String, String> urls) throws BrokerException {
        BrokerOptions options = command.options();
        boolean tls = options.tls().isPresent();
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("log_dest", "stderr");
        lines.put("persistence", Boolean.toString(options.persistent()));
        lines.put("persistence_location", command.directory() + "/");
        lines.put("max_queued_messages", "0");
        lines.put("allow_anonymous", Boolean.toString(options.login().isEmpty()));
        if (options.login().isPresent()) {
            lines.put("password_file", command.withFile("users", user(options.login().get())));
        }
        lines.put("listener", port + " " + options.host());
        if (tls) {
            PemFiles pem = PemFiles.of(options.tls().get());
            lines.put("certfile", command.withFile("certificate.pem", pem.certificates()));
            lines.put("keyfile", command.withFile("key.pem", pem.key()));
        }
        command.with("-c", command.withLines("mosquitto.conf", " ", lines)).withCause("^(?:\\d+: )?Error: (.*)");
        urls.put("MQTT", (tls ? "mqtts" : "mqtt") + options.at(port));
        return tls ? Probe.accepts(options.host(), port) : Probe.answers(options.host(), port, CONNECT, CONNACK);
    }

    /**
     * Returns a line of the password file, in the format of {@code mosquitto_passwd}. Running that program would show the password to all
     * users.
     */
    private static String user(BrokerOptions.Login login) throws BrokerException {
        byte[] salt = new byte[SALT];
        new SecureRandom().nextBytes(salt);
        char[] password = login.password().reveal().toCharArray();
        PBEKeySpec key = new PBEKeySpec(password, salt, ITERATIONS, HASH_BITS);
        try {
            byte[] hash = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(key).getEncoded();
            Base64.Encoder encoder = Base64.getEncoder();
            return login.user() + ":$7$" + ITERATIONS + "$"
                + encoder.encodeToString(salt) + "$" + encoder.encodeToString(hash) + "\n";
        } catch (GeneralSecurityException e) {
            throw new BrokerException("Broker mosquitto does not start: its user cannot be made (" + e.getMessage() + ").", e);
        } finally {
            key.clearPassword();
            Arrays.fill(password, ' ');
        }
    }
}
