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
     * This machine: the same JVM with the same options and the same class path.
     *
     * @param main runs a worker when it is called with {@link Worker#COMMAND}
     */
    static WorkerPlace here(Class<?> main) {
        return log -> {
            List<String> command = new ArrayList<>();
            command.add(ProcessHandle.current().info().command()
                    .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), Worker.COMMAND));
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
            // What is set there was for this process, passwords among it.
            builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
            return builder.start();
        };
    }
}
