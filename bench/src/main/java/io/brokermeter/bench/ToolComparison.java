package io.brokermeter.bench;

/**
 * The same work by two tools.
 *
 * @param name its name on the command line
 * @param title its name in the table
 * @param timed whether both run for a duration, not for a number of messages
 * @param theirs the other tool
 * @param ours brokermeter
 */
record ToolComparison(String name, String title, boolean timed, Tool theirs, Tool ours) {}
