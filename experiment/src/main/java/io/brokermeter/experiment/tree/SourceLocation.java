package io.brokermeter.experiment.tree;

/**
 * The place where a key or value was written.
 *
 * @param origin the file, or the option with its value
 * @param line line from 1, or 0 when the origin has no lines
 * @param column column from 1, or 0
 */
public record SourceLocation(String origin, int line, int column) {

    /** Returns {@code FILE:LINE}, or the option. */
    @Override
    public String toString() {
        return line == 0 ? origin : origin + ":" + line;
    }
}
