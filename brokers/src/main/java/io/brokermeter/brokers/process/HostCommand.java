package io.brokermeter.brokers.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;

/**
 * The command line of a child process that runs a program of {@code hosts/}, and the lines for its standard input. Not safe for use by
 * several threads; each {@code with} method changes this object and returns it.
 */
public final class HostCommand {

    private static final String PROPERTY = "brokermeter.brokers";

    /** The property with further options of each broker's JVM, separated by blanks: tests keep its compiler cheap by them. */
    private static final String JVM_PROPERTY = "brokermeter.brokers.jvm";

    /**
     * The property with the directory in which JVMs of brokers leave archives of their classes for later ones. Tests, which start hundreds
     * of brokers, set it; users do not.
     */
    private static final String ARCHIVES_PROPERTY = "brokermeter.brokers.archives";

    private final String main;
    private final List<Path> classPath;
    private final BrokerOptions options;
    private final List<String> jvm = new ArrayList<>();
    private final List<String> program = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private final StringBuilder secrets = new StringBuilder();
    private String part = "";

    /**
     * Creates a command.
     *
     * @param main class of the program
     * @param classPath jars of program and broker
     * @param options options of the broker; those that every host understands become arguments
     */
    public HostCommand(String main, List<Path> classPath, BrokerOptions options) {
        this.main = main;
        this.classPath = List.copyOf(classPath);
        this.options = options;
        // The broker shares the machine with the tool: few collector threads, since the sum of the pauses matters more than their length.
        jvm.addAll(List.of("-Xmx" + options.heap(), "-XX:+UseParallelGC", "-XX:-UsePerfData", "-XX:+UseCompactObjectHeaders",
            "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"));
        Stream.of(System.getProperty(JVM_PROPERTY, "").split(" ")).filter(option -> !option.isBlank()).forEach(jvm::add);
        with("--persistent", Boolean.toString(options.persistent()));
        with("--keep", Boolean.toString(options.keep()));
        // A property may be a password, as that of a key store.
        options.properties().forEach((name, value) -> withSecret(HostArguments.PROPERTY, Secret.of(HostArguments.line(name, value))));
        options.journal().ifPresent(journal -> withSetting("journal", journal));
        options.address().ifPresent(address -> withSetting("address", address.getHostAddress()));
        options.login().ifPresent(login -> withSetting("user", login.user()).withSecret("user", login.password()));
        options.tls().ifPresent(tls -> withSetting("key-store", tls.path().toAbsolutePath().toString())
            .withSecret("key-store", tls.password()));
        options.forbidden().forEach(prefix -> withSetting("forbid", prefix));
    }

    /**
     * Returns the jar of a host program, which the build and the distribution place below one directory.
     *
     * @param kind name of the broker kind, which is the name of its directory there
     * @throws IllegalArgumentException with one sentence for the user, when that directory is not known
     */
    public static Path hostJar(String kind) {
        String home = System.getProperty(PROPERTY);
        if (home == null) {
            throw new IllegalArgumentException(
                "Broker " + kind + " needs the system property " + PROPERTY + ", which the brokermeter launcher sets.");
        }
        return Path.of(home, kind, "brokermeter-host-" + kind + ".jar").toAbsolutePath();
    }

    /** Adds options of the JVM. */
    public HostCommand withJvm(String... arguments) {
        jvm.addAll(List.of(arguments));
        return this;
    }

    /** Names the part of the program that this process is; different parts load different classes. */
    public HostCommand withPart(String name) {
        part = "-" + name;
        return this;
    }

    /** Adds an environment variable to those inherited from this JVM. */
    public HostCommand withEnvironment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Adds an argument of the program with its value. */
    public HostCommand with(String name, String value) {
        program.add(name);
        program.add(value);
        return this;
    }

    /** Adds a setting of the host, which is not one of the broker's own properties. */
    public HostCommand withSetting(String name, String value) {
        return with("--set", name + "=" + value);
    }

    /** Adds a secret that the program reads from its standard input. */
    public HostCommand withSecret(String name, Secret secret) {
        secrets.append(secret.reveal()).append('\n');
        return with("--secret", name);
    }

    /** Returns the options of the broker. */
    BrokerOptions options() {
        return options;
    }

    /** Returns the secrets as lines for the standard input of the process, where no process list shows them. */
    String secrets() {
        return secrets.toString();
    }

    /**
     * Starts the process and waits until it is ready.
     *
     * @param role role in the topology
     * @param port main port, 0 for any free one
     * @param common common directory of all processes of the broker, which may be the same as {@code directory}
     * @throws BrokerException when the process is not ready within the limit; the process and a throwaway directory are gone then
     */
    public BrokerProcess start(BrokerName name, String role, int port, Path directory, Path common) throws BrokerException {
        boolean throwaway = Files.notExists(directory) && !options.keep();
        BrokerProcess broker;
        try {
            broker = new BrokerProcess(name, role, this, port, directory, common, throwaway);
        } catch (IOException e) {
            throw new BrokerException("Broker " + name + " does not start: " + e.getMessage() + ".", e);
        }
        broker.awaitReady();
        return broker;
    }

    /** Returns the class archive for one start of the process; null where there is none, or where an AOT cache takes its place. */
    @Nullable ClassArchive archive() throws IOException {
        String archives = System.getProperty(ARCHIVES_PROPERTY, "");
        return archives.isEmpty() || jvm.stream().anyMatch(option -> option.startsWith("-XX:AOT")) ? null
            : ClassArchive.of(Path.of(archives), main + part, classPath, options.persistent());
    }

    /**
     * Starts the process.
     *
     * @param archive archive of its classes; null for none
     * @param first arguments of the program that precede its others
     */
    Process launch(int port, Path directory, @Nullable ClassArchive archive, List<String> first) throws IOException {
        // Only its user may read what the broker writes. A signal to the process group of this JVM, as timeout and CI servers send it, must
        // not end the broker before the run does. The shell is replaced by the program, which keeps its process id.
        List<String> command = new ArrayList<>(List.of("sh", "-c",
            "umask 077; command -v setsid >/dev/null 2>&1 && exec setsid \"$@\"; exec \"$@\"", "brokermeter-broker",
            Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(jvm);
        if (archive != null) {
            command.addAll(archive.options());
        }
        command.add("-cp");
        command.add(classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        command.add(main);
        command.addAll(List.of("--port", Integer.toString(port), "--data", directory.toString()));
        command.addAll(first);
        command.addAll(program);
        ProcessBuilder builder = ChildEnvironment.withoutOwnVariables(new ProcessBuilder(command)).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder.start();
    }
}
