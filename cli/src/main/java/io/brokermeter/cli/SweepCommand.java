package io.brokermeter.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What commands have in common that run trials, each in a process of its own. */
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
