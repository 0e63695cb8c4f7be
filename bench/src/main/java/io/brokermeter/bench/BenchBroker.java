package io.brokermeter.bench;

import java.util.List;

/** A broker that belongs to neither tool, with the comparisons that run on it. */
interface BenchBroker extends AutoCloseable {

    /** Returns the names of the comparisons, without starting anything. */
    List<String> names();

    /** Fetches the other tool, starts the broker, and returns the comparisons. */
    List<ToolComparison> open() throws Exception;

    /** Ends the broker. */
    @Override
    void close() throws Exception;
}
