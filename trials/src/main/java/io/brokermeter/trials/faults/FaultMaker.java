package io.brokermeter.trials.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.process.ForeignProcess;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.spi.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/** Carries out the faults of a run on this machine, where its broker is. */
public final class FaultMaker implements FaultActor {

    /** The time that an orderly end may take, which is what service managers of most systems allow. */
    private static final Duration ORDERLY_LIMIT = Duration.ofSeconds(30);
    /** The time within which it shows whether a process that could not be signalled has ended. */
    private static final Duration END_SHOWS = Duration.ofSeconds(1);

    private final Duration orderlyLimit;
    private final FaultTargets targets;
    private final @Nullable Broker broker;
    private final @Nullable Path output;
    /** The processes on which a fault acted, by the number of the fault. */
    private final Map<Integer, List<? extends BrokerNode>> touched = new ConcurrentHashMap<>();
    private final Map<Integer, CommandRun> commands = new ConcurrentHashMap<>();
    private final Set<BrokerNode> filled = ConcurrentHashMap.newKeySet();
    private final Set<Thread> starting = ConcurrentHashMap.newKeySet();
    private volatile boolean givenUp;
    /** The processes that faults name by their ids. */
    private final Map<Long, ForeignProcess> named = new ConcurrentHashMap<>();

    /**
     * Creates an object that has done nothing yet.
     *
     * @param targets the targets that were checked
     * @param broker the broker that was started for the run, or null for one that runs already
     * @param output the directory for the output of commands; null to discard it
     */
    public FaultMaker(FaultTargets targets, @Nullable Broker broker, @Nullable Path output) {
        this(targets, broker, output, ORDERLY_LIMIT);
    }

    FaultMaker(FaultTargets targets, @Nullable Broker broker, @Nullable Path output, Duration orderlyLimit) {
        this.orderlyLimit = orderlyLimit;
        this.targets = targets;
        this.broker = broker;
        this.output = output;
    }

    /**
     * Finds the processes that faults name by their ids. When a fault begins, such a process may have ended, and its id may be that of
     * another process, to which nothing must be done.
     *
     * @return this
     */
    public FaultMaker finding(List<Fault> faults) {
        for (Fault fault : faults) {
            if (fault.pid() >= 0) {
                try {
                    named.put(fault.pid(), ForeignProcess.of(fault.pid()));
                } catch (IllegalArgumentException e) {
                    // the process is looked for again when the fault begins, which reports what is wrong
                }
            }
        }
        return this;
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        return switch (fault.action()) {
            case KILL -> each(number, fault, BrokerNode::kill);
            case STOP, RESTART -> stop(number, fault);
            case PAUSE -> wholly(() -> each(number, fault, BrokerNode::freeze),
                () -> resume(touched.getOrDefault(number, List.of())));
            case FILL -> wholly(() -> fill(number, fault), () -> free(nodes(fault)));
            case RUN -> start(number, fault);
            // The process that connects carries these out.
            case CUT, RESET, BLACKHOLE, DELAY -> throw new UnsupportedOperationException(fault.action().word());
        };
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        return switch (fault.action()) {
            case KILL, STOP, RESTART -> startAgain(number);
            case PAUSE -> resume(number);
            case FILL -> free(number);
            case RUN -> awaitCommand(number);
            // The process that connects carries these out.
            case CUT, RESET, BLACKHOLE, DELAY -> throw new UnsupportedOperationException(fault.action().word());
        };
    }

    /** Begins a fault; if that fails, undoes what was done, since nobody else will before the end of the run. */
    private static Effect wholly(Callable<Effect> action, Runnable undo) throws Exception {
        try {
            return action.call();
        } catch (Exception | Error e) {
            undo.run();
            throw e;
        }
    }

    private static Effect now(String detail) {
        return new Effect(EpochClock.nanos(), detail);
    }

    // ---- processes ----

    private List<? extends BrokerNode> nodes(Fault fault) {
        Broker started = broker;
        ForeignProcess meant = named.get(fault.pid());
        if (meant != null) {
            return List.of(meant);
        }
        if (started == null || fault.pid() >= 0 || fault.port() >= 0) {
            return targets.foreign(fault);
        }
        return Broker.nodesNamed(started.name(), targets.options().topology(), fault.target()).stream().map(started.nodes()::get).toList();
    }

    private interface NodeAction {
        void on(BrokerNode node) throws Exception;
    }

    /**
     * Applies an action to the processes of a fault. Of several, those that are gone are left out: nothing of them can be ended or stopped,
     * and only what was done is undone.
     */
    private Effect each(int number, Fault fault, NodeAction action) throws Exception {
        List<? extends BrokerNode> nodes = nodes(fault);
        List<? extends BrokerNode> living = nodes.stream().filter(BrokerNode::isAlive).toList();
        Set<BrokerNode> lost = ConcurrentHashMap.newKeySet();
        touched.put(number, living);
        onAll(living, node -> {
            try {
                action.on(node);
            } catch (BrokerException | RuntimeException e) {
                // An action that fails because the process has just ended by itself is no mistake.
                if (!node.awaitExit(END_SHOWS)) {
                    throw e;
                }
                lost.add(node);
            }
            if (fault.action() != Fault.Action.PAUSE && node.isAlive()) {
                // The kernel keeps a process as long as it waits for a disk that does not answer, or has much memory to release.
                throw new BrokerException("its process, " + described(node) + ", was killed and is not gone yet.");
            }
        });
        long done = EpochClock.nanos();
        List<? extends BrokerNode> hit = living.stream().filter(node -> !lost.contains(node)).toList();
        List<? extends BrokerNode> missed = nodes.stream().filter(node -> !hit.contains(node)).toList();
        if (hit.isEmpty()) {
            touched.remove(number);
            throw new BrokerException(allGone(missed));
        }
        touched.put(number, hit);
        return new Effect(done, described(hit) + besides(missed));
    }

    private String allGone(List<? extends BrokerNode> gone) {
        return gone.size() == 1 ? "its process, " + described(gone) + ", is gone already."
            : "all its processes, " + described(gone) + ", are gone already.";
    }

    private String besides(List<? extends BrokerNode> gone) {
        return gone.isEmpty() ? "" : "; gone already: " + described(gone);
    }

    /** Applies an action to all processes at the same time; returns when it was applied to all. */
    private static void onAll(List<? extends BrokerNode> nodes, NodeAction action) throws Exception {
        if (nodes.size() == 1) {
            action.on(nodes.getFirst());
            return;
        }
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (BrokerNode node : nodes) {
                all.add(executor.submit(() -> {
                    action.on(node);
                    return null;
                }));
            }
            for (Future<?> one : all) {
                try {
                    one.get();
                } catch (ExecutionException e) {
                    throw e.getCause() instanceof Exception cause ? cause : e;
                }
            }
        }
    }

    private Effect stop(int number, Fault fault) throws Exception {
        Set<String> killed = new ConcurrentSkipListSet<>();
        Effect ended = each(number, fault, node -> {
            String name = described(node);
            if (!node.stop(orderlyLimit)) {
                killed.add(name);
            }
        });
        return killed.isEmpty() ? ended : new Effect(ended.epochNanos(), ended.detail() + "; killed, since it did not end by itself within "
            + orderlyLimit.toSeconds() + " s: " + String.join(", ", killed));
    }

    private Effect startAgain(int number) throws BrokerException {
        List<? extends BrokerNode> nodes = Objects.requireNonNull(touched.get(number));
        // Registered before the flag is read, since giveUp() interrupts the threads that are registered.
        starting.add(Thread.currentThread());
        try {
            if (givenUp) {
                throw new BrokerException("the run was told to end.");
            }
            Objects.requireNonNull(broker).startAgain(nodes);
        } finally {
            starting.remove(Thread.currentThread());
            Thread.interrupted();
        }
        return now(described(nodes));
    }

    private Effect resume(int number) {
        List<? extends BrokerNode> nodes = Objects.requireNonNull(touched.get(number));
        nodes.forEach(BrokerNode::resume);
        return now(described(nodes));
    }

    /**
     * Makes the brokers of a fault treat their disks as full. Of several, those that stand by or are gone are left out: no messages are
     * sent to them.
     */
    private Effect fill(int number, Fault fault) throws Exception {
        List<? extends BrokerNode> nodes = nodes(fault);
        onAll(nodes, node -> {
            filled.add(node);
            if (!isFull(node)) {
                filled.remove(node);
            }
        });
        long done = EpochClock.nanos();
        List<? extends BrokerNode> full = nodes.stream().filter(filled::contains).toList();
        List<? extends BrokerNode> others = nodes.stream().filter(node -> !filled.contains(node)).toList();
        List<? extends BrokerNode> gone = others.stream().filter(node -> !node.isAlive()).toList();
        if (full.isEmpty()) {
            throw new BrokerException(gone.isEmpty() ? "it stands by, and takes no messages yet."
                : gone.size() == nodes.size() ? allGone(gone)
                    : "its process, " + described(gone) + ", is gone already, and the other one stands by, and takes no messages yet.");
        }
        touched.put(number, full);
        return new Effect(done, described(full) + besides(gone));
    }

    /** Makes one broker treat its disk as full; returns false when it stands by, is gone, or ends at that moment. */
    private static boolean isFull(BrokerNode node) throws BrokerException {
        try {
            return node.isAlive() && node.fill(true);
        } catch (BrokerException e) {
            if (node.isAlive()) {
                throw e;
            }
            return false;
        }
    }

    /** Frees the disks of all brokers that are not gone, although one of them refuses. */
    private Effect free(int number) throws BrokerException {
        List<? extends BrokerNode> nodes = Objects.requireNonNull(touched.get(number));
        List<BrokerNode> gone = new ArrayList<>();
        BrokerException failure = null;
        for (BrokerNode node : nodes) {
            try {
                node.fill(false);
                filled.remove(node);
            } catch (BrokerException e) {
                if (node.isAlive()) {
                    // close() tries again
                    failure = failure == null ? e : failure;
                } else {
                    gone.add(node);
                    filled.remove(node);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        List<? extends BrokerNode> freed = nodes.stream().filter(node -> !gone.contains(node)).toList();
        if (freed.isEmpty()) {
            throw new BrokerException(allGone(gone));
        }
        return now(described(freed) + besides(gone));
    }

    private String described(List<? extends BrokerNode> nodes) {
        return nodes.stream().map(this::described).collect(Collectors.joining(", "));
    }

    private String described(BrokerNode node) {
        boolean alone = node.role().equals(BrokerNode.BROKER) || node instanceof ForeignProcess;
        return (alone ? "" : node.role() + " ") + "pid " + node.pid();
    }

    // ---- commands ----

    private Effect start(int number, Fault fault) throws IOException {
        Path file = output == null ? null : output.resolve("fault-" + number + ".log");
        Map<String, String> environment = new LinkedHashMap<>();
        Broker started = broker;
        environment.put("BROKER_URLS", (started == null ? targets.urls() : started.urls().values()).stream()
            .map(ConnectionSettings::redacted).collect(Collectors.joining(" ")));
        environment.put("BROKER_PIDS", started == null ? "" : started.nodes().stream().map(node -> Long.toString(node.pid()))
            .collect(Collectors.joining(" ")));
        CommandRun command = new CommandRun(fault.target(), targets.directory(), file, environment,
            fault.length() == null ? Fault.COMMAND_LIMIT : fault.length());
        commands.put(number, command);
        if (givenUp) {
            command.kill();
        }
        return now("pid " + command.pid() + (file == null ? "" : ", its output is in " + file.getFileName()));
    }

    private Effect awaitCommand(int number) throws IOException, InterruptedException {
        int status = Objects.requireNonNull(commands.get(number)).await();
        return new Effect(EpochClock.nanos(), output == null ? "" : "its output is in fault-" + number + ".log", status);
    }

    @Override
    public void giveUp() {
        givenUp = true;
        commands.values().forEach(CommandRun::kill);
        starting.forEach(Thread::interrupt);
    }

    @Override
    public void close() {
        giveUp();
        // The thread that began a command may be gone without having waited for it.
        commands.values().forEach(CommandRun::close);
        free(filled);
        for (List<? extends BrokerNode> nodes : touched.values()) {
            resume(nodes);
            for (BrokerNode node : nodes) {
                if (node instanceof ForeignProcess foreign) {
                    foreign.close();
                }
            }
        }
    }

    private static void resume(List<? extends BrokerNode> nodes) {
        for (BrokerNode node : nodes) {
            try {
                node.resume();
            } catch (RuntimeException e) {
                // the process is gone
            }
        }
    }

    /** Ends the full disks of those of these brokers that have one. */
    private void free(Collection<? extends BrokerNode> nodes) {
        for (BrokerNode node : nodes) {
            if (filled.contains(node)) {
                try {
                    node.fill(false);
                    filled.remove(node);
                } catch (BrokerException | RuntimeException e) {
                    // the process is gone, or cannot be reached
                }
            }
        }
    }
}
