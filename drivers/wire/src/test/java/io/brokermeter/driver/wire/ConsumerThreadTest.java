package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import org.junit.jupiter.api.Test;

class ConsumerThreadTest {

    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Integer> delivered = new ArrayList<>();
    private final AtomicInteger outsideTurn = new AtomicInteger();
    private final AtomicInteger unflushed = new AtomicInteger();
    private final AtomicInteger mostUnflushed = new AtomicInteger();
    private final Semaphore allowed = new Semaphore(0);

    private ConsumerThread<Integer> thread(int room) {
        return new ConsumerThread<>("test-consumer", room, turn, over::get, message -> {
            allowed.acquireUninterruptibly();
            if (!turn.isHeldByCurrentThread()) {
                outsideTurn.incrementAndGet();
            }
            delivered.add(message);
            mostUnflushed.accumulateAndGet(unflushed.incrementAndGet(), Math::max);
        }, () -> unflushed.set(0));
    }

    @Test
    void deliversInOrderUnderTheTurnAndFlushesOftenEnough() {
        var thread = thread(Integer.MAX_VALUE);
        allowed.release(10_000);
        thread.start();
        for (int i = 0; i < 10_000; i++) {
            assertThat(thread.hand(i)).isTrue();
        }
        Await.until(() -> {
            turn.lock();
            try {
                return delivered.size() == 10_000;
            } finally {
                turn.unlock();
            }
        }, () -> "delivered " + delivered.size());
        Await.until(() -> unflushed.get() == 0, () -> unflushed + " messages are not flushed");
        over.set(true);
        thread.join(TimeUnit.SECONDS.toNanos(30));
        assertThat(delivered).isEqualTo(IntStream.range(0, 10_000).boxed().toList());
        assertThat(outsideTurn).hasValue(0);
        assertThat(mostUnflushed.get()).isBetween(1, 16);
    }

    /**
     * Acknowledgements that were written only after 16 messages would come so late that the broker takes the consumer of a slow listener
     * for dead.
     */
    @Test
    void flushesAfterEachMessageOfAListenerThatTakesItsTime() {
        var flushes = new AtomicInteger();
        var thread = new ConsumerThread<Integer>("test-consumer", Integer.MAX_VALUE, turn, over::get, message -> {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3);
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            mostUnflushed.accumulateAndGet(unflushed.incrementAndGet(), Math::max);
        }, () -> {
            unflushed.set(0);
            flushes.incrementAndGet();
        });
        for (int i = 0; i < 20; i++) {
            assertThat(thread.hand(i)).isTrue();
        }
        thread.start();
        Await.until(() -> flushes.get() == 20, () -> flushes + " flushes");
        assertThat(mostUnflushed).hasValue(1);
        over.set(true);
        thread.join(TimeUnit.SECONDS.toNanos(30));
    }

    @Test
    void theReaderWaitsForRoomAndNoLongerThanTheConsumerLives() throws Exception {
        var thread = thread(2);
        thread.start();
        var handed = new AtomicInteger();
        var last = new AtomicBoolean(true);
        var reader = Thread.ofPlatform().start(() -> {
            while (last.get()) {
                last.set(thread.hand(handed.get()));
                handed.incrementAndGet();
            }
        });
        // one message is being delivered, and two wait
        Await.until(() -> handed.get() == 3 && reader.getState() == Thread.State.TIMED_WAITING, () -> handed + " handed over");
        allowed.release();
        Await.until(() -> handed.get() == 4, () -> handed + " handed over");
        over.set(true);
        reader.join();
        assertThat(last.get()).isFalse();
        allowed.release();
        thread.join(TimeUnit.SECONDS.toNanos(30));
        assertThat(delivered).containsExactly(0, 1);
        assertThat(thread.poll()).isEqualTo(2);
        assertThat(thread.poll()).isEqualTo(3);
        assertThat(thread.poll()).isNull();
    }

    @Test
    void theReaderNoLongerWaitsForRoomWhenItIsNeededElsewhere() throws Exception {
        var thread = thread(1);
        assertThat(thread.hand(0)).isTrue();
        var handed = new AtomicBoolean(true);
        var reader = Thread.ofPlatform().start(() -> handed.set(thread.hand(1)));
        Await.until(() -> reader.getState() == Thread.State.TIMED_WAITING, () -> "the reader does not wait");
        thread.stopWaiting();
        reader.join();
        assertThat(handed.get()).isFalse();
        assertThat(thread.poll()).isEqualTo(0);
        assertThat(thread.hand(2)).isTrue();
    }
}
