package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ThreadUseTest {

    @Test
    void theJvmsOwnThreadsAreLeftOut() {
        Map<Integer, Proc.Task> before =
            Map.of(1, new Proc.Task("a-reader", 1_000_000_000, 0, 1), 2, new Proc.Task("C2 CompilerThre", 0, 0, 1));
        Map<Integer, Proc.Task> after = Map.of(1, new Proc.Task("a-reader", 3_000_000_000L, 500_000_000, 1), 2,
            new Proc.Task("C2 CompilerThre", 9_000_000_000L, 9_000_000_000L, 1), 3, new Proc.Task("late", 0, 1_500_000_000, 1));
        ThreadUse use = ThreadUse.between(new Proc.Tasks(before, true), new Proc.Tasks(after, true), 10);
        assertThat(use.waiting()).isCloseTo(0.2, within(1e-9));
        assertThat(use.busiest()).isEqualTo("a-reader");
        assertThat(use.busiestShare()).isCloseTo(0.2, within(1e-9));
    }

    /**
     * 30 s after a warm-up of 30 s. The counters of a thread that was not read at the end of the warm-up include its CPU time in the
     * warm-up.
     */
    @Test
    void ofThreadsThatWereNotReadAtTheBeginWhatTheyDidBeforeDoesNotCount() {
        Map<Integer, Proc.Task> before = Map.of(1, new Proc.Task("a-reader", 5_000_000_000L, 0, 1));
        Map<Integer, Proc.Task> after = Map.of(1, new Proc.Task("a-reader", 8_000_000_000L, 3_000_000_000L, 1), 1234,
            new Proc.Task("brokermeter-sen", 36_000_000_000L, 20_000_000_000L, 1));
        assertThat(ThreadUse.between(new Proc.Tasks(before, false), new Proc.Tasks(after, true), 30))
            .isEqualTo(new ThreadUse(0.1, "a-reader", 0.1, 0.2, 0.1, 0, -1));
        assertThat(ThreadUse.between(new Proc.Tasks(before, true), new Proc.Tasks(after, true), 30).busiestShare())
            .as("a thread that began since").isCloseTo(1.2, within(1e-9));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aThreadThatSpinsIsTheBusiest() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Proc.Tasks before = Proc.tasks();
        assumeThat(before.read()).as("a kernel that tells how threads are scheduled").isNotEmpty();
        Thread burner = Thread.ofPlatform().name("a-burning-thread").start(() -> {
            while (!stop.get()) {
                Thread.onSpinWait();
            }
        });
        try {
            ThreadUse use;
            long began = System.nanoTime();
            do {
                // Repeated until the thread has had a processor for a while, since the machine may be busy.
                Thread.sleep(20);
                use = ThreadUse.between(before, Proc.tasks(), 1);
            } while (!(use.busiest().startsWith("a-burning") && use.busiestShare() > 0.2) && System.nanoTime() - began < 120_000_000_000L);
            assertThat(use.busiest()).isEqualTo("a-burning-threa");
        } finally {
            stop.set(true);
            burner.join();
        }
    }
}
