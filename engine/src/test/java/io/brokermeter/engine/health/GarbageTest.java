package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.reflect.Proxy;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Known answers for garbage collectors with the names that JDK 25 gives them. */
class GarbageTest {

    private static GarbageCollectorMXBean bean(String name, long count, long millis) {
        return (GarbageCollectorMXBean) Proxy.newProxyInstance(GarbageTest.class.getClassLoader(),
            new Class<?>[] {GarbageCollectorMXBean.class}, (_, method, _) -> switch (method.getName()) {
                case "getName" -> name;
                case "getCollectionCount" -> count;
                case "getCollectionTime" -> millis;
                default -> throw new UnsupportedOperationException(method.getName());
            });
    }

    private static Garbage of(GarbageCollectorMXBean... beans) {
        return Garbage.of(Garbage.pausing(List.of(beans)));
    }

    /** A concurrent cycle of 630 ms pauses the program for only 2 ms. */
    @Test
    void whatACollectorDoesBesideTheProgramIsNoPause() {
        assertThat(of(bean("ZGC Minor Cycles", 7, 630), bean("ZGC Minor Pauses", 21, 2), bean("ZGC Major Cycles", 1, 900),
            bean("ZGC Major Pauses", 4, 1))).isEqualTo(new Garbage(25, 3));
        assertThat(of(bean("Shenandoah Pauses", 12, 5), bean("Shenandoah Cycles", 3, 400))).isEqualTo(new Garbage(12, 5));
    }

    @Test
    void collectorsThatStopTheProgramCountAsAWhole() {
        assertThat(of(bean("Copy", 10, 30), bean("MarkSweepCompact", 1, 70))).isEqualTo(new Garbage(11, 100));
        assertThat(of(bean("G1 Young Generation", 10, 30), bean("G1 Concurrent GC", 2, 4), bean("G1 Old Generation", -1, -1)))
            .isEqualTo(new Garbage(12, 34));
    }
}
