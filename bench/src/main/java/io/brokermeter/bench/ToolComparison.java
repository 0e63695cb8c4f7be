package io.brokermeter.bench;

/**
 * A comparison of two tools with the same work.
 *
 * @param name name on the command line
 * @param title name in the table
 * @param timed whether both run for a duration instead of a number of messages
 * @param theirs the other tool
 * @param ours brokermeter
 */
record ToolComparison(String name, String title, boolean timed, ComparedTool theirs, ComparedTool ours) {}
