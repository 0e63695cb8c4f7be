package io.brokermeter.trials;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the workers of a sweep run. */
public interface WorkerPlace {

    /**
     * Starts a process that waits for its order: a {@link Worker} whose standard streams are those of the answer.
     *
     * @param log where its standard error goes
     */
    Process start(Path log) throws IOException;

    /**
     * This machine: the same JVM with the same class path and the same options, but with a larger heap when the user chose none.
     *
     * @param main runs a worker when it is called with {@link Worker#COMMAND}
     */
    static WorkerPlace here(Class<?> main) {
        return log -> {
            List<String> command = new ArrayList<>();
            command.add(ProcessHandle.current().info().command()
                    .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(heap());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), Worker.COMMAND));
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
            // What is set there was for this process, passwords among it.
            builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
            return builder.start();
        };
    }

    /**
     * A trial may have thousands of messages in flight, which survive a collection of a small young generation, and collections
     * then take several percent of the time of a busy machine. What the launcher gives to every command is meant to be small.
     *
     * @return options that take the place of the ones before them
     */
    private static List<String> heap() {
        boolean chosen = System.getenv("JAVA_ARGS") != null || System.getProperty("brokermeter.jvm") == null;
        boolean large = ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine
                && machine.getTotalMemorySize() >= 4L << 30;
        return large && !chosen ? List.of("-Xms384m", "-Xmn320m", "-Xmx768m") : List.of();
    }
}
