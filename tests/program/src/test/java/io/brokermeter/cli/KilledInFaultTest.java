package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program leaves no process, port, namespace or file when it is killed while faults are in effect. Reads {@code /proc}. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class KilledInFaultTest {

    private static final List<String> CLIENT =
        List.of("client", "--silent", "--rate", "100", "--duration", "100", "--out", "none");

    @TempDir
    private Path directory;

    @Test
    void leavesNoProxyPort() throws Exception {
        kill(
            List.of("--broker", "artemis", "--broker-heap", "300m", "--fault", "blackhole connection at 1s", "--fault",
                "pause broker at 1s"),
            "blackhole connection: in effect",
            "pause broker: stopped");
    }

    @Test
    void leavesNoNamespace() throws Exception {
        kill(
            List.of("--broker", "nats", "--network", "rtt=2ms", "--fault", "pause broker at 1s", "--fault", "run sleep 1000 at 1s for 90s"),
            "pause broker: stopped", "run sleep 1000: started");
    }

    private void kill(List<String> more, String... said) throws Exception {
        List<ProcessHandle> children;
        Set<String> sockets = new HashSet<>();
        Set<String> namespaces = new HashSet<>();
        try (Running running = new Tool(directory).start(Stream.concat(CLIENT.stream(), more.stream()).toArray(String[]::new))) {
            for (String line : said) {
                running.awaitErr(line);
            }
            children = ProcessHandle.of(running.pid()).orElseThrow().descendants().toList();
            for (ProcessHandle child : children) {
                sockets.addAll(listening(child.pid()));
                namespaces.addAll(namespaces(child.pid()));
            }
            namespaces.addAll(namespaces(running.pid()));
            namespaces.removeAll(namespaces(ProcessHandle.current().pid()));
            running.signal("KILL");
        }
        assertThat(children).as("a broker and what hands connections over").hasSizeGreaterThanOrEqualTo(2);
        assertThat(sockets).as("what the broker listens on, and a proxy or a link's broker").isNotEmpty();

        for (ProcessHandle child : children) {
            Waiting.until(child + " " + child.info() + " is gone", () -> !child.isAlive());
        }
        // Compares sockets, since another process may use their ports meanwhile.
        Waiting.until(sockets + " are closed", () -> listeners("self").noneMatch(sockets::contains));
        Waiting.until("nothing is in " + namespaces,
            () -> ProcessHandle.allProcesses().noneMatch(any -> namespaces(any.pid()).stream().anyMatch(namespaces::contains)));
        // Other processes may name their namespaces meanwhile, which may have the number of one that is gone.
        Waiting.until("nothing names " + namespaces,
            () -> list(Path.of("/run/netns")).stream().noneMatch(name -> namespaces.contains(namespace(name))));
        Path temporary = directory.resolve("tmp");
        Waiting.until("no files in " + temporary,
            () -> Objects.requireNonNull(temporary.toFile().list((_, name) -> name.startsWith("brokermeter-"))).length == 0);
    }

    private static Set<Path> list(Path of) throws IOException {
        try (Stream<Path> all = Files.list(of)) {
            return new HashSet<>(all.toList());
        } catch (NoSuchFileException e) {
            return Set.of();
        } catch (UncheckedIOException e) {
            // the process has ended while its files were listed
            return Set.of();
        }
    }

    /** Returns the network namespace that has a name, in the form of {@code /proc}; empty if the name no longer exists. */
    private static String namespace(Path name) {
        try {
            return "net:[" + Files.getAttribute(name, "unix:ino") + "]";
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns the network namespaces of the threads of a process; none if it has ended or belongs to another user. */
    private static Set<String> namespaces(long pid) {
        Set<String> found = new HashSet<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path task : tasks.toList()) {
                try {
                    found.add(Files.readSymbolicLink(task.resolve("ns/net")).toString());
                } catch (IOException e) {
                    // this thread has ended, or the process belongs to another user
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // the process has ended, perhaps while its threads were listed
        }
        return found;
    }

    /** Returns the IPv4 and IPv6 sockets on which a process listens; none if it has ended. */
    private static List<String> listening(long pid) throws IOException {
        Set<String> sockets = new HashSet<>();
        for (Path descriptor : list(Path.of("/proc", Long.toString(pid), "fd"))) {
            try {
                sockets.add(Files.readSymbolicLink(descriptor).toString());
            } catch (IOException e) {
                // the descriptor was closed
            }
        }
        try {
            return listeners(Long.toString(pid)).filter(sockets::contains).toList();
        } catch (UncheckedIOException e) {
            return List.of();
        }
    }

    /** Returns all listening sockets in the network namespace of a process. */
    private static Stream<String> listeners(String pid) {
        return Stream.of("tcp", "tcp6").flatMap(table -> {
            try {
                return Files.readAllLines(Path.of("/proc", pid, "net", table)).stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).map(line -> line.strip().split("\\s+")).filter(words -> words[3].equals("0A")).map(words -> "socket:[" + words[9] + "]");
    }
}
