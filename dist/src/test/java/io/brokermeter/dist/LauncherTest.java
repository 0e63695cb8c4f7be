package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The unpacked archive: commands through its shell script, which finds a JDK. A training uses both cores for half a minute, so one test
 * trains to the end: the tests that need a home without a cache are ordered before it, and all others come after it.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(LauncherTest.LIMIT_SECONDS + 60)
class LauncherTest {

    /**
     * Timeout in seconds. A training takes most of a minute on a busy machine, and many minutes if many programs compete for the
     * processors.
     */
    static final long LIMIT_SECONDS = 900;
    private static final Path HOME = Path.of(System.getProperty("brokermeter.home"));

    /** Caches of a user who has never fetched a broker. All tests share them, since a training takes long. */
    @TempDir
    static Path caches;

    @TempDir
    Path directory;

    /** A command that gets the command line of the program as its last words; empty for none. */
    private List<String> shell = List.of();

    /** Value of {@code BROKERMETER_PREPARE}; empty for none. */
    private String preparation = "";

    /** Ends trainings and deletes the trained caches, since these tests do not train what the user of this directory would. */
    @BeforeAll
    @AfterAll
    static void forgetTraining() throws Exception {
        trainings().forEach(ProcessHandle::destroy);
        awaitTrainings();
        if (Files.isDirectory(HOME.resolve("aot"))) {
            try (Stream<Path> files = Files.walk(HOME.resolve("aot"))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private record Finished(int status, String out, String err) {

        Finished exits(int expected) {
            assertThat(status).as("exit status; it said%n%s%n%s", out, err).isEqualTo(expected);
            return this;
        }
    }

    private Process start(List<String> arguments) throws IOException {
        // A build in the background may ignore SIGINT, which the shell and its JVM would inherit.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,TERM"));
        command.addAll(shell);
        command.add(HOME.resolve("bin/brokermeter").toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
            .redirectOutput(directory.resolve("out").toFile()).redirectError(directory.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_") || name.equals("JAVA_ARGS")
            || name.equals("JAVA_TOOL_OPTIONS"));
        // A locale in which "I" has no dot in lower case; where it is not installed, it is that of ASCII.
        builder.environment().put("LC_ALL", "tr_TR.UTF-8");
        builder.environment().put("XDG_STATE_HOME", directory.resolve("state").toString());
        builder.environment().put("XDG_CACHE_HOME", caches.toString());
        if (!preparation.isEmpty()) {
            builder.environment().put("BROKERMETER_PREPARE", preparation);
        }
        return builder.start();
    }

    private Finished await(Process process) throws IOException, InterruptedException {
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        String out = Files.readString(directory.resolve("out"));
        String err = Files.readString(directory.resolve("err"));
        assertThat(ended).as("the program ends; it said%n%s%n%s", out, err).isTrue();
        return new Finished(process.exitValue(), out, err);
    }

    private Finished run(String... arguments) throws IOException, InterruptedException {
        return await(start(List.of(arguments)));
    }

    private static void awaitThat(BooleanSupplier condition, String what) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT_SECONDS * 1_000_000_000;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    /** Returns the trainings in the background. */
    private static List<ProcessHandle> trainings() {
        return ProcessHandle.allProcesses().filter(process -> process.info().commandLine()
            .filter(line -> line.contains("-Dbrokermeter.background=true") && line.contains(HOME.toString())).isPresent()).toList();
    }

    /** Waits without looking through all processes again and again, which takes a third of a processor. */
    private static void awaitTrainings() throws Exception {
        for (ProcessHandle training : trainings()) {
            training.onExit().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Returns the file that the program writes after a training. */
    private static Path trained() throws IOException {
        try (Stream<Path> files = Files.walk(HOME.resolve("aot"))) {
            return files.filter(file -> file.endsWith("done")).findFirst().orElseThrow();
        }
    }

    /** Returns whether a cache was trained, or its training was attempted. */
    private static boolean isTrained() throws IOException {
        if (!Files.isDirectory(HOME.resolve("aot"))) {
            return false;
        }
        try (Stream<Path> files = Files.walk(HOME.resolve("aot"))) {
            return files.anyMatch(file -> file.endsWith("done"));
        }
    }

    /** One of each kind; the others are executed by the tests below, or have their classes from the same jars. */
    @ParameterizedTest
    @ValueSource(strings = {"--version", "--help", "drivers", "completion bash", "broker --help"})
    void everyCommandIsThere(String arguments) throws Exception {
        boolean before = isTrained();
        Finished finished = run(arguments.split(" ")).exits(0);
        assertThat(finished.out()).isNotBlank();
        assertThat(finished.err()).isEmpty();
        assertThat(isTrained()).isEqualTo(before);
    }

    @Test
    void itMeasuresAndRunsTheSameAgain() throws Exception {
        assertThat(run("client", "--url", "loopback://launcher", "--message-count", "1000").exits(0).out())
            .contains("--- total received:         1000");
        assertThat(run("producer", "--url", "loopback://launcher", "--message-count", "10").exits(0).out())
            .contains("--- total sent:               10");
        assertThat(run("replay", "last").exits(0).out()).contains("--- total sent:               10");
        assertThat(run("runs").exits(0).out()).contains("-client", "-producer");
    }

    @Test
    void aMistakeIsOneSentenceAndExitCode2() throws Exception {
        Finished finished = run("client", "--url", "loopback://launcher", "--raet", "5").exits(2);
        assertThat(finished.out()).isEmpty();
        assertThat(finished.err().lines()).hasSize(1).first().asString().contains("--raet");
    }

    @Test
    void aBrokerOfItsOwnIsInTheArchive() throws Exception {
        preparation = "off";
        Finished finished =
            run("client", "--broker", "artemis", "--message-count", "100", "--connect-timeout", "60s", "--drain-timeout", "60s")
                .exits(0);
        assertThat(finished.out()).contains("Started Apache Artemis", "--- total received:          100");
    }

    /** That a measurement begins the same training in the background is shown before; there it has what processors others leave free. */
    @Test
    @Order(5)
    void laterStartsArePreparedOnce() throws Exception {
        forgetTraining();
        run("prepare").exits(0);
        FileTime trained = Files.getLastModifiedTime(trained());
        assertThat(trained().resolveSibling("brokermeter.aot")).exists();
        assertThat(trained().resolveSibling("artemis.aot")).exists();
        assertThat(run("client", "--url", "loopback://launcher", "--message-count", "10").exits(0).err()).isEmpty();
        assertThat(Files.getLastModifiedTime(trained())).isEqualTo(trained);
        // The parser of command lines, too, comes from the cache.
        Path loaded = directory.resolve("loaded");
        shell = List.of("env", "JAVA_ARGS=-XX:+UseSerialGC -Xlog:class+load:file=" + loaded);
        run("drivers").exits(0);
        assertThat(loaded).content().contains("picocli.CommandLine source: shared objects file");
    }

    @Test
    @Order(4)
    void preparingBeginsBehindTheFirstMeasurementAndTheNextOnePutsItOffWithItsBroker() throws Exception {
        forgetTraining();
        Finished first = run("client", "--url", "loopback://launcher", "--message-count", "10").exits(0);
        assertThat(first.out()).contains("--- total received:           10");
        assertThat(first.err()).isEqualTo("Preparing the next starts of brokermeter in the background (once, half a minute; "
            + "a measurement puts it off).\n");
        ProcessHandle training = trainings().getFirst();
        awaitThat(() -> training.descendants().count() >= 2, "its broker");
        List<ProcessHandle> all = Stream.concat(Stream.of(training), training.descendants()).toList();
        Process process = start(List.of("client", "--url", "loopback://launcher", "--rate", "100"));
        awaitThat(() -> read("out").contains("--- warmup"), "a live block");
        awaitThat(() -> all.stream().noneMatch(ProcessHandle::isAlive), "the end of the training");
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor()).isZero();
        assertThat(await(process).exits(130).err()).doesNotContain("Another brokermeter");
        assertThat(isTrained()).isFalse();
        try (Stream<Path> left = Files.walk(HOME.resolve("aot"))) {
            assertThat(left.filter(Files::isRegularFile).map(file -> file.getFileName().toString())).containsOnly("lock");
        }
    }

    @Test
    @Order(3)
    void askedForPreparingCanBeEndedAndLeavesNothingBehind() throws Exception {
        forgetTraining();
        Process process = start(List.of("prepare"));
        awaitThat(() -> process.descendants().count() >= 2, "its broker");
        List<ProcessHandle> children = process.descendants().toList();
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor()).isZero();
        await(process).exits(1);
        awaitThat(() -> children.stream().noneMatch(ProcessHandle::isAlive), "the end of what was started");
        assertThat(isTrained()).isFalse();
        try (Stream<Path> left = Files.walk(HOME.resolve("aot"))) {
            assertThat(left.filter(Files::isRegularFile).map(file -> file.getFileName().toString())).containsOnly("lock");
        }
    }

    @Test
    @Order(1)
    void ctrlCReachesTheProgramBehindTheScriptAndNothingIsPreparedBehindIt() throws Exception {
        forgetTraining();
        // Without a rate: most of it would be missed if the signal came right after a stall, which fails the run.
        Process process = start(List.of("client", "--url", "loopback://launcher"));
        awaitThat(() -> read("out").contains("--- warmup"), "a live block");
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor()).isZero();
        Finished finished = await(process).exits(130);
        assertThat(finished.out()).contains("--- SUMMARY", "--- lost:                      0");
        assertThat(finished.err()).doesNotContain("Preparing");
        assertThat(isTrained()).isFalse();
    }

    /** Names in UTF-8 by way of a shell, since the JVM of the tests may have a locale that cannot write them. */
    @Test
    @Order(2)
    void preparingCanBeTurnedOffAndNamesAreInUtf8WhateverTheLocale() throws Exception {
        forgetTraining();
        preparation = "off";
        shell = List.of("sh", "-c", "exec \"$@\" \"$(printf 'queue://gr\\303\\266\\303\\237e')\"", "sh");
        assertThat(run("client", "--url", "loopback://launcher", "--message-count", "10").exits(0).err()).isEmpty();
        try (Stream<Path> files = Files.walk(directory.resolve("state"))) {
            Path scenario = files.filter(file -> file.endsWith("scenario.yaml")).findFirst().orElseThrow();
            assertThat(scenario).content(StandardCharsets.UTF_8).contains("queue: gr\u00F6\u00DFe");
        }
        shell = List.of("sh", "-c", "exec \"$@\" \"$(printf 'queue://gr\\366e')\"", "sh");
        assertThat(run("client", "--url", "loopback://launcher", "--message-count", "10").exits(2).err())
            .isEqualTo("'queue://gr\uFFFDe' is not a text in UTF-8.\n");
        assertThat(isTrained()).isFalse();
    }

    @Test
    @Order(6)
    void aKafkaThatWasFetchedIsNotPreparedForBehindWhatSpeaksAnotherProtocol() throws Exception {
        if (!isTrained()) {
            run("prepare").exits(0);
        }
        FileTime before = Files.getLastModifiedTime(trained());
        // An empty class path: Kafka is recorded as fetched, but cannot be started.
        Path memo = Files.createDirectories(caches.resolve("brokermeter/class-paths")).resolve("apache-kafka-0-0.txt");
        Files.writeString(memo, "");
        assertThat(run("client", "--url", "loopback://launcher", "--message-count", "10").exits(0).err()).isEmpty();
        assertThat(Files.getLastModifiedTime(trained())).isEqualTo(before);
    }

    private String read(String file) {
        try {
            return Files.readString(directory.resolve(file));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
