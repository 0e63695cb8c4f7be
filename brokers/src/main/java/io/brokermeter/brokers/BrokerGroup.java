package io.brokermeter.brokers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.brokermeter.brokers.process.BrokerProcess;
import io.brokermeter.brokers.process.HostCommand;
import io.brokermeter.hosts.DataDirectory;

/**
 * The processes of a Java broker: one in the broker's directory, or those of a topology, each with a directory of its own below that. Each
 * process deletes its own directory; the common one is deleted with the last of them, by {@link #close()} or when this JVM is killed.
 */
public final class BrokerGroup {

    private final BrokerName name;
    private final String title;
    private final String main;
    private final List<Path> classPath;
    private final Path directory;
    private final BrokerOptions options;
    private final List<BrokerProcess> processes = new ArrayList<>();
    /** The groups of processes that were started at the same time, since they wait for each other. */
    private final List<List<BrokerProcess>> together = new ArrayList<>();
    private Function<BrokerProcess, Map<String, String>> standby = process -> Map.of();

    /**
     * Creates a group without processes.
     *
     * @param title full name of the broker, for people
     * @param main class of the program that each process runs
     */
    public BrokerGroup(BrokerName name, String title, String main, List<Path> classPath, BrokerOptions asked) {
        this.name = name;
        this.title = title;
        this.main = main;
        this.classPath = List.copyOf(classPath);
        directory = asked.place();
        options = asked.withKeep(asked.keep() || Files.exists(directory));
    }

    public BrokerName name() {
        return name;
    }

    /** Returns the options of the processes, which keep their directories if the group keeps its own. */
    public BrokerOptions options() {
        return options;
    }

    public List<Path> classPath() {
        return classPath;
    }

    /** Returns the common directory. */
    public Path directory() {
        return directory;
    }

    /** Returns the directory of one process of a topology. */
    public Path directory(String role) {
        return directory.resolve(role.replace(' ', '-'));
    }

    /** Returns a new command for one more process. */
    public HostCommand command() {
        return new HostCommand(main, classPath, options);
    }

    /** Starts the only process, in the common directory, and waits until it is ready. */
    public BrokerProcess startAlone(HostCommand command) throws BrokerException {
        return added(command.start(name, BrokerNode.BROKER, options.port(), directory, directory));
    }

    /** One process of a topology. Its role names its directory; port 0 stands for any free one. */
    public record Launch(HostCommand command, String role, int port) {}

    /**
     * Starts one process of a topology and waits until it is ready. May be called by several threads at once.
     *
     * @throws BrokerException when the process is not ready within the limit; the others run until {@link #close()}
     */
    public BrokerProcess start(Launch launch) throws BrokerException {
        if (!options.keep()) {
            launch.command().with("--group", directory.toString());
        }
        return added(launch.command().start(name, launch.role(), launch.port(), directory(launch.role()), directory));
    }

    /** Starts several processes at the same time, and waits until all of them are ready. */
    public List<BrokerProcess> startAll(List<Launch> launches) throws BrokerException {
        List<BrokerProcess> started =
            atOnce(launches.stream().<Callable<BrokerProcess>>map(launch -> () -> start(launch)).toList(), "start");
        together.add(started);
        return started;
    }

    /** Runs all starts at the same time, since each takes seconds, and waits for all of them. */
    private List<BrokerProcess> atOnce(List<Callable<BrokerProcess>> starts, String what) throws BrokerException {
        List<Future<BrokerProcess>> begun;
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            begun = starts.stream().map(executor::submit).toList();
        }
        BrokerException failure = null;
        for (Future<BrokerProcess> start : begun) {
            // The failure of a process that ended says more than that of one that waited for it in vain.
            if (start.state() == Future.State.FAILED && (failure == null || failure.getCause() instanceof TimeoutException)) {
                failure = start.exceptionNow() instanceof BrokerException cause ? cause
                    : new BrokerException("Broker " + name + " does not " + what + ": " + start.exceptionNow() + ".", start.exceptionNow());
            }
        }
        if (failure != null) {
            throw failure;
        }
        return begun.stream().map(Future::resultNow).toList();
    }

    /** Sets the host settings that change when a process is started again. */
    public void again(Function<BrokerProcess, Map<String, String>> settings) {
        standby = settings;
    }

    /** Returns whether another process of the topology is alive. */
    public boolean hasOther(BrokerProcess process) {
        synchronized (processes) {
            return processes.stream().anyMatch(other -> other != process && other.isAlive());
        }
    }

    private void startAgain(List<? extends BrokerNode> gone) throws BrokerException {
        List<BrokerProcess> left;
        synchronized (processes) {
            left = new ArrayList<>(processes.stream().filter(gone::contains).toList());
        }
        while (!left.isEmpty()) {
            BrokerProcess first = left.getFirst();
            List<BrokerProcess> next = together.stream().filter(group -> group.contains(first)).findFirst()
                .map(group -> group.stream().filter(left::contains).toList()).orElse(List.of(first));
            left.removeAll(next);
            atOnce(next.stream().<Callable<BrokerProcess>>map(process -> () -> {
                process.startAgain(standby.apply(process));
                return process;
            }).toList(), "start again");
        }
    }

    private BrokerProcess added(BrokerProcess process) {
        synchronized (processes) {
            processes.add(process);
        }
        return process;
    }

    /** Creates the broker of these processes, the one that serves first. */
    public Broker broker(Map<String, String> urls, List<? extends BrokerNode> nodes) {
        return new RunningBroker(name, title, urls, nodes, this::startAgain, this::close);
    }

    /** Ends all processes and deletes the common directory, unless it is kept. Idempotent. */
    public void close() {
        List<BrokerProcess> running;
        synchronized (processes) {
            running = List.copyOf(processes);
        }
        running.reversed().forEach(BrokerProcess::close);
        if (!options.keep()) {
            DataDirectory.delete(directory);
        }
    }
}
