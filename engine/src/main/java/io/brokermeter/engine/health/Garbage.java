package io.brokermeter.engine.health;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The pauses for garbage collection since the start of this JVM.
 *
 * @param pauses number of pauses
 * @param millis total length of the pauses, in milliseconds
 */
record Garbage(long pauses, long millis) {

    /** Returns the beans of this JVM that count pauses. The first call takes a tenth of a second to load them. */
    static List<GarbageCollectorMXBean> collectors() {
        return pausing(ManagementFactory.getGarbageCollectorMXBeans());
    }

    /** Returns the beans that count pauses. Concurrent collectors also have a bean for cycles, during which the program goes on. */
    static List<GarbageCollectorMXBean> pausing(List<GarbageCollectorMXBean> all) {
        return all.stream().filter(collector -> !collector.getName().endsWith(" Cycles")).toList();
    }

    /** Returns the pauses up to now. */
    static Garbage of(List<GarbageCollectorMXBean> collectors) {
        long pauses = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            pauses += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        return new Garbage(pauses, millis);
    }
}
