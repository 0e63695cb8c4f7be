package io.brokermeter.engine.health;

/**
 * What the generator's own process has used up to a moment. What the system does not report is -1.
 *
 * @param cpuSeconds user and system CPU time since the process began
 * @param residentBytes memory that is in RAM now
 * @param heapUsedBytes heap in use now, garbage included
 * @param gcPauses pauses for garbage collection since the process began
 * @param gcPauseMillis time in them
 */
public record GeneratorReading(double cpuSeconds, long residentBytes, long heapUsedBytes, long gcPauses, long gcPauseMillis) {

    /** A reading of CPU time alone, as if nothing else had been used: the collectors' counters take a tenth of a second to load. */
    public static GeneratorReading cpuOnly() {
        return new GeneratorReading(Proc.cpuSeconds(), -1, -1, 0, 0);
    }

    /** Takes a reading: two small files of /proc and the collectors' counters. Any thread. */
    public static GeneratorReading now() {
        Runtime runtime = Runtime.getRuntime();
        Garbage garbage = Garbage.of(Garbage.collectors());
        return new GeneratorReading(Proc.cpuSeconds(), Proc.residentBytesNow(), runtime.totalMemory() - runtime.freeMemory(),
            garbage.pauses(), garbage.millis());
    }
}
