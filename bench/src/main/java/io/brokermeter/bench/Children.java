package io.brokermeter.bench;

import java.util.List;

/** The processes that this one started. */
final class Children {

    private Children() {}

    /** Ends them, and what they started in turn, when this process ends, by a signal too: some of the other tools' run for ever. */
    static void endWithThisProcess() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            // A list first: who loses its parent is no descendant any more.
            List<ProcessHandle> descendants = ProcessHandle.current().descendants().toList();
            descendants.forEach(ProcessHandle::destroy);
        }, "brokermeter-bench-end"));
    }
}
