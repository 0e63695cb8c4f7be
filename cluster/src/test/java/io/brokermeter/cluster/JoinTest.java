package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

/** Coordinators that admit an agent late, as on a busy machine. */
class JoinTest {

    /** Delay of the coordinator, in milliseconds; longer than one attempt to join. */
    private static final long LATE_MILLIS = 2_000;

    /** A relay between a coordinator and an agent. It holds back what the coordinator sends once the agent has answered its connection. */
    private static final class Way implements AutoCloseable {

        private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final int agent;
        private final CountDownLatch answered = new CountDownLatch(1);
        private final CompletableFuture<Socket> toAgent = new CompletableFuture<>();
        private final CountDownLatch open = new CountDownLatch(1);

        Way(int agent) throws IOException {
            this.agent = agent;
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        join(front.accept());
                    }
                } catch (IOException e) {
                    // closed
                    return;
                }
            });
        }

        private void join(Socket coordinator) throws IOException {
            Socket onwards = new Socket(InetAddress.getLoopbackAddress(), agent);
            toAgent.complete(onwards);
            Thread.ofVirtual().start(() -> carry(coordinator, onwards, false));
            Thread.ofVirtual().start(() -> carry(onwards, coordinator, true));
        }

        private void carry(Socket from, Socket to, boolean answers) {
            byte[] bytes = new byte[8_192];
            try (from; to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                    if (answers) {
                        answered.countDown();
                    } else if (answered.getCount() == 0) {
                        open.await();
                    }
                    out.write(bytes, 0, read);
                }
            } catch (IOException | InterruptedException e) {
                // one side is closed, which closes the connection of the other side
                return;
            }
        }

        @Override
        public void close() throws IOException {
            open.countDown();
            front.close();
        }
    }

    private static Cluster agent(RecordingListener heard) throws ClusterException {
        return Cluster.open(ClusterSettings.agent("a", Map.of(), "1.0", null, 0, null), heard);
    }

    private static Cluster coordinator(String name, RecordingListener heard, int port) throws ClusterException {
        return Cluster.open(ClusterSettings.coordinator(name, "1.0", List.of("127.0.0.1:" + port), false, null), heard);
    }

    /**
     * On a busy machine all attempts of the agent may be over before it is admitted, so the test is repeated. An agent that is lost after a
     * single attempt fails each time.
     */
    @Test
    void whoIsLetInLateIsNotLostBefore() throws Exception {
        List<String> heard = heardOfOneThatIsLetInLate();
        for (int again = 0; again < 4 && heard.size() > 1; again++) {
            heard = heardOfOneThatIsLetInLate();
        }
        assertThat(heard).containsExactly("joined a");
    }

    private static List<String> heardOfOneThatIsLetInLate() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        try (Cluster agent = agent(a); Way way = new Way(agent.address().getPort());
                Cluster coordinator = coordinator("c", c, way.front.getLocalPort())) {
            c.await("joined a");
            Thread.sleep(LATE_MILLIS);
            way.open.countDown();
            a.await("joined c");
            if (c.all.size() == 1) {
                coordinator.send(c.member("a"), "late");
                a.await("from c late");
            }
            return List.copyOf(c.all);
        }
    }

    /** Otherwise the agent would refuse other coordinators for seconds in favour of one that is gone. */
    @Test
    void whoseCoordinatorGoesBeforeItLetsItInIsThereForTheNextOne() throws Exception {
        RecordingListener a = new RecordingListener();
        RecordingListener c = new RecordingListener();
        try (Cluster agent = agent(a); Way way = new Way(agent.address().getPort())) {
            try (Cluster coordinator = coordinator("c", c, way.front.getLocalPort())) {
                c.await("joined a");
                way.toAgent.join().close();
                way.front.close();
            }
            RecordingListener d = new RecordingListener();
            try (Cluster next = coordinator("d", d, agent.address().getPort())) {
                d.await("joined a");
                a.await("joined d");
            }
        }
    }
}
