package io.brokermeter.engine.health;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Garbage collections that stopped the program, since it began.
 *
 * @param pauses how many
 * @param millis how long they were together
 */
record Garbage(long pauses, long millis) {

    /** What the collectors of this JVM have for their pauses. Takes a tenth of a second to load the first time. */
    static List<GarbageCollectorMXBean> collectors() {
        return pausing(ManagementFactory.getGarbageCollectorMXBeans());
    }

    /** Collectors that work beside the program have a bean for their pauses and one for their cycles, in which the program goes on. */
    static List<GarbageCollectorMXBean> pausing(List<GarbageCollectorMXBean> all) {
        return all.stream().filter(collector -> !collector.getName().endsWith(" Cycles")).toList();
    }

    /** Up to now. */
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
