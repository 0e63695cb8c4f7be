package io.brokermeter.trials.worker;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.proc.ChildEnvironment;
import io.brokermeter.trials.agents.deploy.LocalAgent;

/** The place where the workers of a sweep run. */
public interface WorkerLauncher {

    /**
     * Starts a process that waits for its order: a {@link Worker} whose standard streams are those of the returned process.
     *
     * @param log file for its standard error
     */
    Process start(Path log) throws IOException;

    /** Returns the builder of a process at this place that is an agent of this tool: {@link LocalAgent}. */
    default ProcessBuilder agent() {
        throw new UnsupportedOperationException("No agents are started here.");
    }

    /**
     * Returns this machine as a place. Workers run in the same JVM with the same class path and the same options, but with a larger heap
     * when the user chose none.
     *
     * @param main runs a worker when it is called with {@link Worker#COMMAND}, and an agent with {@link LocalAgent#COMMAND}
     */
    static WorkerLauncher here(Class<?> main) {
        return here(main, List.of());
    }

    /** Returns this machine as a place for workers that go by the clock of another machine, whose offset they receive as lines. */
    static WorkerLauncher following(Class<?> main) {
        return here(main, List.of("-D" + EpochClock.FOLLOWS + "=true"));
    }

    private static WorkerLauncher here(Class<?> main, List<String> options) {
        return new WorkerLauncher() {
            @Override
            public Process start(Path log) throws IOException {
                List<String> more = new ArrayList<>(heap());
                more.addAll(options);
                return process(main, Worker.COMMAND, more).redirectError(log.toFile()).start();
            }

            @Override
            public ProcessBuilder agent() {
                ProcessBuilder builder = process(main, LocalAgent.COMMAND, List.of());
                // Signals to the group of this process are handled by this process; its agents end with it.
                builder.command().addAll(0, List.of("sh", "-c",
                    "command -v setsid >/dev/null 2>&1 && exec setsid \"$@\"; exec \"$@\"", "brokermeter-agent"));
                return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
            }
        };
    }

    /**
     * Returns the builder of a process in which a command of this tool runs, without the variables that are for this tool alone.
     *
     * @param main the main class
     * @param caller the word that stands before the command
     */
    static ProcessBuilder command(Class<?> main, String caller, List<String> words) {
        ProcessBuilder builder = process(main, caller, List.of());
        builder.command().addAll(words);
        return builder;
    }

    private static ProcessBuilder process(Class<?> main, String word, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command()
            .orElseGet(() -> Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), word));
        return ChildEnvironment.withoutOwnVariables(new ProcessBuilder(command));
    }

    /**
     * Returns JVM options for the heap of a worker. A trial may have tens of MiB of messages in flight, all of which a collection copies,
     * and on a busy machine the collector's thread waits for a processor as well. So few collections matter more here than little memory,
     * which is what the launcher's own options are for: the options give a sixteenth of the machine's memory to new objects, at most 2 GiB.
     *
     * @return options that take precedence over the ones before them; empty when the user has chosen some
     */
    private static List<String> heap() {
        boolean chosen = System.getenv("JAVA_ARGS") != null || System.getProperty("brokermeter.jvm") == null;
        if (chosen || !(ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean machine)) {
            return List.of();
        }
        long young = Math.min(2048, machine.getTotalMemorySize() >> 24);
        return young < 128 ? List.of() : List.of("-Xms" + (young + 64) + "m", "-Xmn" + young + "m", "-Xmx" + (young + 512) + "m");
    }
}
