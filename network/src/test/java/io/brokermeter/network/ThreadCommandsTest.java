package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

class ThreadCommandsTest {

    private final List<String> done = new ArrayList<>();

    @Test
    void whoeverAsksWaitsUntilItIsDone() throws Exception {
        ThreadCommands commands = new ThreadCommands(Duration.ofSeconds(60));
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Boolean> answer = CompletableFuture.supplyAsync(() -> commands.ask(() -> done.add("cut"), asked::countDown));
        asked.await();
        commands.take();
        assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("cut");
    }

    /** A command that was reported as not executed must not be executed later. */
    @Test
    void aCommandThatNobodyTookInTimeIsVoid() {
        ThreadCommands commands = new ThreadCommands(Duration.ofMillis(10));
        assertThat(commands.ask(() -> done.add("cut"), () -> {})).isFalse();
        commands.take();
        assertThat(done).isEmpty();
    }

    @Test
    void aCommandThatIsBegunIsWaitedForBeyondTheLimit() throws Exception {
        ThreadCommands commands = new ThreadCommands(Duration.ofMillis(10));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread takes = Thread.ofPlatform().daemon().start(() -> {
            while (begun.getCount() > 0) {
                commands.take();
            }
        });
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            boolean taken;
            do {
                taken = commands.ask(() -> {
                    begun.countDown();
                    awaitQuietly(goOn);
                    done.add("cut");
                }, () -> {});
            } while (!taken);
            answer.complete(true);
        });
        begun.await();
        Thread.sleep(50);
        assertThat(answer).isNotDone();
        goOn.countDown();
        assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
        takes.join();
        assertThat(done).containsExactly("cut");
    }

    @Test
    void nobodyWaitsForAThreadThatHasEnded() {
        ThreadCommands commands = new ThreadCommands(Duration.ofMillis(10));
        commands.end();
        assertThat(commands.ask(() -> done.add("cut"), () -> {})).isFalse();
        assertThat(done).isEmpty();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
