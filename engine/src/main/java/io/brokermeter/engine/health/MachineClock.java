package io.brokermeter.engine.health;

import java.util.Set;

/**
 * The clock that all times are read from.
 *
 * @param source source from which the kernel reads the clock, for example {@code tsc}; empty if unknown
 * @param nanosPerReading mean time that a reading takes, the least of several series, in nanoseconds
 */
record MachineClock(String source, double nanosPerReading) {

    /** The sources that need a call into the kernel and a slow device, or that advance in steps of milliseconds. */
    private static final Set<String> COARSE = Set.of("acpi_pm", "hpet", "jiffies", "pit", "refined-jiffies");

    /** Measures the clock of this machine; takes some microseconds, with a slow clock a millisecond. */
    static MachineClock look() {
        double least = Double.MAX_VALUE;
        for (int series = 0; series < 10; series++) {
            long began = System.nanoTime();
            for (int i = 0; i < 98; i++) {
                System.nanoTime();
            }
            least = Math.min(least, (System.nanoTime() - began) / 99.0);
        }
        return new MachineClock(Proc.clockSource(), least);
    }

    boolean isCoarse() {
        return COARSE.contains(source);
    }
}
