package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.spi.parameter.StoreParameter;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/**
 * Executes shares of runs for coordinators, one at a time, each in a worker of its own. It obeys no other requests: it runs no command,
 * opens no file that others name, and sends no files except those of the run's own directory.
 */
public final class Agent {

    /**
     * The identity and settings of an agent.
     *
     * @param name the name for users; no two agents of a cluster have the same
     * @param version the version of the tool; a coordinator of another version is refused
     * @param labels labels for placement
     * @param once whether the agent executes the runs of one coordinator alone, the first that calls, and ends when that one has left
     * @param token the secret that a coordinator must know, as the one that started the agent does; empty for none
     */
    public record Identity(String name, String version, Map<String, String> labels, boolean once, String token) {}

    /** Sends a text to a member of the cluster; blocks while the member takes nothing, and throws when it is gone. */
    public interface Post extends BiConsumer<String, String> {

        /** Returns the id by which the other members know this process; empty where that is not needed. */
        default String own() {
            return "";
        }

        /** Returns the number of bytes that still wait to be sent to a member; 0 where that is not known. */
        default long waiting(String member) {
            return 0;
        }
    }

    /** Starts a worker whose standard error goes to a file. */
    public interface Starter {
        Process start(Path log) throws IOException;
    }

    private record Waiting(String member, Message message) {}

    private static final Duration CLEAN_END = Duration.ofMinutes(2);
    private static final int FAILED = 1;

    private final Identity identity;
    private final Post post;
    private final Starter starter;
    private final Function<String, List<StoreParameter>> stores;
    private final Consumer<String> says;
    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final String machine = MachineId.id();
    /** Held while a run is started: a run that {@link #kill} does not know yet would be left behind. */
    private final Object starting = new Object();
    private boolean killed;
    private volatile @Nullable AgentRun run;
    private String coordinator = "";
    /** The member whose runs alone an agent with {@code once} executes; empty until one has called, and without {@code once}. */
    private String only = "";
    /** Whether the coordinator of an agent with {@code once} has left. */
    private boolean over;
    /** Messages about next runs that arrived while the current run was about to be over. */
    private final List<Waiting> next = new ArrayList<>();
    private boolean ranWell = true;
    /** Whether a run is over that this agent executed, or in which a coordinator had no share for this agent. */
    private boolean served;
    private int signal;

    /**
     * Creates an agent, which waits for runs from {@link #run} on.
     *
     * @param starter starts a worker whose standard error goes to a file
     * @param stores returns the parameters of a protocol that may name files: those that came with a run
     * @param says receives sentences for the user, from any thread
     */
    public Agent(Identity identity, Post post, Starter starter, Function<String, List<StoreParameter>> stores, Consumer<String> says) {
        this.identity = identity;
        this.post = post;
        this.starter = starter;
        this.stores = stores;
        this.says = says;
    }

    // ---- from any thread ----

    /** Handles a message of a member of the cluster. */
    public void heard(String member, String text) {
        events.add(() -> hear(member, text));
    }

    /**
     * Handles the departure of a member of the cluster.
     *
     * @param reached whether others may still reach it
     */
    public void left(String member, boolean reached) {
        events.add(() -> {
            AgentRun current = run;
            next.removeIf(waiting -> waiting.member().equals(member));
            if (only.equals(member)) {
                left(reached, served || current != null);
            }
            if (current != null && coordinator.equals(member)) {
                if (current.isHome()) {
                    return;
                }
                says.accept("Run " + current.name() + " was ended: its coordinator is gone.");
                ranWell = false;
                if (reached) {
                    current.leave();
                } else {
                    current.cancel();
                }
            }
        });
    }

    /** Handles the departure of the coordinator of an agent with {@code once}. */
    private void left(boolean reached, boolean hasServed) {
        if (reached && !hasServed) {
            // It was silent while it waited for other agents, and calls again under another name.
            only = "";
            return;
        }
        over = true;
        if (!hasServed) {
            says.accept("The coordinator has left without a run.");
        }
    }

    /** Ends the agent: a current run cleanly, at the second call at once. */
    public void stop(int number) {
        events.add(() -> {
            AgentRun current = run;
            if (signal != 0 && current != null) {
                current.kill();
            } else if (current != null) {
                says.accept("Run " + current.name() + " is being ended.");
                current.stop(number, CLEAN_END);
                send(coordinator, new Message.Leaving(current.name()));
            }
            signal = number;
        });
    }

    /** Kills the current run, before the process ends; waits for a run that is being started, and prevents further ones. */
    public void kill() {
        last(AgentRun::kill);
    }

    /** Ends the current run as {@link #kill} does, but leaves its worker two seconds in which to remove what it created. */
    public void end() {
        last(AgentRun::end);
    }

    private void last(Consumer<AgentRun> ends) {
        AgentRun current;
        synchronized (starting) {
            killed = true;
            current = run;
        }
        if (current != null) {
            ends.accept(current);
        }
    }

    // ---- on its own thread ----

    /** Waits for runs until the agent is stopped, or with {@code once} until its coordinator has left; returns the exit status. */
    public int run() throws InterruptedException {
        while (run != null || signal == 0 && !over) {
            // Every cause of an end is an event as well.
            Runnable event = events.take();
            try {
                event.run();
            } catch (IllegalArgumentException e) {
                says.accept("A message of a coordinator was ignored, since this version of the tool does not know it.");
            }
        }
        return signal != 0 ? 128 + signal : served && ranWell ? 0 : FAILED;
    }

    private void hear(String member, String text) {
        Message message = Message.read(text);
        AgentRun current = run;
        if (current != null && current.isEnding() && isOfNext(message, current.name())) {
            next.add(new Waiting(member, message));
        } else {
            obey(member, message);
        }
    }

    /**
     * Returns whether a message is about a run that comes after the current one: a coordinator knows that a run is over before everything
     * of it is gone here, and a coordinator that was killed and started again is another member.
     */
    private static boolean isOfNext(Message message, String current) {
        return switch (message) {
            case Message.Order order -> !order.run().equals(current);
            case Message.Tell tell -> !tell.run().equals(current);
            case Message.Cancel cancel -> !cancel.run().equals(current);
            default -> false;
        };
    }

    private void obey(String member, Message message) {
        AgentRun current = run;
        if (identity.once && only.isEmpty() && (message instanceof Message.Who || message instanceof Message.Order)) {
            only = member;
        }
        switch (message) {
            case Message.Who who -> send(member,
                new Message.Hello(identity.name, identity.version, identity.labels, machine, Runtime.getRuntime().availableProcessors(),
                    current == null ? "" : current.name(), AgentToken.of(identity.token, who.nonce(), post.own())));
            case Message.Order order -> take(member, order);
            case Message.Tell tell -> ofRun(member, tell.run(), own -> own.tell(tell.line()));
            case Message.Cancel cancel -> ofRun(member, cancel.run(), AgentRun::cancel);
            case Message.FilesReceived filesReceived -> ofRun(member, filesReceived.run(), AgentRun::filesReceived);
            case Message.Unneeded unneeded when only.equals(member) -> {
                served = true;
                says.accept("Run " + unneeded.run() + " is over; it had nothing for this agent.");
            }
            default -> {
                // messages for coordinators
            }
        }
    }

    /** Applies an action to the current run. Messages of other members, and about runs that are over, are ignored. */
    private void ofRun(String member, String name, Consumer<AgentRun> action) {
        AgentRun current = run;
        if (current != null && coordinator.equals(member) && name.equals(current.name())) {
            action.accept(current);
        }
    }

    private void take(String member, Message.Order order) {
        AgentRun current = run;
        String refusal = signal != 0 || over ? "it is about to end"
            : identity.once && !only.equals(member) ? "it takes part in the runs of another coordinator alone"
                : current != null ? "it runs " + current.name() + (coordinator.equals(member) ? "" : " for another coordinator")
                    : !token(order) ? "it was started by another coordinator"
                        : order.version().equals(identity.version) ? wrong(order.order())
                            : "it has version " + identity.version + " of the tool, and the coordinator " + order.version();
        if (refusal == null) {
            try {
                coordinator = member;
                start(member, order);
                says.accept("Run " + order.run() + " begins.");
            } catch (IOException | RuntimeException e) {
                refusal = "its worker cannot be started: " + e.getMessage();
            }
        }
        send(member, refusal == null ? new Message.Accepted(order.run()) : new Message.Refused(order.run(), refusal));
        if (refusal != null) {
            says.accept("Run " + order.run() + " was refused: " + refusal + ".");
        }
    }

    private void start(String member, Message.Order order) throws IOException {
        synchronized (starting) {
            if (killed) {
                throw new IOException("it is ending");
            }
            run = AgentRun.start(order.run(), order.order(), starter, AgentClock.open(order.clock()),
                message -> post.accept(member, message.text()), () -> post.waiting(member), () -> events.add(() -> ended(order.run())));
        }
    }

    private boolean token(Message.Order order) {
        return MessageDigest.isEqual(identity.token.getBytes(StandardCharsets.UTF_8), order.token().getBytes(StandardCharsets.UTF_8));
    }

    private @Nullable String wrong(WorkerOrder order) {
        if (order.share() == null) {
            return "its order is not to be carried out: it has no share of a run";
        }
        if (!order.entry().place().isEmpty() && identity.token.isEmpty()) {
            return "its order is not to be carried out: only agents that their coordinator started enter a network of its choosing";
        }
        try {
            PortableScenario.require(order.scenario(), order.files().keySet());
            order.endpoints().values().forEach(
                way -> PortableScenario.require(way.url(), way.properties(), stores.apply(way.protocol()), order.files().keySet()));
            return null;
        } catch (UsageException e) {
            return "its order is not to be carried out: " + e.getMessage();
        }
    }

    private void ended(String name) {
        run = null;
        served = true;
        says.accept("Run " + name + " is over.");
        List<Waiting> waiting = List.copyOf(next);
        next.clear();
        waiting.forEach(one -> obey(one.member(), one.message()));
    }

    /** Sends a message. A message that does not arrive is missed by no member that is there. */
    private void send(String member, Message message) {
        try {
            post.accept(member, message.text());
        } catch (RuntimeException e) {
            // The cluster reports when the member is gone.
        }
    }
}
