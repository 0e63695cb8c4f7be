package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.brokermeter.engine.plan.Share;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AgentTest {

    @Test
    void whatIsBeingStartedWhenItIsKilledIsNotLeftBehind() throws Exception {
        var atStart = new CompletableFuture<Path>();
        var mayStart = new CountDownLatch(1);
        var started = new CompletableFuture<Process>();
        Agent agent = new Agent(new Agent.Identity("a", "1", Map.of(), false, ""), (_, _) -> {}, log -> {
            atStart.complete(log);
            try {
                mayStart.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Process process = new ProcessBuilder("sleep", "50").start();
            started.complete(process);
            return process;
        }, _ -> {});
        Thread own = Thread.ofPlatform().daemon().start(() -> {
            try {
                agent.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        WorkerShare share =
            new WorkerShare("id", "name: t", Map.of(), "", Map.of(), new Share(0, new BitSet(), new BitSet()), Long.MIN_VALUE,
                Long.MAX_VALUE, true);
        try {
            agent.heard("c", new Message.Order("r", "1", share, null, "").text());
            Path directory = atStart.get(30, TimeUnit.SECONDS).getParent();
            Thread killer = Thread.ofPlatform().daemon().start(agent::kill);
            while (killer.getState() != Thread.State.BLOCKED && killer.isAlive()) {
                Thread.sleep(5);
            }
            mayStart.countDown();
            killer.join();

            assertThat(started.get().isAlive()).isFalse();
            assertThat(directory).doesNotExist();
        } finally {
            mayStart.countDown();
            own.interrupt();
            started.thenAccept(Process::destroyForcibly);
        }
    }
}
