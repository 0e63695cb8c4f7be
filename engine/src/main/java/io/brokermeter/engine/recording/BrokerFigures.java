package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The figures of the broker over the measured part of a run, which the generator's own figures cover, too: without the drain, unless
 * consumers started only then. Unknown figures are NaN, or -1 if they are whole numbers.
 *
 * @param observed what was watched, for display, for example {@code java (pid 4711)}; empty if only the depth was queried
 * @param seconds length of the time that was watched
 * @param cpuSeconds CPU time of the broker's processes
 * @param localCpuSeconds the part of this CPU time that the operating system of this machine counted; the rest is that of other
 *     machines, or of processes that are not known here
 * @param cpuPercent mean use of processors, 100 for one whole core
 * @param cpuPercentMax use of processors in the busiest second
 * @param residentBytes mean resident memory
 * @param residentBytesMax largest resident memory
 * @param memoryPercent mean share of the machine's memory
 * @param memoryPercentMax largest share of the machine's memory
 * @param waitingPercent time for which threads of the broker were ready to run, without a processor, all added up, 100 for all of the time
 * @param threadsMax largest number of threads
 * @param busiestThread name of the thread that used most CPU time, as the kernel truncates it; empty if unknown
 * @param busiestThreadPercent CPU time of that thread, 100 for a whole processor
 * @param openFilesMax largest number of open files, sockets included
 * @param diskReadBytes bytes read from storage
 * @param diskWrittenBytes bytes written to storage
 * @param voluntarySwitches number of times that threads of the broker gave up a processor to wait
 * @param involuntarySwitches number of times that a processor was taken from threads of the broker
 * @param heapUsedBytesMax largest heap in use
 * @param heapMaxBytes size to which the heap may grow
 * @param gcCount number of garbage collection pauses
 * @param gcMillis total length of these pauses
 * @param depthMax largest number of messages that waited in the run's destinations
 * @param metrics last values of further figures that the user asked for, by name
 */
public record BrokerFigures(
        String observed, double seconds, double cpuSeconds, double localCpuSeconds, double cpuPercent, double cpuPercentMax,
        long residentBytes,
        long residentBytesMax, double memoryPercent, double memoryPercentMax, double waitingPercent, int threadsMax, String busiestThread,
        double busiestThreadPercent, int openFilesMax,
        long diskReadBytes, long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches, long heapUsedBytesMax,
        long heapMaxBytes, long gcCount, long gcMillis, long depthMax, Map<String, Double> metrics) {

    /** Figures that are all unknown. */
    public static final BrokerFigures UNKNOWN = of(its -> {});

    /** Mutable figures of a {@link BrokerFigures}, unknown by default. */
    public static final class Values {

        public String observed = "";
        public double seconds = Double.NaN;
        public double cpuSeconds = Double.NaN;
        public double localCpuSeconds = Double.NaN;
        public double cpuPercent = Double.NaN;
        public double cpuPercentMax = Double.NaN;
        public long residentBytes = -1;
        public long residentBytesMax = -1;
        public double memoryPercent = Double.NaN;
        public double memoryPercentMax = Double.NaN;
        public double waitingPercent = Double.NaN;
        public int threadsMax = -1;
        public String busiestThread = "";
        public double busiestThreadPercent = Double.NaN;
        public int openFilesMax = -1;
        public long diskReadBytes = -1;
        public long diskWrittenBytes = -1;
        public long voluntarySwitches = -1;
        public long involuntarySwitches = -1;
        public long heapUsedBytesMax = -1;
        public long heapMaxBytes = -1;
        public long gcCount = -1;
        public long gcMillis = -1;
        public long depthMax = -1;
        public Map<String, Double> metrics = Map.of();

        private Values() {}
    }

    /** Creates an instance from the figures that {@code change} sets. */
    public static BrokerFigures of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new BrokerFigures(its.observed, its.seconds, its.cpuSeconds, its.localCpuSeconds, its.cpuPercent, its.cpuPercentMax,
            its.residentBytes,
            its.residentBytesMax, its.memoryPercent, its.memoryPercentMax, its.waitingPercent, its.threadsMax,
            its.busiestThread, its.busiestThreadPercent, its.openFilesMax,
            its.diskReadBytes, its.diskWrittenBytes, its.voluntarySwitches, its.involuntarySwitches, its.heapUsedBytesMax,
            its.heapMaxBytes, its.gcCount, its.gcMillis, its.depthMax, its.metrics);
    }

    public BrokerFigures {
        // in the order that the user asked for
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    /** Returns these figures with another largest number of messages that waited in the broker. */
    public BrokerFigures withDepthMax(long waiting) {
        return new BrokerFigures(observed, seconds, cpuSeconds, localCpuSeconds, cpuPercent, cpuPercentMax, residentBytes, residentBytesMax,
            memoryPercent, memoryPercentMax, waitingPercent, threadsMax, busiestThread, busiestThreadPercent, openFilesMax, diskReadBytes,
            diskWrittenBytes,
            voluntarySwitches,
            involuntarySwitches, heapUsedBytesMax, heapMaxBytes, gcCount, gcMillis, waiting, metrics);
    }
}
