package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of the machine, its threads, and what it asks of the kernel. */
class ClockTest {

    /** A wait that nothing but a mistake lets last so long. */
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The wall clock is read between two readings of the run's clock, so a machine that stands still makes the interval wide, not wrong. */
    @Test
    void itsTimeIsThatOfTheWallClock() {
        long before = EpochClock.nanos();
        Instant wall = Instant.now();
        long after = EpochClock.nanos();
        long tolerance = TimeUnit.SECONDS.toNanos(1);

        assertThat(Duration.between(EpochClock.instant(before), wall).toNanos()).isGreaterThan(-tolerance);
        assertThat(Duration.between(wall, EpochClock.instant(after)).toNanos()).isGreaterThan(-tolerance);
        assertThat(Clock.SYSTEM.nanos()).isBetween(after, EpochClock.nanos());
    }

    @Test
    void itIsTheMonotonicClockPlusTheMomentAtWhichThatWasZero() {
        long before = System.nanoTime();
        long now = EpochClock.nanos();
        long after = System.nanoTime();

        assertThat(now - EpochClock.zero()).isBetween(before, after);
    }

    @ParameterizedTest
    @CsvSource({"0, 1970-01-01T00:00:00Z", "1, 1970-01-01T00:00:00.000000001Z", "1769860800250000000, 2026-01-31T12:00:00.250Z",
        "-1, 1969-12-31T23:59:59.999999999Z", "-1500000000, 1969-12-31T23:59:58.500Z"})
    void aMomentIsAnInstant(long nanos, String instant) {
        assertThat(EpochClock.instant(nanos)).isEqualTo(Instant.parse(instant));
    }

    @Test
    void onlyAProcessThatWasStartedForItFollowsAnotherClock() {
        long zero = EpochClock.zero();
        assertThatThrownBy(() -> EpochClock.follow(System.nanoTime(), 0, 0, 0)).isInstanceOf(IllegalStateException.class)
            .hasMessage("This process goes by its own clock.");
        assertThat(EpochClock.zero()).isEqualTo(zero);
    }

    @Test
    void itsThreadsAreDaemonsWithNames() throws Exception {
        AtomicReference<Thread> seen = new AtomicReference<>();
        Thread thread = Clock.SYSTEM.start("a name", () -> seen.set(Thread.currentThread()));
        Clock.SYSTEM.join(thread, LONG_NANOS);

        assertThat(thread.isAlive()).isFalse();
        assertThat(seen.get()).isSameAs(thread);
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.isVirtual()).isFalse();
        assertThat(thread.getName()).isEqualTo("a name");
    }

    /** The thread that waits would outlast the limit of this test if an unpark did not end its wait. */
    @Test
    void aParkEndsWhenTheThreadIsUnparked() {
        CountDownLatch parks = new CountDownLatch(1);
        Thread thread = Clock.SYSTEM.start("parks", () -> {
            parks.countDown();
            Clock.SYSTEM.park(Long.MAX_VALUE);
        });
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).as("it parks").isTrue();
            Thread.onSpinWait();
        }
        assertThat(parks.getCount()).isZero();
        while (thread.isAlive()) {
            Clock.SYSTEM.unpark(thread);
            Clock.SYSTEM.join(thread, 1_000_000);
        }
        Clock.SYSTEM.unpark(null);
    }

    @Test
    void aParkLastsAsLongAsItWasAskedTo() {
        long asked = 3_000_000;
        long start = System.nanoTime();
        while (System.nanoTime() - start < asked) {
            // May return early at any time.
            Clock.SYSTEM.park(asked - (System.nanoTime() - start));
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(asked);
    }

    @Test
    void anInterruptEndsAJoinAndStaysSet() throws Exception {
        CountDownLatch ends = new CountDownLatch(1);
        Thread thread = Clock.SYSTEM.start("waits", () -> {
            try {
                ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.currentThread().interrupt();
        Clock.SYSTEM.join(thread, LONG_NANOS);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(thread.isAlive()).isTrue();
        ends.countDown();
        thread.join();
    }

    /** A wait of less than a millisecond must not become one without end, nor nanoseconds milliseconds. */
    @ParameterizedTest
    @ValueSource(longs = {0, 999_999, 3_000_000})
    void aJoinOfAShortTimeEnds(long nanos) throws Exception {
        CountDownLatch ends = new CountDownLatch(1);
        Thread thread = Clock.SYSTEM.start("waits", () -> {
            try {
                ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Clock.SYSTEM.join(thread, nanos);

        assertThat(thread.isAlive()).isTrue();
        ends.countDown();
        thread.join();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theKernelIsAskedToWakeThisThreadInTime() throws Exception {
        AtomicReference<Optional<String>> reason = new AtomicReference<>();
        AtomicReference<String> slack = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            reason.set(NativeThread.lowerTimerSlack());
            try {
                Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
                slack.set(Files.readString(Path.of("/proc").resolve(self).resolve("timerslack_ns")).strip());
            } catch (IOException e) {
                slack.set(e.toString());
            }
        });
        thread.join();

        assertThat(reason.get()).isEmpty();
        assertThat(slack.get()).isEqualTo("1");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void realTimeSchedulingIsGrantedOrTheReasonIsSaid() throws Exception {
        AtomicReference<Optional<String>> reason = new AtomicReference<>();
        AtomicReference<String> policy = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            reason.set(NativeThread.realtime());
            try {
                // Field 41 of stat is the policy; 1 is SCHED_FIFO. The name in field 2 may have blanks and ends with the last bracket.
                policy.set(Files.readString(Path.of("/proc/thread-self/stat")).replaceFirst(".*\\) ", "").split(" ")[41 - 3]);
            } catch (IOException e) {
                policy.set(e.toString());
            }
        });
        thread.join();

        assertThat(policy.get()).isEqualTo(reason.get().isEmpty() ? "1" : "0");
        reason.get().ifPresent(sentence -> assertThat(sentence).startsWith("the kernel refused real-time scheduling"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void withoutNativeCallsTheKernelIsAskedByTheFileOfTheThread(@TempDir Path proc) throws Exception {
        assertThat(NativeThread.through(proc)).hasValueSatisfying(
            reason -> assertThat(reason).startsWith("timer slack stays at its default: ").contains("thread-self"));

        Files.createSymbolicLink(proc.resolve("thread-self"), Path.of("17/task/23"));
        Path slack = Files.writeString(Files.createDirectory(proc.resolve("23")).resolve("timerslack_ns"), "50000");
        assertThat(NativeThread.through(proc)).isEmpty();
        assertThat(slack).hasContent("1");
    }

    /** A clock that was 5 ns ahead at 1,000 and gains half a nanosecond on each of this process. */
    @Test
    void anotherProcesssClockGoesByItsOffsetAndItsDrift() {
        EpochClock.Line ahead = new EpochClock.Line(1_000, 5, 0.5, 1_000_000);
        assertThat(ahead.read(1_000)).isEqualTo(1_001_005);
        assertThat(ahead.read(1_100)).isEqualTo(1_001_155);
    }
}
