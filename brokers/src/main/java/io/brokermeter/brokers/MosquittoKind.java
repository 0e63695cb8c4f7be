package io.brokermeter.brokers;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Eclipse Mosquitto of this machine, on the loopback interface beside one that runs as a service. Its properties are lines
 * of {@code mosquitto.conf}. Unless they say otherwise it drops nothing that waits for a slow subscriber
 * ({@code max_queued_messages 0}); all else is as the program has it.
 *
 * <p>It writes its store every half an hour and at its end: what a killed one had is gone.
 */
final class MosquittoKind implements BrokerKind {

    private static final String PROGRAM = "mosquitto";
    private static final Pattern VERSION = Pattern.compile("mosquitto version (\\S+)");
    private static final Pattern CAUSE = Pattern.compile("^(?:\\d+: )?Error: (.*)");
    /** A connection of version 3.1.1 with the client id {@code x}. */
    private static final byte[] CONNECT = {0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 1, 'x'};
    private static final byte[] CONNACK = {0x20, 2};
    private static final int ITERATIONS = 101;
    private static final int SALT = 12;
    private static final int HASH_BITS = 512;

    @Override
    public String name() {
        return "mosquitto";
    }

    @Override
    public Set<String> protocols() {
        return Set.of("MQTT");
    }

    @Override
    public void check(BrokerOptions options) {
        BrokerKind.super.check(options);
        Refusal.of(this, options).journal().forbidden().training();
        options.login().ifPresent(login -> {
            if (login.user().indexOf(':') >= 0) {
                throw new IllegalArgumentException("Broker mosquitto takes no user name with a colon, as in '" + login.user() + "'.");
            }
        });
        find();
    }

    private static NativeProgram find() {
        return NativeProgram.find("mosquitto", PROGRAM, "mosquitto");
    }

    @Override
    public void requireVersion(BrokerName name) throws BrokerException {
        find().version(name, VERSION, "-h");
    }

    @Override
    public Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        NativeProgram program = find();
        BrokerName name = program.version(asked, VERSION, "-h");
        int port = FreePort.orAsked(options.port());
        Path directory = options.place();
        NativeCommand command = new NativeCommand(program.path(), directory, options)
            .with("-c", directory.resolve("mosquitto.conf").toString())
            .unprivileged()
            .withCause(CAUSE)
            .withFile("mosquitto.conf", configuration(options, directory, port));
        if (options.login().isPresent()) {
            command.withFile("users", user(options.login().get()));
        }
        if (options.tls().isPresent()) {
            PemFiles pem = PemFiles.of(options.tls().get());
            command.withFile("certificate.pem", pem.certificates()).withFile("key.pem", pem.key());
        }
        Probe ready = options.tls().isPresent() ? WireProbe.accepts(port) : WireProbe.answers(port, CONNECT, CONNACK);
        NativeProcess process = command.start(name, "broker", port, ready);
        String scheme = options.tls().isPresent() ? "mqtts" : "mqtt";
        return new RunningBroker(name, "Eclipse Mosquitto", Map.of("MQTT", scheme + "://127.0.0.1:" + port),
            List.of(process), process::close);
    }

    private static String configuration(BrokerOptions options, Path directory, int port) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("log_dest", "stderr");
        lines.put("persistence", Boolean.toString(options.persistent()));
        lines.put("persistence_location", directory + "/");
        lines.put("max_queued_messages", "0");
        lines.put("allow_anonymous", Boolean.toString(options.login().isEmpty()));
        if (options.login().isPresent()) {
            lines.put("password_file", directory.resolve("users").toString());
        }
        lines.put("listener", port + " 127.0.0.1");
        if (options.tls().isPresent()) {
            lines.put("certfile", directory.resolve("certificate.pem").toString());
            lines.put("keyfile", directory.resolve("key.pem").toString());
        }
        lines.putAll(options.properties());
        return lines.entrySet().stream().map(line -> line.getKey() + " " + line.getValue() + "\n")
            .collect(Collectors.joining());
    }

    /** A line of its password file, in the form of {@code mosquitto_passwd}, which would show the password to all. */
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
