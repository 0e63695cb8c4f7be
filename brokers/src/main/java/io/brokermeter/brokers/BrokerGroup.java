package io.brokermeter.brokers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes of a topology, each with a directory of its own below a common one. Each process deletes its own
 * directory; the common one goes with the last of them, be it by {@link #close()} or since this process was killed.
 */
final class BrokerGroup implements AutoCloseable {

    private final BrokerName name;
    private final Path directory;
    private final BrokerOptions options;
    private final List<BrokerProcess> processes = new ArrayList<>();

    BrokerGroup(BrokerName name, BrokerOptions asked) {
        this.name = name;
        directory = asked.place();
        options = asked.withKeep(asked.keep() || Files.exists(directory));
    }

    /** The options for the commands of the group: they keep what the group keeps. */
    BrokerOptions options() {
        return options;
    }

    /** The common directory. */
    Path directory() {
        return directory;
    }

    /**
     * Starts one process and waits until it is ready. May be called by several threads at once.
     *
     * @param command was made from {@link #options()}
     * @param role names its directory, with hyphens for blanks
     * @throws BrokerException when it is not ready within the limit; the others live on until {@link #close()}
     */
    BrokerProcess start(HostCommand command, String role, int port) throws BrokerException {
        if (!options.keep()) {
            command.with("--group", directory.toString());
        }
        BrokerProcess process = command.start(name, role, port, directory.resolve(role.replace(' ', '-')));
        synchronized (processes) {
            processes.add(process);
        }
        return process;
    }

    /** Ports that are free now, for processes that must know those of the others before any of them listens. */
    static List<Integer> freePorts(BrokerName name, int count) throws BrokerException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } catch (IOException e) {
            throw new BrokerException("Broker " + name + " finds no free port (" + e.getMessage() + ").", e);
        } finally {
            for (ServerSocket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // nobody ever connected to it
                }
            }
        }
    }

    /** Ends all processes and deletes the common directory, unless it is kept. Idempotent. */
    @Override
    public void close() {
        List<BrokerProcess> running;
        synchronized (processes) {
            running = List.copyOf(processes);
        }
        running.reversed().forEach(BrokerProcess::close);
        if (!options.keep()) {
            DirectoryTree.delete(directory);
        }
    }
}
