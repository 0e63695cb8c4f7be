package io.brokermeter.bench;

import java.util.List;

/** A broker that belongs to neither tool, with the contests that are held on it. */
interface BenchBroker extends AutoCloseable {

    /** What the contests are called, without starting anything. */
    List<String> names();

    /** Fetches the other tool and starts the broker; the contests then. */
    List<ToolComparison> open() throws Exception;

    /** Ends the broker. */
    @Override
    void close() throws Exception;
}
