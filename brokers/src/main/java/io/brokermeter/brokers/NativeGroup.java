package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.NativeProcess;
import io.brokermeter.brokers.process.Probe;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.ExitAction;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a topology of a broker that is a program of this machine, each with a directory of its own below the broker's. The
 * common directory is deleted by {@link #close()}, or when this JVM is killed.
 */
public final class NativeGroup {

    private final Path directory;
    private final BrokerOptions options;
    private final @Nullable ExitAction will;
    private final List<NativeProcess> processes = new ArrayList<>();

    /** One process: its command, its role, its port, and the probe that succeeds once it serves its clients. */
    public record Launch(NativeCommand command, String role, int port, Probe ready) {}

    /**
     * Creates the common directory, which other users may pass through, since a broker may run as another user.
     *
     * @throws IOException when the directory cannot be created
     */
    public NativeGroup(BrokerOptions asked) throws IOException {
        directory = asked.place();
        options = asked.withKeep(asked.keep() || Files.exists(directory));
        if (options.keep()) {
            Files.createDirectories(directory);
            will = null;
        } else {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            will = ExitAction.deleting(directory);
        }
    }

    /** Returns a new command for one more process, in a directory named after its role. */
    public NativeCommand command(Path program, String role) {
        return new NativeCommand(program, directory.resolve(role.replace(' ', '-')), options).within(directory).unprivileged();
    }

    /**
     * Starts a process and waits until it is ready.
     *
     * @throws BrokerException when the process is not ready within the limit; the others run until {@link #close()}
     */
    public NativeProcess start(BrokerName name, Launch launch) throws BrokerException {
        NativeProcess process = launch.command().start(name, launch.role(), launch.port(), launch.ready());
        synchronized (processes) {
            processes.add(process);
        }
        return process;
    }

    /** Creates the broker of some of the processes, the one that serves first. */
    public Broker broker(BrokerName name, String title, Map<String, String> urls, List<NativeProcess> nodes) {
        return new RunningBroker(name, title, urls, nodes, gone -> startAgain(nodes.stream().filter(gone::contains).toList()), this::close);
    }

    /** Starts all processes again at the same time, since they may wait for each other. */
    private static void startAgain(List<NativeProcess> gone) throws BrokerException {
        List<Future<Object>> begun;
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            begun = gone.stream().map(process -> executor.submit(() -> {
                process.startAgain();
                return (Object) process;
            })).toList();
        }
        for (Future<Object> start : begun) {
            if (start.state() == Future.State.FAILED) {
                throw start.exceptionNow() instanceof BrokerException cause ? cause
                    : new BrokerException("A node does not start again: " + start.exceptionNow() + ".", start.exceptionNow());
            }
        }
    }

    /** Ends all processes and deletes the common directory, unless it is kept. Idempotent. */
    public void close() {
        List<NativeProcess> running;
        synchronized (processes) {
            running = List.copyOf(processes);
        }
        running.reversed().forEach(NativeProcess::close);
        if (will != null) {
            DataDirectory.delete(directory);
            will.close();
        }
    }
}
