package io.brokermeter.engine.health;

import java.util.function.Consumer;

/**
 * What the generator's machine did to its threads over the measured part of a run.
 *
 * @param waitingPercent how long threads of the generator that were ready to run waited for a processor, all of them added up, in
 *     percent of the time; -1 when unknown
 * @param busiestThread the thread that used most CPU time, as the kernel cuts its name; empty when unknown
 * @param busiestThreadPercent its CPU time, 100 for a whole processor
 * @param throttledPercent how long the CPU limit of the control group stopped the generator, in percent of the time
 * @param clockSource what the kernel reads the clock from, for example {@code tsc}; empty when unknown
 * @param clockReadingNanos what a reading of the clock costs
 * @param clockAndWakeMicros median from reading the clock before a write to a socket until another thread has read it and the clock, on the
 *     loopback interface and without a broker: what is the generator's own in every time; -1 when unknown
 */
public record Host(
        double waitingPercent, String busiestThread, double busiestThreadPercent, double throttledPercent, String clockSource,
        double clockReadingNanos, double clockAndWakeMicros) {

    /** Nothing is known. */
    public static final Host UNKNOWN = of(_ -> {});

    /** What it is made of by name; what is not set is not known. */
    public static final class Values {

        public double waitingPercent = -1;
        public String busiestThread = "";
        public double busiestThreadPercent;
        public double throttledPercent;
        public String clockSource = "";
        public double clockReadingNanos = -1;
        public double clockAndWakeMicros = -1;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Host of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Host(its.waitingPercent, its.busiestThread, its.busiestThreadPercent, its.throttledPercent, its.clockSource,
            its.clockReadingNanos, its.clockAndWakeMicros);
    }
}
