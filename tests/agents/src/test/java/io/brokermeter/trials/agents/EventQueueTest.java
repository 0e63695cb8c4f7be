package io.brokermeter.trials.agents;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;

/** The limit for messages that wait for a run that is slower than its agents. */
class EventQueueTest {

    private static final int HALF = (int) (EventQueue.MOST / 2);

    private final EventQueue queue = new EventQueue();
    private final List<String> handled = new CopyOnWriteArrayList<>();

    /** Adds a message of half the limit, and returns the thread that is blocked while it adds a larger one. */
    private Thread heldBack() throws InterruptedException {
        queue.add(HALF, () -> handled.add("first"));
        Thread adding = Thread.ofPlatform().daemon().start(() -> queue.add(HALF + 1, () -> handled.add("second")));
        while (adding.getState() != Thread.State.WAITING) {
            assertThat(adding.isAlive()).isTrue();
            Thread.sleep(1);
        }
        return adding;
    }

    private void handle() throws InterruptedException {
        requireNonNull(queue.poll(60_000)).run();
    }

    @Test
    void whoSendsMoreThanMayWaitIsHeldBackUntilEarlierMessagesAreHandled() throws Exception {
        Thread adding = heldBack();
        queue.add(() -> handled.add("order to stop"));
        handle();
        adding.join();
        handle();
        handle();
        assertThat(handled).containsExactly("first", "order to stop", "second");
        queue.add((int) (2 * EventQueue.MOST), () -> handled.add("long"));
        handle();
        assertThat(handled).as("a single message always may wait").endsWith("long");
    }

    @Test
    void nobodyWaitsForARunThatHasEnded() throws Exception {
        Thread adding = heldBack();
        queue.close();
        adding.join();
        queue.add(HALF + 1, () -> handled.add("late"));
        handle();
        assertThat(queue.poll(0)).isNull();
        assertThat(handled).containsExactly("first");
    }
}
