package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;

/** Frames that arrive before their sender is a member. */
class EarlyFramesTest {

    private final EarlyFrames frames = new EarlyFrames();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    private boolean keep(String text) throws InterruptedException {
        byte[] array = ("-" + text + "-").getBytes(StandardCharsets.UTF_8);
        boolean kept = frames.keep(array, 1, array.length - 2);
        // The buffer belongs to the caller.
        array[1] = '!';
        return kept;
    }

    /** Starts a task, and returns it when it waits. */
    private static FutureTask<Boolean> waiting(FutureTask<Boolean> task) throws InterruptedException {
        Thread thread = Thread.ofPlatform().daemon().start(task);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.sleep(1);
        }
        return task;
    }

    @Test
    void theyAreTakenInOrderAndBeforeLaterOnes() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        assertThat(keep("a")).isTrue();
        assertThat(keep("b")).isTrue();
        frames.release(frame -> {
            begun.countDown();
            goOn.await();
            taken.add(new String(frame, StandardCharsets.UTF_8));
        });
        begun.await();
        assertThat(keep("c")).as("must not overtake").isTrue();
        goOn.countDown();
        while (taken.size() < 3) {
            Thread.sleep(1);
        }
        assertThat(taken).containsExactly("a", "b", "c");
        while (keep("d")) {
            // until the thread has found no more
            Thread.sleep(1);
        }
    }

    @Test
    void withoutAnyTheSenderTakesItsOwnAtOnce() throws Exception {
        frames.release(frame -> taken.add(new String(frame, StandardCharsets.UTF_8)));
        assertThat(keep("a")).isFalse();
        assertThat(taken).isEmpty();
    }

    @Test
    void moreThanThereIsRoomForWaits() throws Exception {
        byte[] most = new byte[EarlyFrames.MOST];
        assertThat(frames.keep(most, 0, most.length)).isTrue();
        FutureTask<Boolean> second = waiting(new FutureTask<>(() -> keep("b")));
        frames.release(frame -> taken.add(frame.length + ""));
        second.get();
        while (taken.isEmpty()) {
            Thread.sleep(1);
        }
        assertThat(taken.getFirst()).isEqualTo(most.length + "");
    }

    @Test
    void nobodyWaitsForRoomOfAMemberThatIsGone() throws Exception {
        byte[] most = new byte[EarlyFrames.MOST];
        frames.keep(most, 0, most.length);
        FutureTask<Boolean> second = waiting(new FutureTask<>(() -> keep("b")));
        frames.close();
        assertThat(second.get()).as("dropped").isTrue();
        frames.release(frame -> taken.add(frame.length + ""));
        assertThat(taken).isEmpty();
    }
}
