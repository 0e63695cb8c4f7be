package io.brokermeter.bench;

import java.util.List;

/** The child processes of this JVM. */
final class Children {

    private Children() {}

    /** Ends the children and their descendants when this JVM ends, also by a signal, since some of the other tools would run forever. */
    static void endWithThisProcess() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            // Collected first: a process that loses its parent is no longer a descendant.
            List<ProcessHandle> descendants = ProcessHandle.current().descendants().toList();
            descendants.forEach(ProcessHandle::destroy);
        }, "brokermeter-bench-end"));
    }
}
