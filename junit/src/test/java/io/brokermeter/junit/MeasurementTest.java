package io.brokermeter.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** Runs against a broker in memory, by the extension as others use it. */
@ExtendWith(BrokermeterExtension.class)
class MeasurementTest {

    private static final List<Path> KEPT = new ArrayList<>();

    @TempDir
    private Path directory;

    private Path scenario;
    private Measurement before;

    @BeforeEach
    void write(Measurement measurement) throws Exception {
        before = measurement.of("loopback://fine");
        scenario = Files.writeString(directory.resolve("ci.yaml"), "name: ci\nurl: loopback://nowhere\ndestinations: [queue://CI]\n"
            + "load: {messages: 50}\ndrainTimeout: 500ms\nproducers: {maxPending: 10}\nconsumers: {}\n");
    }

    @Test
    void whatKeepsItsLimitsPassesAndLeavesItsFiles(Measurement measurement) throws Exception {
        Path files = measurement.of("loopback://fine").keeps(scenario, "lost == 0");
        try (var all = Files.walk(files)) {
            assertThat(all.map(file -> String.valueOf(file.getFileName()))).contains("result.json");
        }
        assertThat(measurement.keeps(scenario, "received == 50")).isNotEqualTo(files);
    }

    @RepeatedTest(2)
    void eachRunKeepsItsFiles(Measurement measurement) {
        KEPT.add(before.keeps(scenario));
        KEPT.add(measurement.keeps(scenario));
    }

    @AfterAll
    static void allAreKept() {
        assertThat(KEPT).doesNotHaveDuplicates().allSatisfy(files -> assertThat(files).isNotEmptyDirectory());
    }

    private Path endless() throws IOException {
        return Files.writeString(directory.resolve("endless.yaml"), "name: endless\nurl: loopback://fine\n"
            + "destinations: [queue://CI]\nload: {rate: 100/s}\nduration: 5m\ninterval: 100ms\nproducers: {}\nconsumers: {}\n");
    }

    @Test
    void aSignalEndsTheRunAndReachesThoseForWhomItWasMeant(Measurement measurement) throws Exception {
        Signal signal = new Signal("TERM");
        CountDownLatch came = new CountDownLatch(1);
        SignalHandler ofTest = _ -> came.countDown();
        SignalHandler ofJvm = Signal.handle(signal, ofTest);
        try {
            Path endless = endless();
            FileTime start = Files.getLastModifiedTime(endless);
            Thread.ofVirtual().start(() -> {
                while (!hasInterval("aSignal", start)) {
                    LockSupport.parkNanos(10_000_000);
                }
                Signal.raise(signal);
            });
            assertThatThrownBy(() -> measurement.keeps(endless)).isInstanceOf(AssertionFailedError.class)
                .hasMessageContaining("The run failed");
            assertThat(came.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(Signal.handle(signal, ofTest)).isSameAs(ofTest);
        } finally {
            Signal.handle(signal, ofJvm);
        }
    }

    /** Two builds may run a test in one directory. */
    @Test
    void aRunThatIsGoingOnKeepsItsFiles(Measurement measurement) throws Exception {
        String first = before.keeps(scenario).toString();
        Path next = Path.of(first.substring(0, first.lastIndexOf('-')) + "-2");
        Path intervals = Files.writeString(Files.createDirectories(next).resolve(RunDirectory.INTERVALS), "");
        try (RunLock _ = RunLock.exclusive(intervals).orElseThrow()) {
            assertThatThrownBy(() -> measurement.keeps(scenario)).isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(next + " is being written by another run");
            assertThat(intervals).exists();
        }
    }

    /** As a timeout of JUnit does. */
    @Test
    void anInterruptionEndsTheRun(Measurement measurement) throws Exception {
        Path endless = endless();
        FileTime start = Files.getLastModifiedTime(endless);
        Thread test = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            while (!hasInterval("anInterruption", start)) {
                LockSupport.parkNanos(10_000_000);
            }
            test.interrupt();
        });
        assertThatThrownBy(() -> measurement.keeps(endless)).isInstanceOf(AssertionFailedError.class)
            .hasMessageContaining("The run failed");
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Returns whether a run of a test has written an interval since a moment. */
    private static boolean hasInterval(String test, FileTime since) {
        try (Stream<Path> all = Files.walk(Path.of("target/brokermeter"))) {
            return all.map(Path::toFile).anyMatch(file -> file.getPath().contains(test) && file.getName().equals("intervals.jsonl")
                && file.length() > 0 && file.lastModified() > since.toMillis());
        } catch (IOException | UncheckedIOException e) {
            return false; // the files of an earlier build are being deleted
        }
    }

    @Test
    void aMissedLimitFailsTheTestWithItsFigure(Measurement measurement) {
        assertThatThrownBy(() -> measurement.of("loopback://fine").keeps(scenario, "received >= 51"))
            .isInstanceOf(AssertionFailedError.class)
            .hasMessageContainingAll("A limit was missed.", "received >= 51", "50");
    }

    @Test
    void aLossFailsTheTest(Measurement measurement) {
        assertThatThrownBy(() -> measurement.of("loopback://lossy?lose-every=10").keeps(scenario)).isInstanceOf(AssertionFailedError.class)
            .hasMessageContaining("lost");
    }

    @Test
    void aWrongLimitIsNamed(Measurement measurement) {
        assertThatThrownBy(() -> measurement.keeps(scenario, "speed > 3")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("speed");
        assertThatThrownBy(() -> measurement.keeps(directory.resolve("absent.yaml"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("absent.yaml");
    }
}
