package io.brokermeter.trials.agents;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.brokermeter.cluster.Cluster;
import io.brokermeter.cluster.ClusterException;
import io.brokermeter.cluster.ClusterListener;
import io.brokermeter.cluster.ClusterSettings;
import io.brokermeter.cluster.Credential;
import io.brokermeter.cluster.Departure;
import io.brokermeter.cluster.Member;
import io.brokermeter.cluster.PeerRefusal;
import io.brokermeter.cluster.clock.ProbeServer;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.trials.agents.deploy.LocalAgent;
import io.brokermeter.trials.agents.deploy.SshDeploy;
import org.jspecify.annotations.Nullable;

/** The agents of a command: those that its user named, or those that it starts on this machine. Executes one run at a time. Thread-safe. */
public final class AgentPool implements AutoCloseable {

    private static final int SECRET_BYTES = 24;
    private static final long POLL_MILLIS = 50;
    /** The time after which an agent that has not answered is asked again. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final String COORDINATOR = "coordinator";
    /** The variable with the ssh command and its options, separated by blanks, as git has {@code GIT_SSH_COMMAND}. */
    public static final String SSH = "BROKERMETER_SSH";
    /**
     * What a member was asked.
     *
     * @param at the last time, by {@link System#nanoTime()}
     */
    private record Question(String nonce, long at) {}

    private final Agents wanted;
    private final String version;
    private final String token;
    private final List<LocalAgent> children = new ArrayList<>();
    private @Nullable SshDeploy deploy;
    /** The last words of each host to which an agent was brought. */
    private final Map<String, String> words = new LinkedHashMap<>();
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Map<String, Question> questions = new ConcurrentHashMap<>();
    private final Map<String, Message.Hello> hellos = new ConcurrentHashMap<>();
    private final Map<String, PeerRefusal> refusals = new ConcurrentHashMap<>();
    private final String machine = MachineId.id();
    private volatile @Nullable DistributedRun running;
    /** The cluster of the agents; its first events may come while it is being opened. */
    private final CompletableFuture<Cluster> cluster = new CompletableFuture<>();
    private final Agent.Post post = new Agent.Post() {
        @Override
        public void accept(String member, String text) {
            send(member, text);
        }

        @Override
        public long waiting(String member) {
            return cluster.join().waiting(member);
        }
    };
    /** The clocks by the address on which each answers: agents may reach this machine at different ones. */
    private final Map<InetAddress, ProbeServer> clocks = new HashMap<>();
    private final Map<String, ClockAccess> accesses = new HashMap<>();
    private List<AgentInfo> agents = List.of();
    private volatile boolean closed;

    private AgentPool(Agents wanted, String version) {
        this.wanted = wanted;
        this.version = version;
        this.token = wanted.who() instanceof Agents.Here ? secret() : "";
    }

    /**
     * Starts or calls the agents, and waits until they are there.
     *
     * @param version the version of this tool
     * @param local returns builders of processes of this tool with {@link LocalAgent#COMMAND}
     * @param progress receives a sentence about the agents that are waited for, on the calling thread
     * @throws UsageException with one sentence, when not all agents are there in time, or one is refused; nothing is left then
     */
    public static AgentPool open(Agents wanted, String version, Supplier<ProcessBuilder> local, Consumer<String> progress) {
        AgentPool pool = new AgentPool(wanted, version);
        try {
            pool.join(local, progress);
            return pool;
        } catch (ClusterException | IOException e) {
            pool.close();
            throw new UsageException("The agents cannot be reached: " + e.getMessage() + ".");
        } catch (InterruptedException e) {
            pool.close();
            Thread.currentThread().interrupt();
            throw new UsageException("The wait for agents was interrupted.");
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    /**
     * Returns the name of an agent that is started here.
     *
     * @param number its number, from 1
     */
    public static String nameOfLocal(int number) {
        return "agent" + number;
    }

    private static String secret() {
        return Base64.getEncoder().encodeToString(secretBytes());
    }

    private static byte[] secretBytes() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private void join(Supplier<ProcessBuilder> local,
            Consumer<String> progress) throws ClusterException, IOException, InterruptedException {
        List<String> targets = new ArrayList<>();
        switch (wanted.who()) {
            case Agents.Here(int count) -> {
                progress.accept("Starting " + Counted.of(count, "agent"));
                for (int i = 1; i <= count; i++) {
                    children.add(LocalAgent.start(local.get(), nameOfLocal(i), version, token));
                }
                for (LocalAgent child : children) {
                    targets.add("127.0.0.1:" + child.port(wanted.within()));
                }
            }
            case Agents.On(List<Agents.Host> hosts) -> {
                if (wanted.deployed()) {
                    deploy(hosts, progress);
                }
                hosts.forEach(host -> targets.add(host.toString()));
            }
            case Agents.Behind(Agents.Host name) -> targets.add(name.toString());
            case Agents.Nobody _ -> throw new IllegalArgumentException("There are no agents.");
        }
        Credential credential = wanted.key() == null ? null : Credential.read(Objects.requireNonNull(wanted.key()));
        cluster.complete(
            Cluster.open(ClusterSettings.coordinator(COORDINATOR, version, targets, wanted.who() instanceof Agents.Behind, credential),
                new Listener()));
        long limit = System.nanoTime() + wanted.within().toNanos();
        do {
            await(progress, limit);
            agents = names().infos(hellos);
            // An agent may have left just when it had been counted.
        } while (agents.size() < wanted.needed());
        names().require(agents);
        byte[] key = secretBytes();
        for (AgentInfo agent : agents) {
            Member member = members.get(agent.member());
            if (!agent.sameClock() && member != null) {
                InetAddress own = cluster.join().addressTowards(member);
                ProbeServer server = clocks.get(own);
                if (server == null) {
                    server = ProbeServer.start(new InetSocketAddress(own, 0), key);
                    clocks.put(own, server);
                }
                accesses.put(agent.member(), new ClockAccess(own.getHostAddress(), server.address().getPort(), key));
            }
        }
    }

    /** Brings agents to hosts. Their output, such as warnings of their JVM, is used only when they fail. */
    private void deploy(List<Agents.Host> hosts, Consumer<String> progress) throws IOException, InterruptedException {
        String home = System.getProperty("brokermeter.home");
        if (home == null) {
            throw new IOException("this process was not started by the launcher, so what to bring to the hosts is not known");
        }
        String command = System.getenv(SSH);
        progress.accept("Bringing agents to " + Counted.of(hosts.size(), "host"));
        SshDeploy bringing = new SshDeploy(command == null || command.isBlank() ? List.of("ssh") : List.of(command.strip().split("\\s+")),
            Path.of(home), Objects.requireNonNull(wanted.key()), said -> {
                synchronized (words) {
                    words.merge(said.substring(0, Math.max(0, said.indexOf(": "))), said,
                        (before, now) -> before.contains(SshDeploy.ENDED) ? before : now);
                }
            });
        deploy = bringing;
        List<String> failures = bringing.start(hosts.stream().map(AgentPool::place).toList());
        if (!failures.isEmpty()) {
            throw new IOException(String.join("; ", failures));
        }
    }

    /** Returns the host for ssh, with an agent that is named after the host, and after the port if that is not the default one. */
    private static SshDeploy.Host place(Agents.Host host) {
        String name = host.name().startsWith("[") ? host.name().substring(1, host.name().length() - 1) : host.name();
        List<String> arguments = new ArrayList<>(List.of("--name", host.toString().replaceAll("[^\\p{L}\\p{N}._-]+", "-")));
        if (host.port() != 0) {
            arguments.addAll(List.of("--port", Integer.toString(host.port())));
        }
        return new SshDeploy.Host(name, arguments);
    }

    /** @param limit the end of the wait, by {@link System#nanoTime()} */
    private void await(Consumer<String> progress, long limit) throws InterruptedException {
        int needed = wanted.needed();
        int there = there();
        for (; there < needed; there = there()) {
            refusals.values().stream().filter(refusal -> refusal.reason() == PeerRefusal.Reason.VERSION).findFirst().ifPresent(refusal -> {
                throw new UsageException(sentence(refusal.sentence()));
            });
            String ended = endedBefore();
            if (ended != null) {
                throw new UsageException(sentence(ended));
            }
            if (System.nanoTime() - limit > 0) {
                throw new UsageException(there + " of " + Counted.are(needed, "agent") + " there after "
                    + wanted.within().toMillis() / 1000.0 + " s: " + missing() + ".");
            }
            if (there > 0 || wanted.who() instanceof Agents.On || wanted.who() instanceof Agents.Behind) {
                progress.accept("Waiting for agents, " + there + " of " + needed + " are there");
            }
            askAgain();
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Asks the members that owe an answer for a while again, by the same question, so that an answer to either counts. */
    private void askAgain() {
        long now = System.nanoTime();
        questions.forEach((member, question) -> {
            if (!hellos.containsKey(member) && now - question.at() >= AGAIN_NANOS
                && questions.replace(member, question, new Question(question.nonce(), now))) {
                try {
                    send(member, new Message.Who(question.nonce()).text());
                } catch (IllegalStateException e) {
                    // the agent has just left
                }
            }
        });
    }

    /** Returns the number of agents that are members. The greeting of one that has left already may be delivered after that news. */
    private int there() {
        return (int) hellos.keySet().stream().filter(members::containsKey).count();
    }

    /** Returns why an agent that was brought to a host has ended; null while none has. */
    private @Nullable String endedBefore() {
        synchronized (words) {
            return words.values().stream().filter(said -> said.contains(SshDeploy.ENDED)).findFirst().orElse(null);
        }
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private String missing() {
        List<String> why = new ArrayList<>(cluster.join().missing().values());
        members.values().stream().filter(member -> !hellos.containsKey(member.id()))
            .map(member -> member.address() + " has not answered yet").forEach(why::add);
        refusals.values().stream().map(PeerRefusal::sentence).forEach(why::add);
        synchronized (words) {
            why.addAll(words.values());
        }
        return why.isEmpty() ? "nothing is known of the others" : why.stream().distinct().collect(Collectors.joining("; "));
    }

    private AgentNames names() {
        return new AgentNames(wanted, members, machine);
    }

    /** Returns the agents of this pool. */
    public List<AgentInfo> agents() {
        return agents;
    }

    /**
     * Executes a task on the agents. Blocks until it is over.
     *
     * @param shares the agents by their shares
     * @param faults the faults of the run
     * @param prepared receives the run before it begins
     * @throws RunFailure when the run could not begin
     */
    public RunResult execute(AgentsTask task, Map<Share, AgentInfo> shares, RunObserver observer, @Nullable BrokerWatch watch,
            FaultPlayer faults, Consumer<DistributedRun> prepared) throws RunFailure {
        DistributedRun next =
            new DistributedRun(task, new DistributedRun.Credentials(version, accesses, token), shares, post, observer, watch,
                faults);
        running = next;
        try {
            prepared.accept(next);
            lost().forEach(agent -> next.left(agent.member(), "is gone"));
            RunResult result = next.execute();
            dismiss(task.run(), shares.values());
            return result;
        } finally {
            running = null;
        }
    }

    /** Tells the agents that had no share of a run that it is over. */
    private void dismiss(String run, Collection<AgentInfo> needed) {
        for (AgentInfo agent : agents) {
            if (!needed.contains(agent) && members.containsKey(agent.member())) {
                try {
                    send(agent.member(), new Message.Unneeded(run).text());
                } catch (IllegalStateException e) {
                    // the agent has just left
                }
            }
        }
    }

    /** Sends a text to a member; throws an unchecked exception when the member is gone. */
    private void send(String to, String text) {
        Member member = members.get(to);
        try {
            if (member == null) {
                throw new ClusterException("it is gone");
            }
            cluster.join().send(member, text);
        } catch (ClusterException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the agents that were lost since they joined. */
    public List<AgentInfo> lost() {
        return agents.stream().filter(agent -> !members.containsKey(agent.member())).toList();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (cluster.isDone()) {
                cluster.join().close();
            }
            for (ProbeServer clock : clocks.values()) {
                clock.close();
            }
        } catch (IOException e) {
            // the sockets are closed with the process
        } finally {
            LocalAgent.close(children);
            if (deploy != null) {
                deploy.close();
            }
        }
    }

    private final class Listener implements ClusterListener {

        @Override
        public void joined(Member member) {
            members.put(member.id(), member);
            Question question = new Question(secret(), System.nanoTime());
            questions.put(member.id(), question);
            send(member.id(), new Message.Who(question.nonce()).text());
        }

        @Override
        public void left(Member member, Departure why) {
            members.remove(member.id());
            questions.remove(member.id());
            hellos.remove(member.id());
            DistributedRun current = running;
            if (current != null) {
                current.left(member.id(), switch (why) {
                    case LEFT -> "has left";
                    case KILLED -> "is gone: its process has died, or its connection was reset";
                    case SILENT -> "is silent: it stands still, or the network between is cut";
                });
            }
        }

        @Override
        public void message(Member from, String json) {
            DistributedRun current = running;
            if (current != null && hellos.containsKey(from.id())) {
                current.heard(from.id(), json);
                return;
            }
            Question question = questions.get(from.id());
            try {
                if (Message.read(json) instanceof Message.Hello hello
                    && AgentToken.holds(hello.proof(), token, question == null ? "" : question.nonce(), from.id())) {
                    hellos.put(from.id(), hello);
                }
            } catch (IllegalArgumentException e) {
                // no message that an agent sends before a run
            }
        }

        @Override
        public void refused(PeerRefusal refusal) {
            refusals.put(refusal.who(), refusal);
        }
    }
}
