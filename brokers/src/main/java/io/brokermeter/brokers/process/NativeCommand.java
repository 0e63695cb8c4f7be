package io.brokermeter.brokers.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/**
 * The command of a broker that is installed on this machine as a program, with the files that it reads. All output of the broker goes to
 * {@code broker.log} in its directory. Not safe for use by several threads; each method that returns this object changes it.
 */
public final class NativeCommand {

    private static final int NOBODY = 65_534;
    private static final Duration TOOL_LIMIT = Duration.ofSeconds(240);

    private final Path directory;
    private final BrokerOptions options;
    private final List<String> command = new ArrayList<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, String> files = new LinkedHashMap<>();
    private Pattern cause = Pattern.compile("(?!)");
    private @Nullable String clearedPrefix;
    private boolean unprivileged;
    private Path common;
    private @Nullable Function<Boolean, List<String>> diskLimit;

    /**
     * Creates a command.
     *
     * @param directory the broker's directory; see {@link BrokerOptions#place()}
     * @param options options of the broker, which determine whether to keep the directory and how long to wait
     */
    public NativeCommand(Path program, Path directory, BrokerOptions options) {
        this.directory = directory;
        this.common = directory;
        this.options = options;
        command.add(program.toString());
    }

    /** Adds arguments of the program. */
    public NativeCommand with(String... arguments) {
        command.addAll(List.of(arguments));
        return this;
    }

    public NativeCommand withEnvironment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Hides the variables of this JVM's environment whose names begin with a prefix. */
    public NativeCommand withoutEnvironment(String prefix) {
        clearedPrefix = prefix;
        return this;
    }

    /**
     * Adds a file below the directory, which is written before the start; only the user who runs the broker can read it.
     *
     * @return its path
     */
    public String withFile(String name, String text) {
        files.put(name, text);
        return directory.resolve(name).toString();
    }

    /** Adds a file with these settings, one on a line, followed by the broker's own properties, which take precedence. */
    public String withLines(String name, String separator, Map<String, String> lines) {
        lines.putAll(options.properties());
        return withFile(name, lines.entrySet().stream().map(line -> line.getKey() + separator + line.getValue() + "\n")
            .collect(Collectors.joining()));
    }

    /** Sets the pattern that finds the cause of a failed start in the log: the first group of the first match. */
    public NativeCommand withCause(String pattern) {
        cause = Pattern.compile(pattern);
        return this;
    }

    /**
     * Sets the command that makes the disk count as full, or ends that.
     *
     * @param tool function that returns the command for either, which runs as the broker does; the change has taken effect when it ends
     *     with status 0
     */
    public NativeCommand withDiskLimit(Function<Boolean, List<String>> tool) {
        diskLimit = tool;
        return this;
    }

    public BrokerOptions options() {
        return options;
    }

    public Path directory() {
        return directory;
    }

    /** Returns the program, the first word of the command. */
    public Path program() {
        return Path.of(command.getFirst());
    }

    /** Replaces the program and its arguments. */
    public NativeCommand instead(String... words) {
        command.clear();
        return with(words);
    }

    /** Makes this one process of a topology, whose directory is below the common one. */
    public NativeCommand within(Path directoryOfAll) {
        common = directoryOfAll;
        return this;
    }

    /**
     * Runs the broker as the user {@code nobody} if this JVM runs as root and may become another user, and makes that user the owner of its
     * directory.
     */
    public NativeCommand unprivileged() {
        unprivileged = isRoot() && areThereOthers();
        return this;
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid && uid == 0;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Returns whether the user namespace has other users. In one with a single user, root cannot become another user. */
    private static boolean areThereOthers() {
        try {
            return ProcText.users(ProcText.read(Path.of("/proc/self/uid_map"))) > 1;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }

    /**
     * Starts the broker and returns when it is ready.
     *
     * @param name name of the broker, for messages
     * @param role role in the topology
     * @param port main port
     * @param ready probe that succeeds when the broker serves its clients
     * @throws BrokerException when the broker is not ready within the limit; the process and a throwaway directory are gone then
     */
    public NativeProcess start(BrokerName name, String role, int port, Probe ready) throws BrokerException {
        boolean throwaway = Files.notExists(directory) && !options.keep();
        NativeProcess process;
        NativeProcess.Readiness readiness = new NativeProcess.Readiness(cause, ready, options.startLimit());
        try {
            writeFiles(name);
            List<String> whole = new ArrayList<>(List.of("sh", "-c", guard(), "brokermeter-guard", directory.toString(),
                throwaway ? "throwaway" : "kept"));
            whole.addAll(asItsUser(command));
            ProcessBuilder builder = builder(whole).redirectError(ProcessBuilder.Redirect.DISCARD);
            process =
                new NativeProcess(name, role, port, builder::start, readiness, full -> fill(name, full), directory, common, throwaway);
        } catch (IOException | UncheckedIOException e) {
            if (throwaway) {
                DataDirectory.delete(directory);
            }
            throw new BrokerException("Broker " + name + " does not start: "
                + (e instanceof FileSystemException ? e : e.getMessage()) + ".", e);
        }
        process.awaitReady();
        return process;
    }

    private List<String> asItsUser(List<String> words) {
        return unprivileged ? Stream.concat(Stream.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "--"),
            words.stream()).toList() : words;
    }

    private ProcessBuilder builder(List<String> words) {
        ProcessBuilder builder = ChildEnvironment.withoutOwnVariables(new ProcessBuilder(words)).directory(directory.toFile());
        builder.environment().keySet().removeIf(variable -> clearedPrefix != null && variable.startsWith(clearedPrefix));
        builder.environment().putAll(environment);
        return builder;
    }

    private void fill(BrokerName name, boolean full) throws BrokerException {
        Function<Boolean, List<String>> tool = diskLimit;
        if (tool == null) {
            throw new BrokerException("broker " + name + " has no limit of its disk.");
        }
        List<String> words = tool.apply(full);
        String program = Path.of(words.getFirst()).getFileName().toString();
        Process process = null;
        try {
            process = builder(asItsUser(words)).redirectErrorStream(true).redirectInput(Path.of("/dev/null").toFile()).start();
            List<String> said = Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<Void> end = new CompletableFuture<>();
            ChildProcess.read(process, said::add, () -> end.complete(null));
            if (!process.waitFor(TOOL_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new BrokerException(program + " did not end within " + TOOL_LIMIT.toSeconds() + " s.");
            }
            ChildProcess.await(end, TOOL_LIMIT);
            if (process.exitValue() != 0) {
                throw new BrokerException(program + " ended with status " + process.exitValue() + ": "
                    + String.join(" ", said.stream().filter(line -> !line.isBlank()).toList()));
            }
        } catch (IOException e) {
            throw new BrokerException(program + " does not start: " + e.getMessage() + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerException("the wait for " + program + " was interrupted.", e);
        } finally {
            if (process != null && process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private static String guard() throws IOException {
        try (InputStream script = NativeCommand.class.getResourceAsStream("native-guard.sh")) {
            return new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void writeFiles(BrokerName name) throws IOException {
        Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = directory.resolve(file.getKey());
            // In a directory that existed before, this may be a link, or a file that another user may read or has open.
            Files.deleteIfExists(path);
            try (SeekableByteChannel channel = Files.newByteChannel(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
                    Writer writer = Channels.newWriter(channel, StandardCharsets.UTF_8)) {
                writer.write(file.getValue());
            }
        }
        if (unprivileged) {
            for (Path parent = directory.getParent(); parent != null; parent = parent.getParent()) {
                Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(parent);
                if (!permissions.contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    throw new IOException("the user nobody, as whom " + name.name()
                        + " runs when brokermeter runs as root, cannot enter " + parent);
                }
            }
            try (Stream<Path> all = Files.walk(directory)) {
                for (Path path : all.toList()) {
                    // Links are not followed: the broker of an earlier run may have created them.
                    Files.setAttribute(path, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }
}
