package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.Set;

/** What a command does, once its options are read. */
interface Action {

    /** Measures, so that nobody on this machine may prepare starts meanwhile, and starts are prepared behind it. */
    interface Measuring extends Action {}

    /**
     * Does it and returns the exit status.
     *
     * @throws io.brokermeter.engine.scenario.UsageException for what the user must change; nothing was left behind
     */
    int run(PrintStream out, PrintStream err) throws Exception;

    /** Whether the user wants to see more of an error. */
    default boolean verbose() {
        return false;
    }

    /** The protocols that it spoke. */
    default Set<String> protocols() {
        return Set.of();
    }
}
