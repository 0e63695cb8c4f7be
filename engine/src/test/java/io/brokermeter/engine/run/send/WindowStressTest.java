package io.brokermeter.engine.run.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Stress tests of the in-flight window with its threads. Windows are tiny, so the ring often reaches the slot of a message just while that
 * is confirmed: the sending thread sets the message aside while the confirming thread looks for it in both places.
 */
class WindowStressTest {

    private static final long LASTS = 250_000_000;

    private final AtomicReference<@Nullable Throwable> trouble = new AtomicReference<>();
    private final AtomicLong taken = new AtomicLong();
    private volatile boolean ended;

    private Thread start(Runnable task) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                task.run();
            } catch (Throwable t) {
                trouble.set(t);
            }
        });
    }

    /** Takes messages for 250 ms, each with its token as the intended time and 0 as the time of sending. */
    private void send(Window window) {
        long end = System.nanoTime() + LASTS;
        while (System.nanoTime() < end && trouble.get() == null) {
            if (window.isFull()) {
                pause();
            } else {
                window.take(window.next(), 0, 0);
                taken.setRelease(window.next());
            }
        }
        ended = true;
    }

    private void finish(Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(trouble.get()).isNull();
    }

    /** Pauses, mostly for a short time, so that threads collide; sometimes yields, since the other thread may need this processor. */
    private static void pause() {
        if (ThreadLocalRandom.current().nextInt(100) == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** Waits until a token was taken; returns false if it never will be. */
    private boolean awaits(long token) {
        while (taken.getAcquire() <= token) {
            if (ended && taken.getAcquire() <= token) {
                return false;
            }
            pause();
        }
        return true;
    }

    /** Every second message is settled only after the one behind it, so that the ring reaches its slot at that moment. */
    @Test
    void eachMessageIsSettledOnceThoughItIsJustBeingSetAside() throws Exception {
        for (int size : new int[] {2, 3}) {
            ended = false;
            taken.set(0);
            Window window = new Window(size, null, false);
            SplittableRandom random = new SplittableRandom(size);
            long[] seen = new long[2];
            Window.Confirmed confirmed = (token, intended, _, _, _) -> {
                assertThat(intended).isEqualTo(token);
                seen[0]++;
            };
            Thread confirming = start(() -> {
                for (long token = 0; awaits(token); token += 2) {
                    long first = token;
                    boolean two = awaits(token + 1);
                    if (two) {
                        assertThat(window.confirm(token + 1, 0, confirmed)).isTrue();
                        for (int pause = random.nextInt(40); pause > 0; pause--) {
                            Thread.onSpinWait();
                        }
                    }
                    switch (random.nextInt(3)) {
                        case 0 -> assertThat(window.confirm(first, 0, confirmed)).as("%d", first).isTrue();
                        case 1 -> window.confirmUpTo(first, 0, confirmed);
                        default -> {
                            assertThat(window.drop(first)).as("%d", first).isTrue();
                            seen[1]++;
                        }
                    }
                    assertThat(window.confirm(first, 0, confirmed)).as("%d again", first).isFalse();
                }
            });
            send(window);
            finish(confirming);
            assertThat(seen[0] + seen[1]).isEqualTo(taken.get());
            assertThat(window.inFlightNow()).isZero();
        }
    }

    /** One thread confirms, another one answers, and the sending thread gives up requests that take too long. */
    @Test
    void eachRequestIsAnsweredOrGivenUpOnce() throws Exception {
        Window window = new Window(3, Duration.ofNanos(10), false);
        SplittableRandom random = new SplittableRandom(7);
        long[] seen = new long[2];
        Thread confirming = start(() -> {
            for (long token = 0; awaits(token); token++) {
                assertThat(window.confirm(token, 0, (_, _, _, _, _) -> seen[0]++)).as("%d", token).isTrue();
            }
        });
        Thread answering = start(() -> {
            for (long token = 0; awaits(token); token += 2) {
                if (awaits(token + 1)) {
                    seen[1] += window.answer(token + 1, 5) ? 1 : 0;
                    for (int pause = random.nextInt(40); pause > 0; pause--) {
                        Thread.onSpinWait();
                    }
                }
                seen[1] += window.answer(token, 5) ? 1 : 0;
                assertThat(window.answer(token, 5)).as("%d again", token).isFalse();
            }
        });
        long end = System.nanoTime() + LASTS;
        while (System.nanoTime() < end && trouble.get() == null) {
            if (!window.isFull()) {
                window.take(window.next(), 0, 0);
                taken.setRelease(window.next());
            } else if (random.nextInt(50) == 0) {
                window.expire(100);
            } else {
                pause();
            }
        }
        ended = true;
        finish(confirming, answering);
        assertThat(seen[0]).isEqualTo(taken.get());
        assertThat(seen[1] + window.expired.get()).isEqualTo(taken.get());
        assertThat(window.inFlightNow()).isZero();
    }
}
