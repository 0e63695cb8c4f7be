package io.brokermeter.trials.agents;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

import io.brokermeter.cluster.Cluster;
import io.brokermeter.cluster.ClusterException;
import io.brokermeter.cluster.ClusterListener;
import io.brokermeter.cluster.ClusterSettings;
import io.brokermeter.cluster.Credential;
import io.brokermeter.cluster.Departure;
import io.brokermeter.cluster.Member;
import io.brokermeter.cluster.PeerRefusal;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.TemporaryDirectory;
import org.jspecify.annotations.Nullable;

/** An agent that is a member of a cluster. */
public final class AgentService implements AutoCloseable {

    /** The longest wait for a coordinator that takes no messages; one that takes none for this long is about to be gone. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Agent agent;
    private final Cluster cluster;
    private final MemberFile memberFile;
    private final Map<String, Member> members = new ConcurrentHashMap<>();

    /**
     * Joins the cluster. Deletes what killed agents of this user left behind.
     *
     * @param bind the address to listen on; null for all addresses with a credential, and for loopback without
     * @param port the port to listen on, 0 for any that is free
     * @param memberFile exists while a coordinator is there; closed with this service
     * @param stores returns the parameters of a protocol that may name files: those that came with a run
     * @param says receives sentences for the user, from any thread
     * @throws ClusterException with one sentence, when the agent cannot listen there
     */
    public AgentService(Agent.Identity identity, @Nullable InetAddress bind, int port, @Nullable Credential credential,
            Agent.Starter starter, Function<String, List<StoreParameter>> stores, MemberFile memberFile,
            Consumer<String> says) throws ClusterException {
        TemporaryDirectory.clear();
        this.memberFile = memberFile;
        agent = new Agent(identity, new Agent.Post() {
            @Override
            public void accept(String to, String text) {
                send(to, text);
            }

            @Override
            public String own() {
                return cluster.id();
            }

            @Override
            public long waiting(String to) {
                return cluster.waiting(to);
            }
        }, starter, stores, says);
        cluster = Cluster.open(ClusterSettings.agent(identity.name(), identity.labels(), identity.version(), bind, port, credential),
            new ClusterListener() {
                @Override
                public void joined(Member member) {
                    members.put(member.id(), member);
                    tell();
                }

                @Override
                public void left(Member member, Departure why) {
                    members.remove(member.id());
                    tell();
                    agent.left(member.id(), why == Departure.SILENT);
                }

                @Override
                public void message(Member from, String json) {
                    agent.heard(from.id(), json);
                }

                @Override
                public void refused(PeerRefusal refusal) {
                    says.accept(refusal.sentence());
                }
            });
    }

    private synchronized void tell() {
        memberFile.set(!members.isEmpty());
    }

    private void send(String to, String text) {
        Member member = members.get(to);
        try {
            if (member == null) {
                throw new ClusterException("it is gone");
            }
            cluster.send(member, text, PATIENCE);
        } catch (ClusterException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the address of the agent, see {@link Cluster#address}. */
    public InetSocketAddress address() {
        return cluster.address();
    }

    /** Executes runs, see {@link Agent#run}. */
    public int run() throws InterruptedException {
        return agent.run();
    }

    /** Ends the agent, see {@link Agent#stop}. */
    public void stop(int signal) {
        agent.stop(signal);
    }

    /** Kills the current run, and removes the member file. */
    public void kill() {
        agent.kill();
        memberFile.close();
    }

    /** Ends the current run within some seconds, and leaves the cluster. */
    @Override
    public void close() {
        agent.end();
        cluster.close();
        memberFile.close();
    }
}
