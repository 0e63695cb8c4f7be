package io.brokermeter.brokers.observe;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A figure of processes or JVMs: amounts, which only grow, and levels. */
enum ProcessFigure {

    SECONDS, CPU_SECONDS, DISK_READ_BYTES, DISK_WRITTEN_BYTES, VOLUNTARY_SWITCHES, INVOLUNTARY_SWITCHES, GC_COUNT, GC_MILLIS,
    CPU_PERCENT, RESIDENT_BYTES, MEMORY_PERCENT, THREADS, OPEN_FILES, HEAP_USED_BYTES, HEAP_COMMITTED_BYTES, HEAP_MAX_BYTES;

    static final Set<ProcessFigure> AMOUNTS = Collections.unmodifiableSet(EnumSet.range(SECONDS, GC_MILLIS));
    static final Set<ProcessFigure> LEVELS = Collections.unmodifiableSet(EnumSet.range(CPU_PERCENT, HEAP_MAX_BYTES));
}
