package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

class TimerTest {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    @Test
    void runsATaskNotBeforeItsTimeOnAThreadThatDoesNotKeepTheProgram() throws Exception {
        var thread = new CompletableFuture<Thread>();
        long begin = System.nanoTime();
        var ran = new CompletableFuture<Long>();
        Timer.after(5_000_000, () -> {
            ran.complete(System.nanoTime());
            thread.complete(Thread.currentThread());
        });
        assertThat(ran.get(60, TimeUnit.SECONDS) - begin).isGreaterThanOrEqualTo(5_000_000);
        assertThat(thread.get(60, TimeUnit.SECONDS).isDaemon()).isTrue();
    }

    @Test
    void runsATaskThatIsOverdueAtOnce() throws Exception {
        var ran = new CountDownLatch(1);
        var far = new AtomicInteger();
        ScheduledFuture<?> other = Timer.after(HOUR, far::incrementAndGet);
        Timer.after(-HOUR, ran::countDown);
        assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(far.get()).isZero();
        other.cancel(false);
    }

    @Test
    void runsATaskAgainThatLongAfterItsLastEndUntilItIsCancelled() throws Exception {
        record Turn(long begin, long end) {}
        List<Turn> turns = new CopyOnWriteArrayList<>();
        var enough = new CountDownLatch(10);
        ScheduledFuture<?> task = Timer.every(1_000_000, () -> {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < 2_000_000) {
                Thread.onSpinWait();
            }
            turns.add(new Turn(begin, System.nanoTime()));
            enough.countDown();
        });
        assertThat(enough.await(60, TimeUnit.SECONDS)).isTrue();
        task.cancel(false);
        // the timer runs one task at a time, so a run in progress has ended after this
        var after = new CountDownLatch(1);
        Timer.after(0, after::countDown);
        assertThat(after.await(60, TimeUnit.SECONDS)).isTrue();
        int count = turns.size();
        for (int i = 1; i < count; i++) {
            assertThat(turns.get(i).begin - turns.get(i - 1).end).isGreaterThanOrEqualTo(1_000_000);
        }
        var later = new CountDownLatch(1);
        Timer.after(5_000_000, later::countDown);
        assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(turns).hasSize(count);
    }

    @Test
    void goesOnAfterATaskThatFailed() throws Exception {
        var tries = new AtomicInteger();
        ScheduledFuture<?> failing = Timer.every(100_000, () -> {
            tries.incrementAndGet();
            throw new IllegalStateException("made up");
        });
        var others = new CountDownLatch(20);
        ScheduledFuture<?> other = Timer.every(100_000, others::countDown);
        assertThat(others.await(60, TimeUnit.SECONDS)).isTrue();
        other.cancel(false);
        assertThat(failing.isDone()).isTrue();
        assertThat(tries.get()).as("it is not run again").isEqualTo(1);
    }

    /** Many threads schedule tasks and cancel half of them: each of the others runs once, and no two run at the same time. */
    @Test
    void runsTheTasksOfManyThreadsOneAtATime() throws Exception {
        int threads = 8;
        int each = 2000;
        var running = new AtomicInteger();
        var together = new AtomicInteger();
        var ran = new AtomicInteger();
        var cancelled = new AtomicInteger();
        var over = new CountDownLatch(threads * each / 2);
        List<CompletableFuture<Void>> users = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            users.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < each; i++) {
                    if (i % 2 == 0) {
                        Timer.after(i % 7 * 10_000L, () -> {
                            if (running.incrementAndGet() > 1) {
                                together.incrementAndGet();
                            }
                            ran.incrementAndGet();
                            running.decrementAndGet();
                            over.countDown();
                        });
                    } else if (Timer.after(HOUR, ran::incrementAndGet).cancel(false)) {
                        cancelled.incrementAndGet();
                    }
                }
            }));
        }
        for (CompletableFuture<Void> user : users) {
            user.get(60, TimeUnit.SECONDS);
        }
        assertThat(over.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(ran.get()).isEqualTo(threads * each / 2);
        assertThat(cancelled.get()).isEqualTo(threads * each / 2);
        assertThat(together.get()).isZero();
    }
}
