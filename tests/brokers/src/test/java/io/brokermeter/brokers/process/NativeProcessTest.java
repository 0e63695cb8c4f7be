package io.brokermeter.brokers.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.NativeGroup;
import io.brokermeter.brokers.NativeOwner;
import io.brokermeter.hosts.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a shell script in place of a broker. */
public class NativeProcessTest {

    /** Starts a helper process, signals that it is ready, and keeps running. */
    public static final String BROKER = "echo starting; sleep 1000 & echo $! >helper; touch ready; exec sleep 1000";

    private static final BrokerName SHELL = BrokerName.parse("shell");

    @TempDir
    private Path temporary;

    @Test
    void leavesNoProcessAndNoDirectory() throws Exception {
        Path directory = temporary.resolve("broker");
        NativeProcess broker = start(directory, BrokerOptions.defaults(), BROKER);
        assertThat(broker.isAlive()).isTrue();
        // the script signals that it is ready shortly before it becomes the program that keeps running
        BrokerProcessTest.await(() -> commandOf(broker.pid()).startsWith("sleep"));
        ProcessHandle helper = helper(directory);

        broker.close();
        broker.close();

        assertThat(broker.isAlive()).isFalse();
        assertThat(ProcessHandle.of(broker.pid())).isEmpty();
        BrokerProcessTest.await(() -> gone(helper));
        assertThat(directory).doesNotExist();
    }

    @Test
    void endsWhenItsOwnerIsKilled() throws Exception {
        Path directory = temporary.resolve("broker");
        Process owner = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("java.class.path"), NativeOwner.class.getName(), directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        ProcessHandle broker;
        ProcessHandle helper;
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8))) {
            broker = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
            helper = helper(directory);
            assertThat(broker.isAlive()).isTrue();
        } finally {
            owner.destroyForcibly();
        }
        BrokerProcessTest.await(() -> gone(broker) && gone(helper) && Files.notExists(directory));
    }

    @Test
    void keepsADirectoryThatWasThereBeforeAndOneThatIsToBeKept() throws Exception {
        start(temporary, BrokerOptions.defaults(), BROKER).close();
        assertThat(temporary.resolve("ready")).exists();
        Path directory = temporary.resolve("broker");
        start(directory, BrokerOptions.defaults().withKeep(true), BROKER).close();
        assertThat(directory.resolve("broker.log")).content().isEqualToIgnoringWhitespace("starting");
    }

    @Test
    void letsABrokerWhoseDirectoryIsKeptEndByItself() throws Exception {
        start(temporary, BrokerOptions.defaults(),
            "trap 'echo written >data; exit 0' TERM; touch ready; while true; do sleep 0.05; done").close();
        assertThat(temporary.resolve("data")).exists();
    }

    @Test
    void isGoneAfterKillWithItsHelpers() throws Exception {
        try (NativeProcess broker = start(temporary, BrokerOptions.defaults(), BROKER)) {
            broker.kill();
            assertThat(broker.isAlive()).isFalse();
            assertThat(broker.awaitExit(Duration.ZERO)).isTrue();
            ProcessHandle.of(Long.parseLong(Files.readString(temporary.resolve("helper")).strip()))
                .ifPresent(helper -> BrokerProcessTest.await(() -> gone(helper)));
        }
    }

    @Test
    void noticesWhenTheBrokerEndsByItself() throws Exception {
        try (NativeProcess broker = start(temporary, BrokerOptions.defaults(),
            "touch ready; until test -e go; do sleep 0.05; done; exit 3")) {
            Files.createFile(temporary.resolve("go"));
            assertThat(broker.awaitExit(Duration.ofSeconds(120))).isTrue();
            assertThat(broker.isAlive()).isFalse();
        }
    }

    @Test
    void closesAFrozenBroker() throws Exception {
        Path directory = temporary.resolve("broker");
        NativeProcess broker = start(directory, BrokerOptions.defaults(), BROKER);
        broker.freeze();
        BrokerProcessTest.await(() -> BrokerProcessTest.state(broker.pid()) == 'T');
        broker.resume();
        BrokerProcessTest.await(() -> BrokerProcessTest.state(broker.pid()) != 'T');
        broker.freeze();
        broker.close();
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
    }

    @Test
    void isStartedAgainInItsDirectoryUntilItIsClosed() throws Exception {
        Path directory = temporary.resolve("broker");
        NativeProcess broker = start(directory, BrokerOptions.defaults(), "echo once >>starts; rm -f ready; " + BROKER);
        long first = broker.pid();
        broker.kill();
        assertThat(directory.resolve("ready")).as("its directory stays").exists();
        Files.delete(directory.resolve("ready"));

        broker.startAgain();
        assertThat(broker.isAlive()).isTrue();
        assertThat(broker.pid()).isNotEqualTo(first);
        assertThat(directory.resolve("starts")).content().isEqualTo("once\nonce\n");
        assertThatThrownBy(broker::startAgain).isInstanceOf(BrokerException.class).hasMessageContaining("runs");
        broker.freeze();
        BrokerProcessTest.await(() -> BrokerProcessTest.state(broker.pid()) == 'T');

        broker.close();
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
        assertThatThrownBy(broker::startAgain).hasMessageContaining("closed");
    }

    /** Everything below the common directory is deleted when the topology is closed, so the data must be moved. */
    @Test
    void whatIsNotStartedAgainOfATopologyKeepsWhatItHadOnItsDisk() throws Exception {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
        Path directory = temporary.resolve("broker");
        Path node = directory.resolve("node-1");
        NativeGroup group = new NativeGroup(BrokerOptions.defaults().withDirectory(directory));
        try {
            NativeCommand command = group.command(Path.of("/bin/sh"), "node 1")
                .with("-c", "test -e data && exit 3; touch data ready; exec sleep 1000");
            NativeProcess process = group.start(SHELL,
                new NativeGroup.Launch(command, "node 1", 1, () -> Files.exists(node.resolve("ready"))));
            process.kill();
            Files.delete(node.resolve("ready"));
            assertThatThrownBy(process::startAgain).isInstanceOf(BrokerException.class)
                .hasMessageContaining("What it had on its disk is kept in " + directory + "-node-1-not-started-again-");
        } finally {
            group.close();
        }
        assertThat(directory).doesNotExist();
        try (Stream<Path> all = Files.list(temporary)) {
            assertThat(all.map(kept -> kept.resolve("data")).filter(Files::exists)).hasSize(1);
        }
    }

    @Test
    void endsInItsOwnWayWhenItIsStopped() throws Exception {
        try (NativeProcess broker = start(temporary, BrokerOptions.defaults(),
            "trap 'echo written >data; exit 0' TERM; touch ready; while true; do sleep 0.05; done")) {
            broker.freeze();
            assertThat(broker.stop(Duration.ofSeconds(60))).isTrue();
            assertThat(broker.isAlive()).isFalse();
            assertThat(temporary.resolve("data")).exists();
        }
    }

    @Test
    void standsInASessionOfItsOwn() throws Exception {
        try (NativeProcess broker = start(temporary, BrokerOptions.defaults(), BROKER)) {
            assertThat(session(broker.pid())).isEqualTo(broker.pid());
        }
    }

    @Test
    void givesItTheEnvironmentAndHidesAnother() throws Exception {
        assertThat(System.getenv("HOME")).isNotBlank();
        try (NativeProcess broker = new NativeCommand(Path.of("/bin/sh"), temporary, BrokerOptions.defaults())
            .with("-c", "echo \"<$HOME> <$MEANING>\"; " + BROKER).withoutEnvironment("HOM")
            .withEnvironment("MEANING", "42")
            .start(SHELL, "broker", 1, () -> Files.exists(temporary.resolve("ready")))) {
            assertThat(broker.lastLogLines()).containsExactly("<> <42>", "starting");
        }
    }

    @Test
    void showsTheLastLinesOfABrokerThatDoesNotStart() {
        Path directory = temporary.resolve("broker");
        assertThatThrownBy(() -> start(directory, BrokerOptions.defaults(), "echo no room on the disk; exit 7"))
            .isInstanceOf(BrokerException.class).hasMessageContaining("shell").hasMessageContaining("status 7")
            .hasMessageContaining("no room on the disk");
        assertThat(directory).doesNotExist();
    }

    /** On a busy machine the program may take longer to print its line; the test then tries again with more time. */
    @Test
    void givesUpAfterTheStartLimit() {
        Path directory = temporary.resolve("broker");
        int seconds = 2;
        while (!afterStartLimit(directory, seconds).contains("waiting")) {
            seconds *= 2;
            assertThat(seconds).as("time that was enough").isLessThan(100);
        }
    }

    private static String afterStartLimit(Path directory, int seconds) {
        BrokerOptions options = BrokerOptions.defaults().withStartLimit(Duration.ofSeconds(seconds));
        BrokerException given =
            catchThrowableOfType(BrokerException.class, () -> start(directory, options, "echo waiting; exec sleep 1000"));
        assertThat(given).hasMessageContaining("not ready after " + seconds + " s");
        assertThat(directory).doesNotExist();
        return given.getMessage();
    }

    @Test
    void namesThePackageOfAMissingProgram() {
        assertThatThrownBy(() -> NativeProgram.find("mosquitto", "no-such-program"))
            .isInstanceOf(IllegalArgumentException.class).hasMessage("Broker mosquitto needs the program no-such-program"
                + " on the PATH: install the Debian package no-such-program.");
    }

    @Test
    void refusesAnotherVersionThanTheOneThatIsThere() throws Exception {
        NativeProgram echo = NativeProgram.find("shell", "echo");
        Pattern version = Pattern.compile("version (\\S+)");
        assertThat(echo.version(SHELL, version, "version 1.2.3")).hasToString("shell:1.2.3");
        assertThat(echo.version(new BrokerName("shell", Optional.of("1.2.3")), version, "version 1.2.3"))
            .hasToString("shell:1.2.3");
        assertThatThrownBy(() -> echo.version(new BrokerName("shell", Optional.of("9")), version, "version 1.2.3"))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("shell:9")
            .hasMessageContaining("shell:1.2.3");
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> FreePort.orAsked(taken.getLocalPort())).isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
        }
    }

    /** Before the broker listens, the system could give such a port to a new connection of another process. */
    @Test
    void choosesPortsThatTheSystemDoesNotGiveToClients() throws Exception {
        Path range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
        int clients = Files.exists(range) ? Integer.parseInt(Files.readAllLines(range).getFirst().split("\\s+")[0]) : 32_768;
        assertThat(FreePort.several(20)).doesNotHaveDuplicates().allSatisfy(port -> assertThat(port).isBetween(1024, clients - 1));
        assertThat(FreePort.orAsked(0)).isLessThan(clients);
    }

    /** Brokers that start at the same time bind their ports in any order. So many ports drive out those that others hold. */
    @Test
    void givesNoPortTwice() throws Exception {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            assertThat(given.add(FreePort.find())).isTrue();
        }
    }

    /** Another program may look for a free port after a broker has been given a port and before it listens. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void holdsAPortForTheBrokerThatItIsGivenTo() throws Exception {
        int neighboured = FreePort.withNeighbours(-2, 1);
        List<Integer> ports = new ArrayList<>(FreePort.several(3));
        ports.addAll(List.of(FreePort.orAsked(0), neighboured - 2, neighboured, neighboured + 1));
        for (int port : ports) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            try (Socket looking = new Socket()) {
                looking.setReuseAddress(false);
                assertThatThrownBy(() -> looking.bind(address)).as("another process that looks for a free port")
                    .isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> new Socket("127.0.0.1", port)).as("a client before the broker listens")
                .isInstanceOf(IOException.class);
            try (ServerSocket broker = new ServerSocket()) {
                broker.setReuseAddress(true);
                broker.bind(address);
                new Socket("127.0.0.1", port).close();
            }
        }
    }

    @Test
    void writesASecretWhereNobodyElseReads() throws Exception {
        Path directory = Files.createDirectory(temporary.resolve("kept"));
        Path elsewhere = Files.writeString(temporary.resolve("elsewhere"), "as it was");
        Path open = Files.writeString(directory.resolve("users"), "old");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-"));
        Files.createSymbolicLink(directory.resolve("key.pem"), elsewhere);
        try (InputStream reader = Files.newInputStream(open)) {
            NativeCommand command = new NativeCommand(Path.of("/bin/sh"), directory, BrokerOptions.defaults()).with("-c", BROKER);
            command.withFile("users", "a secret");
            command.withFile("key.pem", "another secret");
            command.start(SHELL, "broker", 1, () -> Files.exists(directory.resolve("ready"))).close();
            assertThat(reader.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("old");
        }
        assertThat(elsewhere).content().isEqualTo("as it was");
        assertThat(open).content().isEqualTo("a secret");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(open))).isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("key.pem")))).isEqualTo("rw-------");
    }

    /** A broker that ran as another user may have left a link to a file that this user must not own. */
    @Test
    void givesItsUserNothingThatALinkLeadsTo() throws Exception {
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
        Path directory = Files.createDirectory(temporary.resolve("kept"));
        Path elsewhere = Files.writeString(temporary.resolve("elsewhere"), "of root");
        Files.createSymbolicLink(directory.resolve("link"), elsewhere);
        Object owner = Files.getAttribute(elsewhere, "unix:uid");
        assumeTrue(owner.equals(0), "Only root runs brokers as another user.");
        new NativeCommand(Path.of("/bin/sh"), directory, BrokerOptions.defaults()).with("-c", BROKER).unprivileged()
            .start(SHELL, "broker", 1, () -> Files.exists(directory.resolve("ready"))).close();
        assertThat(Files.getAttribute(elsewhere, "unix:uid")).isEqualTo(owner);
        assumeTrue(!Files.getAttribute(directory, "unix:uid").equals(0), "Here root cannot become another user.");
        assertThat(Files.getAttribute(directory.resolve("link"), "unix:uid", LinkOption.NOFOLLOW_LINKS)).isNotEqualTo(0);
    }

    private static NativeProcess start(Path directory, BrokerOptions options, String script) throws BrokerException {
        return new NativeCommand(Path.of("/bin/sh"), directory, options).with("-c", script)
            .start(SHELL, "broker", 1, () -> Files.exists(directory.resolve("ready")));
    }

    private static ProcessHandle helper(Path directory) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("helper")).strip())).orElseThrow();
    }

    private static String commandOf(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a process has ended, even if the process that inherited it has not reaped it yet. */
    private static boolean gone(ProcessHandle process) {
        char state = BrokerProcessTest.state(process.pid());
        return !process.isAlive() || state == 'Z' || state == '?';
    }

    private static long session(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3]);
    }
}
