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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.brokermeter.engine.plan.Share;
import io.brokermeter.trials.network.NetworkEntry;
import io.brokermeter.trials.worker.WorkerOrder;
import org.junit.jupiter.api.Test;

class AgentTest {

    private static final WorkerOrder SHARE = WorkerOrder.of(its -> {
        its.id = "id";
        its.scenario = "name: t";
        its.share = new Share(0, new BitSet(), new BitSet());
        its.number = Long.MIN_VALUE;
        its.zero = Long.MAX_VALUE;
        its.faulted = true;
    });

    /** Runs an agent on a thread of its own, until it ends or the thread is interrupted. */
    private static Thread runs(Agent agent, CompletableFuture<Integer> status) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                status.complete(agent.run());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static Agent.Identity identity(boolean once) {
        return new Agent.Identity("a", "1", Map.of(), once, "");
    }

    /** An agent on a thread of its own, whose workers are processes that run a command. */
    private static final class Living implements AutoCloseable {

        private final List<Process> workers = new CopyOnWriteArrayList<>();
        private final BlockingQueue<Message> said = new LinkedBlockingQueue<>();
        /** The sentences that the agent prints for its user. */
        private final List<String> sentences = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Integer> status = new CompletableFuture<>();
        /** Counts down whenever the agent queries {@link #unsent}. */
        private final CountDownLatch looks = new CountDownLatch(3);
        /** The number of bytes that the coordinator has not accepted yet. */
        private volatile long unsent;
        private final Agent agent;
        private final Thread own;

        /** @param takes handles a message to the coordinator, and returns whether the message is added to {@link #said} */
        Living(boolean once, Predicate<Message> takes, String... worker) {
            agent = new Agent(identity(once), new Agent.Post() {
                @Override
                public void accept(String member, String text) {
                    Message message = Message.read(text);
                    if (takes.test(message)) {
                        said.add(message);
                    }
                }

                @Override
                public long waiting(String member) {
                    looks.countDown();
                    return unsent;
                }
            }, log -> {
                Process process = new ProcessBuilder(worker).redirectError(log.toFile()).start();
                workers.add(process);
                return process;
            }, _ -> List.of(), sentences::add);
            own = runs(agent, status);
        }

        /** Creates an agent whose worker does nothing until it is killed. */
        Living(boolean once) {
            this(once, _ -> true, "sleep", "100");
        }

        void order(String run) {
            agent.heard("c", new Message.Order(run, "1", SHARE, null, "").text());
        }

        void cancel(String run) {
            agent.heard("c", new Message.Cancel(run).text());
        }

        Message await(Class<? extends Message> kind) throws InterruptedException {
            Message message = said.take();
            while (!kind.isInstance(message)) {
                message = said.take();
            }
            return message;
        }

        @Override
        public void close() {
            agent.kill();
            own.interrupt();
            workers.forEach(Process::destroyForcibly);
        }
    }

    /** A coordinator that has received everything of a run begins the next one while the agent still cleans up. */
    @Test
    void anOrderThatComesWhileTheLastRunIsClearedUpWaitsForThat() throws Exception {
        try (Living one = new Living(false)) {
            one.order("r1");
            assertThat(one.await(Message.Accepted.class)).isEqualTo(new Message.Accepted("r1"));
            one.cancel("r1");
            one.order("r2");
            one.agent.heard("c", new Message.Tell("r2", "abort").text());
            Message answer = one.said.take();
            while (!(answer instanceof Message.Accepted) && !(answer instanceof Message.Refused)) {
                answer = one.said.take();
            }
            assertThat(answer).isEqualTo(new Message.Accepted("r2"));
            assertThat(one.workers).hasSize(2);
            one.agent.heard("d", new Message.Order("r3", "1", SHARE, null, "").text());
            assertThat(one.await(Message.Refused.class)).isEqualTo(new Message.Refused("r3", "it runs r2 for another coordinator"));
        }
    }

    /** A coordinator that was killed and restarted is a different one to the agent, which may still be ending the previous run. */
    @Test
    void anOrderOfAnotherCoordinatorWaitsForTheEndOfARunThatNobodyWants() throws Exception {
        try (Living one = new Living(false)) {
            one.order("r1");
            one.await(Message.Accepted.class);
            one.agent.left("c", false);
            one.agent.heard("gone", new Message.Order("r2", "1", SHARE, null, "").text());
            one.agent.heard("d", new Message.Order("r3", "1", SHARE, null, "").text());
            one.agent.left("gone", false);
            Message answer = one.said.take();
            while (!(answer instanceof Message.Accepted) && !(answer instanceof Message.Refused)) {
                answer = one.said.take();
            }
            assertThat(answer).isEqualTo(new Message.Accepted("r3"));
            assertThat(one.workers).hasSize(2);
        }
    }

    /** A coordinator of a sweep executes its trials as successive runs. */
    @Test
    void oneThatIsThereForOneCoordinatorTakesAllRunsOfItAndNoOther() throws Exception {
        try (Living one = new Living(true)) {
            one.agent.heard("c", new Message.Who("n").text());
            for (String run : List.of("r1", "r2")) {
                one.order(run);
                assertThat(one.await(Message.Accepted.class)).isEqualTo(new Message.Accepted(run));
                one.cancel(run);
            }
            one.agent.heard("d", new Message.Order("r3", "1", SHARE, null, "").text());
            assertThat(one.await(Message.Refused.class))
                .isEqualTo(new Message.Refused("r3", "it takes part in the runs of another coordinator alone"));
            one.agent.left("d", false);
            one.order("r4");
            assertThat(one.await(Message.Accepted.class)).as("another one may leave").isEqualTo(new Message.Accepted("r4"));
            one.cancel("r4");
            one.agent.left("c", false);
            one.status.get();
            assertThat(one.workers).hasSize(3);
        }
    }

    /** Otherwise the agent would wait forever if the coordinator refused its scenario or missed another agent. */
    @Test
    void oneThatIsThereForOneCoordinatorEndsWithItAlsoWithoutARun() throws Exception {
        try (Living one = new Living(true)) {
            one.agent.heard("silent", new Message.Who("n").text());
            one.agent.left("silent", true);
            one.agent.heard("c", new Message.Who("n").text());
            one.agent.left("other", false);
            one.agent.left("c", false);
            assertThat(one.status.get()).isEqualTo(1);
            assertThat(one.sentences).containsExactly("The coordinator has left without a run.");
        }
    }

    /** Otherwise a supervisor of the agent, such as a Kubernetes Job, would report the run as failed. */
    @Test
    void oneForWhichItsCoordinatorHadNothingHasServedToo() throws Exception {
        try (Living one = new Living(true)) {
            one.agent.heard("c", new Message.Who("n").text());
            one.agent.heard("d", new Message.Unneeded("other").text());
            one.agent.heard("c", new Message.Unneeded("r").text());
            one.agent.left("c", false);
            assertThat(one.status.get()).isZero();
            assertThat(one.sentences).containsExactly("Run r is over; it had nothing for this agent.");
        }
    }

    /** The permission to run a load does not include the choice of a file that the agent opens. */
    @Test
    void oneThatItsCoordinatorDidNotStartEntersNoNetwork() throws Exception {
        try (Living one = new Living(false)) {
            WorkerOrder there = SHARE.with(its -> its.entry = new NetworkEntry("/proc/1/task/1/ns/net", List.of()));
            one.agent.heard("c", new Message.Order("r1", "1", there, null, "").text());
            assertThat(one.await(Message.Refused.class)).isInstanceOfSatisfying(Message.Refused.class,
                refused -> assertThat(refused.reason()).contains("only agents that their coordinator started"));
            assertThat(one.workers).isEmpty();
        }
    }

    /** Otherwise the coordinator would wait forever for the end of the run. */
    @Test
    void aCoordinatorThatTakesTooLittleHearsHowTheRunEnded() throws Exception {
        CountDownLatch takes = new CountDownLatch(1);
        try (Living one = new Living(false, message -> {
            if (message instanceof Message.Said) {
                awaitQuietly(takes);
                return false;
            }
            return true;
        }, "sh", "-c", "exec yes \"$(printf '{\"x\":\"%65536s\"}' x)\"")) {
            try {
                one.order("r");
                one.await(Message.Accepted.class);
                one.workers.getFirst().waitFor();
                takes.countDown();
                assertThat(one.await(Message.Ended.class)).isInstanceOfSatisfying(Message.Ended.class,
                    ended -> assertThat(ended.failure()).contains("took so little of what its worker said"));
            } finally {
                takes.countDown();
            }
        }
    }

    /** A coordinator that was stalled for some seconds continues, and would wait for the rest of the run. */
    @Test
    void aCoordinatorThatMissedSomethingHearsThatTheRunHasEnded() throws Exception {
        try (Living one = new Living(false, message -> {
            if (message instanceof Message.Said) {
                throw new IllegalStateException(new IOException("it took nothing"));
            }
            return true;
        }, "sh", "-c", "echo '{\"x\":1}'; exec sleep 100")) {
            one.order("r");
            assertThat(one.await(Message.Ended.class)).isEqualTo(
                new Message.Ended("r", "not all that it said or its files could be sent: it took nothing", List.of()));
            one.workers.getFirst().waitFor();
        }
    }

    /** A coordinator that has no room for what was said has none for this either, until it takes something again. */
    @Test
    void aCoordinatorThatIsFullHearsThatTheRunHasEndedWhenThereIsRoom() throws Exception {
        AtomicBoolean refused = new AtomicBoolean();
        CompletableFuture<Living> living = new CompletableFuture<>();
        try (Living one = new Living(false, message -> {
            if (message instanceof Message.Said) {
                living.join().unsent = AgentRun.MOST_UNSENT + 1;
            }
            if (message instanceof Message.Said || message instanceof Message.Ended && !refused.getAndSet(true)) {
                throw new IllegalStateException(new IOException("it took nothing"));
            }
            return true;
        }, "sh", "-c", "echo '{\"x\":1}'; exec sleep 100")) {
            living.complete(one);
            one.order("r");
            assertThat(one.looks.await(60, TimeUnit.SECONDS)).as("looks for room").isTrue();
            one.unsent = 0;
            assertThat(one.await(Message.Ended.class)).isEqualTo(
                new Message.Ended("r", "not all that it said or its files could be sent: it took nothing", List.of()));
        }
    }

    /** A coordinator may be slow because it writes the files of many agents to one disk. */
    @Test
    void filesWaitForACoordinatorThatIsThereAndSlow() throws Exception {
        try (Living one = new Living(false, _ -> true, "sh", "-c", "echo x >&2")) {
            one.unsent = AgentRun.MOST_UNSENT + 1;
            one.order("r");
            assertThat(one.looks.await(60, TimeUnit.SECONDS)).as("looks for room").isTrue();
            assertThat(one.said).noneMatch(Message.Piece.class::isInstance);
            one.unsent = AgentRun.MOST_UNSENT;
            one.await(Message.Piece.class);
            assertThat(one.await(Message.AllSent.class)).isInstanceOfSatisfying(Message.AllSent.class,
                all -> assertThat(all.files()).containsEntry(AgentRun.LOG, 2L));
        }
    }

    /** The coordinator leaves as soon as it has received everything, while the agent still cleans up. */
    @Test
    void aCoordinatorThatHasAllOfARunEndsItByLeavingNoMore() throws Exception {
        CompletableFuture<Living> living = new CompletableFuture<>();
        CountDownLatch heard = new CountDownLatch(1);
        try (Living one = new Living(true, message -> {
            if (message instanceof Message.AllSent) {
                Agent agent = living.join().agent;
                agent.heard("c", new Message.FilesReceived("r").text());
                agent.left("c", true);
                agent.heard("d", new Message.Who("n").text());
                awaitQuietly(heard);
            } else if (message instanceof Message.Hello) {
                heard.countDown();
            }
            return true;
        }, "true")) {
            living.complete(one);
            one.order("r");
            assertThat(one.status.get()).isZero();
            assertThat(one.sentences).containsExactly("Run r begins.", "Run r is over.");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatIsBeingStartedWhenItIsKilledIsNotLeftBehind() throws Exception {
        var atStart = new CompletableFuture<Path>();
        var mayStart = new CountDownLatch(1);
        var started = new CompletableFuture<Process>();
        Agent agent = new Agent(identity(false), (_, _) -> {}, log -> {
            atStart.complete(log);
            awaitQuietly(mayStart);
            Process process = new ProcessBuilder("sleep", "500").start();
            started.complete(process);
            return process;
        }, _ -> List.of(), _ -> {});
        Thread own = runs(agent, new CompletableFuture<>());
        try {
            agent.heard("c", new Message.Order("r", "1", SHARE, null, "").text());
            Path directory = atStart.get(120, TimeUnit.SECONDS).getParent();
            Thread killer = Thread.ofPlatform().daemon().start(agent::kill);
            while (killer.getState() != Thread.State.BLOCKED && killer.isAlive()) {
                Thread.sleep(5);
            }
            mayStart.countDown();
            killer.join();

            // The agent waits for the end for two seconds only, which a busy machine may exceed.
            assertThat(started.get().waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(directory).doesNotExist();
        } finally {
            mayStart.countDown();
            own.interrupt();
            started.thenAccept(Process::destroyForcibly);
        }
    }
}
