package io.brokermeter.engine.health;

/**
 * The resources that the generator's own process has used up to a moment. Figures that the system does not report are -1.
 *
 * @param cpuSeconds user and system CPU time since the process began
 * @param residentBytes resident memory now
 * @param heapUsedBytes heap in use now, garbage included
 * @param gcPauses number of pauses for garbage collection since the process began
 * @param gcPauseMillis total length of these pauses
 */
public record GeneratorReading(double cpuSeconds, long residentBytes, long heapUsedBytes, long gcPauses, long gcPauseMillis) {

    /** Takes a reading of CPU time alone, without the collectors' counters, which take a tenth of a second to load. */
    public static GeneratorReading cpuOnly() {
        return new GeneratorReading(Proc.cpuSeconds(), -1, -1, 0, 0);
    }

    /** Takes a reading from two small files of /proc and the collectors' counters. Any thread may call it. */
    public static GeneratorReading now() {
        Runtime runtime = Runtime.getRuntime();
        Garbage garbage = Garbage.of(Garbage.collectors());
        return new GeneratorReading(Proc.cpuSeconds(), Proc.residentBytesNow(), runtime.totalMemory() - runtime.freeMemory(),
            garbage.pauses(), garbage.millis());
    }
}
