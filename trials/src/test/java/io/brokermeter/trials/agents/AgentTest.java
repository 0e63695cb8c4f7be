package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.engine.plan.Share;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgentTest {

    private static final WorkerShare SHARE =
        new WorkerShare("id", "name: t", Map.of(), "", Map.of(), new Share(0, new BitSet(), new BitSet()), Long.MIN_VALUE, Long.MAX_VALUE,
            true);

    /** Runs until its thread is interrupted. */
    private static Thread runs(Agent agent) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                agent.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static Agent.Identity identity(boolean once) {
        return new Agent.Identity("a", "1", Map.of(), once, "");
    }

    /** Whose worker does nothing, and ends when it is killed. */
    private static Agent idle(boolean once, Agent.Post post, List<Process> workers) {
        return new Agent(identity(once), post, _ -> {
            Process process = new ProcessBuilder("sleep", "100").start();
            workers.add(process);
            return process;
        }, _ -> List.of(), _ -> {});
    }

    private static Message await(BlockingQueue<Message> said, Class<? extends Message> kind) throws InterruptedException {
        Message message = said.take();
        while (!kind.isInstance(message)) {
            message = said.take();
        }
        return message;
    }

    /** A coordinator that has all of a run begins the next one, while its agent still clears up. */
    @Test
    void anOrderThatComesWhileTheLastRunIsClearedUpWaitsForThat() throws Exception {
        List<Process> workers = new CopyOnWriteArrayList<>();
        BlockingQueue<Message> said = new LinkedBlockingQueue<>();
        Agent agent = idle(false, (_, text) -> said.add(Message.read(text)), workers);
        Thread own = runs(agent);
        try {
            agent.heard("c", new Message.Order("r1", "1", SHARE, null, "").text());
            assertThat(await(said, Message.Accepted.class)).isEqualTo(new Message.Accepted("r1"));
            agent.heard("c", new Message.Cancel("r1").text());
            agent.heard("c", new Message.Order("r2", "1", SHARE, null, "").text());
            agent.heard("c", new Message.Tell("r2", "abort").text());
            Message answer = said.take();
            while (!(answer instanceof Message.Accepted) && !(answer instanceof Message.Refused)) {
                answer = said.take();
            }
            assertThat(answer).isEqualTo(new Message.Accepted("r2"));
            assertThat(workers).hasSize(2);
            agent.heard("d", new Message.Order("r3", "1", SHARE, null, "").text());
            assertThat(await(said, Message.Refused.class))
                .isEqualTo(new Message.Refused("r3", "it runs r2 for another coordinator"));
        } finally {
            agent.kill();
            own.interrupt();
            workers.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void oneThatIsThereForOneRunTakesNoOther() throws Exception {
        List<Process> workers = new CopyOnWriteArrayList<>();
        BlockingQueue<Message> said = new LinkedBlockingQueue<>();
        Agent agent = idle(true, (_, text) -> said.add(Message.read(text)), workers);
        Thread own = runs(agent);
        try {
            agent.heard("c", new Message.Order("r1", "1", SHARE, null, "").text());
            await(said, Message.Accepted.class);
            agent.heard("c", new Message.Cancel("r1").text());
            agent.heard("c", new Message.Order("r2", "1", SHARE, null, "").text());
            assertThat(await(said, Message.Refused.class)).isEqualTo(new Message.Refused("r2", "it is about to end"));
            own.join();
        } finally {
            agent.kill();
            own.interrupt();
            workers.forEach(Process::destroyForcibly);
        }
    }

    /** It would wait for ever for an end that nobody tells. */
    @Test
    void aCoordinatorThatTakesTooLittleHearsHowTheRunEnded() throws Exception {
        List<Process> workers = new CopyOnWriteArrayList<>();
        BlockingQueue<Message> said = new LinkedBlockingQueue<>();
        CountDownLatch takes = new CountDownLatch(1);
        Agent agent = new Agent(identity(false), (_, text) -> {
            Message message = Message.read(text);
            if (message instanceof Message.Said) {
                try {
                    takes.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            } else {
                said.add(message);
            }
        }, _ -> {
            Process process = new ProcessBuilder("sh", "-c", "exec yes \"$(printf '{\"x\":\"%65536s\"}' x)\"").start();
            workers.add(process);
            return process;
        }, _ -> List.of(), _ -> {});
        Thread own = runs(agent);
        try {
            agent.heard("c", new Message.Order("r", "1", SHARE, null, "").text());
            await(said, Message.Accepted.class);
            workers.getFirst().waitFor();
            takes.countDown();
            assertThat(await(said, Message.Ended.class)).isInstanceOfSatisfying(Message.Ended.class,
                ended -> assertThat(ended.failure()).contains("took so little of what its worker said"));
        } finally {
            takes.countDown();
            agent.kill();
            own.interrupt();
            workers.forEach(Process::destroyForcibly);
        }
    }

    /** One that stood still for some seconds is there again, and would wait for the rest of the run. */
    @Test
    void aCoordinatorThatMissedSomethingHearsThatTheRunHasEnded() throws Exception {
        List<Process> workers = new CopyOnWriteArrayList<>();
        BlockingQueue<Message> said = new LinkedBlockingQueue<>();
        Agent agent = new Agent(identity(false), (_, text) -> {
            Message message = Message.read(text);
            if (message instanceof Message.Said) {
                throw new IllegalStateException(new IOException("it took nothing"));
            }
            said.add(message);
        }, _ -> {
            Process process = new ProcessBuilder("sh", "-c", "echo '{\"x\":1}'; exec sleep 100").start();
            workers.add(process);
            return process;
        }, _ -> List.of(), _ -> {});
        Thread own = runs(agent);
        try {
            agent.heard("c", new Message.Order("r", "1", SHARE, null, "").text());
            assertThat(await(said, Message.Ended.class)).isEqualTo(
                new Message.Ended("r", "not all that it said or its files could be sent: it took nothing", List.of()));
            workers.getFirst().waitFor();
        } finally {
            agent.kill();
            own.interrupt();
            workers.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void whatIsBeingStartedWhenItIsKilledIsNotLeftBehind() throws Exception {
        var atStart = new CompletableFuture<Path>();
        var mayStart = new CountDownLatch(1);
        var started = new CompletableFuture<Process>();
        Agent agent = new Agent(identity(false), (_, _) -> {}, log -> {
            atStart.complete(log);
            try {
                mayStart.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Process process = new ProcessBuilder("sleep", "50").start();
            started.complete(process);
            return process;
        }, _ -> List.of(), _ -> {});
        Thread own = runs(agent);
        try {
            agent.heard("c", new Message.Order("r", "1", SHARE, null, "").text());
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
