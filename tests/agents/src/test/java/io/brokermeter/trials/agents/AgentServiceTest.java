package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.brokermeter.cluster.Cluster;
import io.brokermeter.cluster.ClusterListener;
import io.brokermeter.cluster.ClusterSettings;
import io.brokermeter.cluster.Departure;
import io.brokermeter.cluster.Member;
import io.brokermeter.cluster.PeerRefusal;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.trials.worker.WorkerOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentServiceTest {

    private static final int TRIES = 5;

    @TempDir
    Path directory;

    /**
     * Otherwise the worker's queues would stay on the broker. On a busy machine the worker may take longer than the limit; the test then
     * tries again.
     */
    @Test
    void oneThatIsClosedLetsItsWorkerClose() throws Exception {
        int tries = 1;
        while (!closes(directory.resolve("closed" + tries)) && tries < TRIES) {
            tries++;
        }
        assertThat(directory.resolve("closed" + tries)).exists();
    }

    /** Returns whether the worker of an agent that is closed could still create a file. */
    private static boolean closes(Path file) throws Exception {
        CountDownLatch accepted = new CountDownLatch(1);
        CompletableFuture<Process> worker = new CompletableFuture<>();
        AgentService service = new AgentService(new Agent.Identity("a", "1", Map.of(), false, ""), InetAddress.getByName("127.0.0.1"), 0,
            null, _ -> {
                Process process = new ProcessBuilder("sh", "-c",
                    "while read -r line; do if [ \"$line\" = abort ]; then : > '" + file + "'; exit; fi; done").start();
                worker.complete(process);
                return process;
            }, _ -> List.of(), MemberFile.none(), _ -> {});
        Thread.ofPlatform().daemon().start(() -> {
            try {
                service.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        CompletableFuture<Member> agent = new CompletableFuture<>();
        try (service; Cluster coordinator = Cluster.open(
            ClusterSettings.coordinator("c", "1", List.of("127.0.0.1:" + service.address().getPort()), false, null),
            new ClusterListener() {
                @Override
                public void joined(Member member) {
                    agent.complete(member);
                }

                @Override
                public void left(Member member, Departure why) {}

                @Override
                public void message(Member from, String json) {
                    if (Message.read(json) instanceof Message.Accepted) {
                        accepted.countDown();
                    }
                }

                @Override
                public void refused(PeerRefusal refusal) {}
            })) {
            coordinator.send(agent.get(), new Message.Order("r", "1", WorkerOrder.of(its -> {
                its.id = "id";
                its.scenario = "name: t";
                its.share = new Share(0, new BitSet(), new BitSet());
            }), null, "").text());
            accepted.await();
            service.close();
        }
        worker.get().waitFor();
        return Files.exists(file);
    }
}
