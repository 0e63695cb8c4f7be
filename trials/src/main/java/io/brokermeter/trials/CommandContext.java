package io.brokermeter.trials;

import java.io.PrintStream;

/**
 * What a command gives to all that it runs.
 *
 * @param place where processes of this machine run
 * @param out what is said of it
 * @param err warnings, and how far it has come
 */
public record CommandContext(WorkerPlace place, PrintStream out, PrintStream err) {}
