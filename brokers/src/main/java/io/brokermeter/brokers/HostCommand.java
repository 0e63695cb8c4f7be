package io.brokermeter.brokers;

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

import io.brokermeter.hosts.HostArguments;
import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/**
 * The command line of a child process that runs a program of {@code hosts/}, and the lines that go to its standard
 * input. Not safe for use by several threads; each {@code with} method changes this object and returns it.
 */
final class HostCommand {

    private static final String PROPERTY = "brokermeter.brokers";

    /** Further options of each broker's JVM, blank between two: tests keep its compiler cheap by them. */
    private static final String JVM_PROPERTY = "brokermeter.brokers.jvm";

    /** A directory where JVMs of brokers leave the classes that they loaded, for the next ones: tests start hundreds, users none with it. */
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
     * @param main the class of the program
     * @param classPath the jars of program and broker
     * @param options how the broker runs: all that every host understands is taken over from them
     */
    HostCommand(String main, List<Path> classPath, BrokerOptions options) {
        this.main = main;
        this.classPath = List.copyOf(classPath);
        this.options = options;
        // The broker shares the machine with the tool: few collector threads, short pauses matter less than their sum.
        jvm.addAll(List.of("-Xmx" + options.heap(), "-XX:+UseParallelGC", "-XX:-UsePerfData", "-XX:+UseCompactObjectHeaders",
            "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"));
        Stream.of(System.getProperty(JVM_PROPERTY, "").split(" ")).filter(option -> !option.isBlank()).forEach(jvm::add);
        with("--persistent", Boolean.toString(options.persistent()));
        with("--keep", Boolean.toString(options.keep()));
        // One of them may be a password, as that of a key store.
        options.properties().forEach((name, value) -> withSecret(HostArguments.PROPERTY, Secret.of(HostArguments.line(name, value))));
        options.journal().ifPresent(journal -> withSetting("journal", journal));
        options.address().ifPresent(address -> withSetting("address", address.getHostAddress()));
        options.login().ifPresent(login -> withSetting("user", login.user()).withSecret("user", login.password()));
        options.tls().ifPresent(tls -> withSetting("key-store", tls.path().toAbsolutePath().toString())
            .withSecret("key-store", tls.password()));
        options.forbidden().forEach(prefix -> withSetting("forbid", prefix));
    }

    /**
     * The jar of a host program, which the build and the distribution put below one directory.
     *
     * @param kind the name of the broker, which is the name of its directory there
     * @throws IllegalArgumentException with one sentence for the user, when that directory is not known
     */
    static Path hostJar(String kind) {
        String home = System.getProperty(PROPERTY);
        if (home == null) {
            throw new IllegalArgumentException(
                "Broker " + kind + " needs the system property " + PROPERTY + ", which the brokermeter launcher sets.");
        }
        return Path.of(home, kind, "brokermeter-host-" + kind + ".jar").toAbsolutePath();
    }

    /** An option of the JVM. */
    HostCommand withJvm(String... arguments) {
        jvm.addAll(List.of(arguments));
        return this;
    }

    /** Its processes are of several parts, which load different classes. */
    HostCommand withPart(String name) {
        part = "-" + name;
        return this;
    }

    /** A variable of its environment, beside those of this process. */
    HostCommand withEnvironment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** An argument of the program with its value. */
    HostCommand with(String name, String value) {
        program.add(name);
        program.add(value);
        return this;
    }

    /** A setting of the host, which is not one of the broker's own properties. */
    HostCommand withSetting(String name, String value) {
        return with("--set", name + "=" + value);
    }

    /** A secret that the program reads from its standard input. */
    HostCommand withSecret(String name, Secret secret) {
        secrets.append(secret.reveal()).append('\n');
        return with("--secret", name);
    }

    /** How the broker runs. */
    BrokerOptions options() {
        return options;
    }

    /** Lines for the standard input of the process, where no process list shows them. */
    String secrets() {
        return secrets.toString();
    }

    /**
     * Starts the process and waits until it is ready.
     *
     * @param role what it is within its topology
     * @param port its main port, 0 for any free one
     * @param common the directory of all processes of the broker, which may be the same
     * @throws BrokerException when it is not ready within the limit; the process and its directory are gone then
     */
    BrokerProcess start(BrokerName name, String role, int port, Path directory, Path common) throws BrokerException {
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

    /** The archive of classes for one start of the process; null where there is none, or a cache takes its place. */
    @Nullable ClassArchive archive() throws IOException {
        String archives = System.getProperty(ARCHIVES_PROPERTY, "");
        return archives.isEmpty() || jvm.stream().anyMatch(option -> option.startsWith("-XX:AOT")) ? null
            : ClassArchive.of(Path.of(archives), main + part, classPath, options.persistent());
    }

    /**
     * Starts the process.
     *
     * @param archive of its classes; null for none
     * @param first arguments of the program that count before its others
     */
    Process launch(int port, Path directory, @Nullable ClassArchive archive, List<String> first) throws IOException {
        // What it writes, its user alone may read. A signal to the group of this process, as timeout and CI servers send it, must not end it
        // before the run has. The shell is gone when the program begins, which has its number.
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
