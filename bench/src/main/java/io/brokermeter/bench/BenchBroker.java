package io.brokermeter.bench;

import java.util.List;
import java.util.stream.Stream;

/** A broker that belongs to neither tool, with the comparisons that run on it. */
interface BenchBroker extends AutoCloseable {

    /** Returns the names of the comparisons, without starting anything. */
    List<String> names();

    /** Fetches the other tool, starts the broker, and returns the comparisons. */
    List<ToolComparison> open() throws Exception;

    /** Returns the processes of the running broker. */
    Stream<ProcessHandle> processes();

    /** Ends the broker. */
    @Override
    void close() throws Exception;
}
