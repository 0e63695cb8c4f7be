package io.brokermeter.trials.agents.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.ssh.SshHosts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deployment with the real ssh and the real sshd; the installed program is a script. */
class SshDeployTest {

    private static final long LIMIT_SECONDS = 60;
    private static final String KEY = "the secret of the cluster\0\n\t\u00e4";

    /** Prints its arguments, checks its key file, and runs until it receives SIGTERM. */
    private static final String AGENT = """
        #!/bin/sh
        trap 'echo "ends"; exit 0' TERM
        echo "agent $$ $*"
        echo "lives" >&2
        [ "$1 $2" = "agent --key" ] || exit 3
        cmp "$3" KEYFILE || exit 4
        case $4 in --fail) echo "no port is free" >&2; exit 5 ;; esac
        while :; do sleep 0.1; done
        """;

    @TempDir
    Path directory;
    private Path home;
    private Path key;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final List<String> all = new CopyOnWriteArrayList<>();
    private @Nullable SshHosts ssh;

    @BeforeEach
    void set() throws Exception {
        ssh = SshHosts.in(directory, "one", "two");
        key = Files.write(directory.resolve("cluster.p12"), KEY.getBytes(StandardCharsets.UTF_8));
        home = Files.createDirectory(directory.resolve("home"));
        Files.createDirectory(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.writeString(home.resolve("bin/brokermeter"), AGENT.replace("KEYFILE", key.toString()));
        Files.write(home.resolve("lib/brokermeter.jar"), new byte[100_001]);
        Files.writeString(home.resolve("lib/other.jar"), "x");
    }

    @AfterEach
    void leaveNothing() throws IOException {
        if (ssh != null) {
            ssh.close();
        }
    }

    @Test
    void copiesOnceRunsAnAgentInTheForegroundAndTakesTheKeyAway() throws Exception {
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one", "--name", "it's $HOME; \"x\"")))).isEmpty();
            String first = heard("one: agent ");
            assertThat(first).endsWith(" --name it's $HOME; \"x\"");
            heard("one: lives");
            long pid = pid(first);
            assertThat(ProcessHandle.of(pid)).isPresent();
            assertThat(keys()).hasSize(1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keys().getFirst()))).isEqualTo("rw-------");
            assertThat(commandLines()).noneMatch(line -> line.contains("dGhlIHNlY3JldC"));
            deploy.close();
            heard("one: ends");
            awaitGone(pid);
        }
        awaitNoKeys();
        List<Path> copies = copies();
        assertThat(copies).hasSize(1);
        Path copy = copies.getFirst();
        assertThat(copy.resolve("lib/brokermeter.jar")).hasSize(100_001);
        assertThat(copy.resolve("lib/other.jar")).hasContent("x");
        assertThat(copy.resolve("sha256")).hasContent(copy.getFileName().toString());
        // an unchanged program is not copied again, a changed one is
        Files.writeString(copy.resolve("lib/other.jar"), "y");
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one")))).isEmpty();
        }
        assertThat(copy.resolve("lib/other.jar")).hasContent("y");
        Files.writeString(home.resolve("lib/other.jar"), "z");
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one")))).isEmpty();
        }
        assertThat(copies()).hasSize(2);
    }

    @Test
    void olderCopiesAreRemovedUnlessSomebodyUsesThem() throws Exception {
        List<Path> first;
        try (SshDeploy user = deploy()) {
            assertThat(user.start(List.of(host("one")))).isEmpty();
            first = copies();
            for (String version : List.of("2", "3", "4")) {
                run(version);
            }
            assertThat(copies()).hasSize(3).containsAll(first);
        }
        awaitNoKeys();
        List<Path> before = copies();
        run("5");
        assertThat(copies()).hasSize(2).doesNotContainAnyElementsOf(before.stream().filter(copy -> !first.contains(copy)).toList());
        run("6");
        assertThat(copies()).hasSize(2).doesNotContainAnyElementsOf(first);
    }

    private void run(String version) throws Exception {
        Files.writeString(home.resolve("lib/other.jar"), version);
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one")))).isEmpty();
        }
    }

    @Test
    void saysOfEachHostThatFailsWhatSshSaidLastAndRunsTheOthers() throws Exception {
        try (SshDeploy deploy = deploy()) {
            List<String> failures = deploy.start(List.of(host("closed"), host("one"), host("stranger"), host("two")));
            assertThat(failures).hasSize(2);
            assertThat(failures.getFirst()).startsWith("closed: ssh ended with status 255: ").contains("port 1").contains("refused");
            assertThat(failures.getLast()).isEqualTo("stranger: ssh ended with status 255: Host key verification failed.");
            heard("one: agent ");
            heard("two: agent ");
        }
        awaitNoKeys();
    }

    @Test
    void anAgentThatFailsIsSaidWithItsLastWords() throws Exception {
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one", "--fail")))).isEmpty();
            heard("one: its agent ended with status 5: no port is free");
            awaitNoKeys();
        }
    }

    @Test
    void anAgentEndsWithTheSessionWhoeverEndsThat() throws Exception {
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one")))).isEmpty();
            long pid = pid(heard("one: agent "));
            ProcessHandle.current().children().filter(child -> child.info().arguments()
                .map(words -> List.of(words).contains(at("ssh_config"))).orElse(false)).forEach(ProcessHandle::destroyForcibly);
            heard("one: its agent ended with status 137");
            awaitGone(pid);
            awaitNoKeys();
        }
    }

    @Test
    void theKeyOfAShellThatWasKilledIsTakenAwayByTheNextAgentAndNoOther() throws Exception {
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one")))).isEmpty();
            ProcessHandle shell = ProcessHandle.of(pid(heard("one: agent "))).flatMap(ProcessHandle::parent).orElseThrow();
            shell.destroyForcibly();
            shell.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        assertThat(keys()).hasSize(1);
        Path left = keys().getFirst();
        try (SshDeploy deploy = deploy()) {
            assertThat(deploy.start(List.of(host("one"), host("two")))).isEmpty();
            assertThat(keys()).hasSize(2).doesNotContain(left);
        }
        awaitNoKeys();
    }

    @Test
    void aNameThatSshWouldTakeForAnOptionIsRefused() throws Exception {
        try (SshDeploy deploy = deploy()) {
            assertThatThrownBy(() -> deploy.start(List.of(host("-oProxyCommand=touch x")))).isInstanceOf(IOException.class)
                .hasMessage("'-oProxyCommand=touch x' is no host for ssh");
        }
        try (SshDeploy deploy = new SshDeploy(List.of("ssh"), directory, key, all::add)) {
            assertThatThrownBy(() -> deploy.start(List.of(host("one"))))
                .hasMessage(directory + " is no installation: there is no bin/brokermeter in it");
        }
    }

    private SshDeploy deploy() {
        return new SshDeploy(hosts().ssh(), home, key, line -> {
            all.add(line);
            said.add(line);
        }).endingWithin(Duration.ofSeconds(LIMIT_SECONDS));
    }

    private static SshDeploy.Host host(String destination, String... arguments) {
        return new SshDeploy.Host(destination, List.of(arguments));
    }

    private String at(String name) {
        return directory.resolve(name).toString();
    }

    private String heard(String beginning) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (true) {
            for (String line : all) {
                if (line.startsWith(beginning)) {
                    return line;
                }
            }
            assertThat(System.nanoTime()).as("'" + beginning + "' among " + all).isLessThan(until);
            said.poll(100, TimeUnit.MILLISECONDS);
        }
    }

    private static long pid(String line) {
        return Long.parseLong(line.split(" ")[2]);
    }

    private static void awaitGone(long pid) throws Exception {
        ProcessHandle process = ProcessHandle.of(pid).orElse(null);
        if (process != null) {
            process.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void awaitNoKeys() throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!keys().isEmpty()) {
            assertThat(System.nanoTime()).as("keys that stayed").isLessThan(until);
            Thread.sleep(20);
        }
    }

    private List<Path> keys() throws IOException {
        return hosts().keys();
    }

    private List<Path> copies() throws IOException {
        return hosts().copies();
    }

    private SshHosts hosts() {
        return Objects.requireNonNull(ssh);
    }

    private static List<String> commandLines() {
        return ProcessHandle.allProcesses().map(process -> process.info().commandLine().orElse("")).toList();
    }
}
