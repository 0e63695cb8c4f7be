package io.brokermeter.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The base of commands that run trials, each trial in a process of its own. */
abstract class SweepCommand implements Action.Measuring {

    @Option(names = "--verbose", order = 30, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public final boolean verbose() {
        return verbose;
    }
}
