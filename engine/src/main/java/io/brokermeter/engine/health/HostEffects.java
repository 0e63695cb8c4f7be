package io.brokermeter.engine.health;

/**
 * The effects of the generator's machine on its threads over the measured part of a run.
 *
 * @param waitingPercent time for which threads of the generator that were ready to run waited for a processor, summed over all
 *     threads, in percent of the time; -1 if unknown
 * @param busiestThread name of the thread that used most CPU time, as the kernel truncates it; empty if unknown
 * @param busiestThreadPercent CPU time of that thread, 100 for a whole processor
 * @param throttledPercent time for which the CPU limit of the control group stopped the generator, in percent of the time
 * @param clockSource source from which the kernel reads the clock, for example {@code tsc}; empty if unknown
 * @param clockReadingNanos time that a reading of the clock takes; -1 if unknown
 * @param clockAndWakeMicros median time from reading the clock before a write to a socket until another thread has read the data and
 *     the clock, on the loopback interface and without a broker, which is the generator's own share of every time; -1 if unknown
 */
public record HostEffects(
        double waitingPercent, String busiestThread, double busiestThreadPercent, double throttledPercent, String clockSource,
        double clockReadingNanos, double clockAndWakeMicros) {

    /** Effects that are all unknown. */
    public static final HostEffects UNKNOWN = new HostEffects(-1, "", 0, 0, "", -1, -1);

}
