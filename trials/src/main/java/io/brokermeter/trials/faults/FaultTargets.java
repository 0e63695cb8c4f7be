package io.brokermeter.trials.faults;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.observe.LocalProcesses;
import io.brokermeter.brokers.process.ForeignProcess;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The targets of the faults of a scenario.
 *
 * @param broker the broker that is started for the run, or null for one that runs already
 * @param options options of the broker that is started
 * @param urls the URLs to which the run connects
 * @param owned whether the user declares that a broker that runs already is theirs to stop
 * @param directory the working directory of commands
 */
public record FaultTargets(@Nullable BrokerName broker, BrokerOptions options, List<String> urls, boolean owned, Path directory) {

    /** Thrown for a fault that cannot be carried out, with its number from 1. */
    public static final class Refused extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int number;
        private final UsageException reason;

        Refused(int number, UsageException reason) {
            super(reason);
            this.number = number;
            this.reason = reason;
        }

        public int number() {
            return number;
        }

        public UsageException reason() {
            return reason;
        }
    }

    /**
     * Checks everything about faults that can be checked before anything starts.
     *
     * @throws Refused for the first fault that cannot be carried out
     */
    public void check(List<Fault> faults) {
        List<Set<Integer>> nodes = new ArrayList<>();
        for (int i = 0; i < faults.size(); i++) {
            try {
                Fault fault = faults.get(i);
                nodes.add(nodes(fault));
                for (int j = 0; j < i; j++) {
                    // A number and a role may name the same node.
                    Set<Integer> common = new HashSet<>(nodes.get(i));
                    common.retainAll(nodes.get(j));
                    if (!common.isEmpty()) {
                        fault.requireBeside(faults.get(j), true);
                    }
                }
            } catch (UsageException e) {
                throw new Refused(i + 1, e);
            }
        }
    }

    /** Returns the indexes of the broker's processes on which a fault acts; empty when it acts on something else. */
    private Set<Integer> nodes(Fault fault) {
        switch (fault.action().subject()) {
            case PROCESS -> {
                if (fault.pid() >= 0 || fault.port() >= 0 || broker == null) {
                    checkForeign(fault);
                    return Set.of();
                }
                try {
                    if (fault.action() == Fault.Action.FILL) {
                        Broker.requireDiskLimit(broker, options);
                    }
                    return new HashSet<>(Broker.nodesNamed(broker, options.topology(), fault.target()));
                } catch (IllegalArgumentException e) {
                    throw new UsageException("Fault '" + fault + "': " + e.getMessage());
                }
            }
            case COMMAND -> checkCommand(fault);
            case CONNECTION -> {}
        }
        return Set.of();
    }

    private void checkForeign(Fault fault) {
        if (fault.action() == Fault.Action.FILL) {
            throw new UsageException("Fault '" + fault + "' needs a broker that is started for this run, since nobody else's limit of its "
                + "disk is changed.");
        }
        if (!owned) {
            throw new UsageException("Fault '" + fault + "' is about a broker that was not started for this run; %s says that it is yours "
                + "to stop.", Setting.I_OWN_THIS_BROKER);
        }
        if (fault.action() == Fault.Action.RESTART || fault.action() != Fault.Action.PAUSE && fault.length() != null) {
            throw new UsageException("Fault '" + fault + "' starts a broker again that brokermeter did not start, and how is not known: "
                + (fault.action() == Fault.Action.RESTART ? "say 'stop'" : "leave 'for' out") + ", and start it with a fault 'run'.");
        }
        if (!fault.target().equals(Fault.BROKER) && fault.pid() < 0 && fault.port() < 0) {
            throw new UsageException(
                "Fault '" + fault + "' names a process of a topology, and the broker was not started for this run: say "
                    + "'pid N' or 'port N'.");
        }
        try {
            foreign(fault);
        } catch (IllegalArgumentException e) {
            throw new UsageException("Fault '" + fault + "': " + e.getMessage());
        }
    }

    /**
     * Returns the processes of this machine that were not started for the run, and on which a fault acts.
     *
     * @throws IllegalArgumentException with one sentence, when there are none
     */
    List<ForeignProcess> foreign(Fault fault) {
        if (fault.pid() >= 0) {
            return List.of(ForeignProcess.of(fault.pid()));
        }
        LocalProcesses found =
            fault.port() >= 0 ? LocalProcesses.listeningOn((int) fault.port()) : LocalProcesses.ofUrls(urls);
        if (found.pids().isEmpty()) {
            throw new IllegalArgumentException("Its process is not known, because " + found.trouble() + ".");
        }
        return found.pids().stream().map(ForeignProcess::of).toList();
    }

    /** Checks the program of a command. The command itself is interpreted by the shell; a program that is named by its path must exist. */
    private void checkCommand(Fault fault) {
        String program = fault.target().split("\\s+", 2)[0];
        if (!program.matches("[A-Za-z0-9._/+-]*/[A-Za-z0-9._/+-]*")) {
            return;
        }
        Path file;
        try {
            file = directory.resolve(program);
        } catch (InvalidPathException e) {
            return;
        }
        if (!Files.isRegularFile(file)) {
            throw new UsageException("Fault '" + fault + "': there is no program " + file + ".");
        }
        if (!Files.isExecutable(file)) {
            throw new UsageException("Fault '" + fault + "': " + file + " is not executable; chmod +x makes it so.");
        }
    }
}
