package io.brokermeter.experiment;

/**
 * Where something was written.
 *
 * @param origin the file, or the option with its value
 * @param line from 1, or 0 when the origin has no lines
 * @param column from 1, or 0
 */
record Place(String origin, int line, int column) {

    /** {@code FILE:LINE}, or the option. */
    @Override
    public String toString() {
        return line == 0 ? origin : origin + ":" + line;
    }
}
