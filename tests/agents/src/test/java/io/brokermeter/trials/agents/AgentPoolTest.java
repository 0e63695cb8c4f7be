package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.brokermeter.cluster.Cluster;
import io.brokermeter.cluster.ClusterException;
import io.brokermeter.cluster.ClusterListener;
import io.brokermeter.cluster.ClusterSettings;
import io.brokermeter.cluster.Departure;
import io.brokermeter.cluster.Member;
import io.brokermeter.cluster.PeerRefusal;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.Agents;
import org.junit.jupiter.api.Test;

class AgentPoolTest {

    private static final ClusterListener SPEECHLESS = new ClusterListener() {
        @Override
        public void joined(Member member) {}

        @Override
        public void left(Member member, Departure why) {}

        @Override
        public void message(Member from, String json) {}

        @Override
        public void refused(PeerRefusal refusal) {}
    };

    @Test
    void agentsOfOneNameOnOneHostAreToldApartByTheirPorts() throws Exception {
        try (AgentService first = agent(); AgentService second = agent()) {
            int one = first.address().getPort();
            int other = second.address().getPort();
            Agents wanted = new Agents(new Agents.On(List.of(new Agents.Host("127.0.0.1", one), new Agents.Host("127.0.0.1", other))), null,
                Agents.Loss.END, 0, Duration.ofSeconds(120));
            assertThatThrownBy(() -> AgentPool.open(wanted, "1", ProcessBuilder::new, _ -> {})).isInstanceOf(UsageException.class)
                .hasMessageContaining("127.0.0.1:" + one).hasMessageContaining("127.0.0.1:" + other)
                .hasMessageEndingWith(" are both called 'twin'; give each a name of its own.");
        }
    }

    /**
     * The impostor listens on the port that the started process reports, but does not have its token. On a busy machine the connection may
     * take longer than the limit for agents; the test then tries again with more time.
     */
    @Test
    void whoIsInThePlaceOfAnAgentThatWasStartedHereIsNotTakenForIt() throws Exception {
        try (AgentService impostor = agent("guessed")) {
            int seconds = 10;
            while (!missing(new Agents.Here(1), seconds, impostor.address().getPort())
                .equals(silent(impostor.address().getPort(), seconds))) {
                seconds = longer(seconds);
            }
        }
    }

    @Test
    void agentsAreInTheOrderOfTheirNumbers() {
        assertThat(
            Stream.of("b", "agent10", "agent2", "a", "agent1").map(name -> DistributedRunTest.info(name, true)).sorted(AgentNames.BY_NAME))
            .extracting(AgentInfo::name).containsExactly("a", "agent1", "agent2", "agent10", "b");
    }

    @Test
    void aProofIsOfItsTokenItsQuestionAndItsMember() {
        assertThat(AgentToken.of("key", "The quick brown fox", "jumps over the lazy dog"))
            .isEqualTo("uFZSD3e+RVgsPtBb9lzFJcVBuEp8QIEWqIQBDZrc1Mg=");
        String proof = AgentToken.of("t", "n", "m");
        assertThat(AgentToken.holds(proof, "t", "n", "m")).isTrue();
        assertThat(AgentToken.holds(proof, "u", "n", "m")).isFalse();
        assertThat(AgentToken.holds(proof, "t", "o", "m")).isFalse();
        assertThat(AgentToken.holds(proof, "t", "n", "other")).isFalse();
        assertThat(AgentToken.holds("", "t", "n", "m")).isFalse();
        assertThat(AgentToken.holds("", "", "n", "m")).as("agents with a key have no token").isTrue();
    }

    private static AgentService agent() throws Exception {
        return agent("");
    }

    private static AgentService agent(String token) throws Exception {
        AgentService service =
            new AgentService(new Agent.Identity("twin", "1", Map.of(), false, token), InetAddress.getByName("127.0.0.1"), 0,
                null, _ -> {
                    throw new IOException("starts nothing");
                }, _ -> List.of(), MemberFile.none(), _ -> {});
        Thread.ofVirtual().start(() -> {
            try {
                service.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return service;
    }

    /** On a busy machine the connection may take longer than the limit for agents; the test then tries again with more time. */
    @Test
    void anAgentThatIsConnectedAndSaysNothingIsNamedWithThoseThatAreMissing() throws Exception {
        try (Cluster agent = Cluster.open(ClusterSettings.agent("a", Map.of(), "1", null, 0, null), SPEECHLESS)) {
            int port = agent.address().getPort();
            int seconds = 5;
            while (!missing(new Agents.On(List.of(new Agents.Host("127.0.0.1", port))), seconds, port).equals(silent(port, seconds))) {
                seconds = longer(seconds);
            }
        }
    }

    @Test
    void anAgentThatDoesNotAnswerIsAskedAgain() throws Exception {
        CompletableFuture<Cluster> self = new CompletableFuture<>();
        List<String> questions = new CopyOnWriteArrayList<>();
        ClusterListener deafAtFirst = new ClusterListener() {
            @Override
            public void joined(Member member) {
                // A busy machine may lose the coordinator, which then asks anew.
                questions.clear();
            }

            @Override
            public void left(Member member, Departure why) {}

            @Override
            public void message(Member from, String json) {
                questions.add(json);
                if (questions.size() == 2) {
                    try {
                        self.join().send(from, new Message.Hello("a", "1", Map.of(), "", 0, "", "").text());
                    } catch (ClusterException e) {
                        throw new IllegalStateException(e);
                    }
                }
            }

            @Override
            public void refused(PeerRefusal refusal) {}
        };
        try (Cluster agent = Cluster.open(ClusterSettings.agent("a", Map.of(), "1", null, 0, null), deafAtFirst)) {
            self.complete(agent);
            Agents wanted = new Agents(new Agents.On(List.of(new Agents.Host("127.0.0.1", agent.address().getPort()))), null,
                Agents.Loss.END, 0, Duration.ofSeconds(120));
            try (AgentPool pool = AgentPool.open(wanted, "1", ProcessBuilder::new, _ -> {})) {
                assertThat(pool.agents()).extracting(AgentInfo::name).containsExactly("a");
            }
            assertThat(questions.getFirst()).as("the same question").isEqualTo(questions.get(1));
        }
    }

    private static int longer(int seconds) {
        assertThat(seconds).as("time that was enough").isLessThan(50);
        return 2 * seconds;
    }

    private static String silent(int port, int seconds) {
        return "0 of 1 agent is there after " + seconds + ".0 s: 127.0.0.1:" + port + " has not answered yet.";
    }

    /** Returns the error message for agents that are missing. A process that is started here reports that it listens on {@code port}. */
    private static String missing(Agents.Who who, int seconds, int port) {
        Agents wanted = new Agents(who, null, Agents.Loss.END, 0, Duration.ofSeconds(seconds));
        ProcessBuilder child = new ProcessBuilder("sh", "-c", "echo '{\"port\": " + port + ", \"failed\": null}'; exec cat");
        return catchThrowableOfType(UsageException.class, () -> AgentPool.open(wanted, "1", () -> child, _ -> {})).getMessage();
    }
}
