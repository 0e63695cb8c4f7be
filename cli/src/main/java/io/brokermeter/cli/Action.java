package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.Set;

import io.brokermeter.cli.prepare.CacheTraining;

/** A command whose options were read. */
public interface Action {

    /**
     * A command that measures. A measurement does not begin while another process of this machine trains the JVM's cache, and such a
     * training may follow it; see {@link CacheTraining}.
     */
    interface Measuring extends Action {

        /** Returns whether the command measures, and does not only print what it would measure. */
        default boolean isMeasuring() {
            return true;
        }
    }

    /**
     * Runs the command and returns the exit status.
     *
     * @throws io.brokermeter.engine.scenario.UsageException for what the user must change; nothing was left behind
     */
    int run(PrintStream out, PrintStream err) throws Exception;

    /** Returns whether the user asked for the details of an error. */
    default boolean verbose() {
        return false;
    }

    /** Returns the protocols that the command used. */
    default Set<String> protocols() {
        return Set.of();
    }
}
