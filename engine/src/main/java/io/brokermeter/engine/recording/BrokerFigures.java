package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What was seen of the broker over the measured part, as the generator's own figures are: without the drain, unless consumers came
 * only then. Figures that are not known are NaN, whole ones -1.
 *
 * @param observed what was watched, for people, for example {@code java (pid 4711)}; empty when only the depth was asked
 * @param seconds length of the time that was watched
 * @param cpuSeconds CPU time of its processes
 * @param localCpuSeconds as much of it as the operating system of this machine counted; the rest is that of other machines, or of processes that
 *     are not known here
 * @param cpuPercent mean use of processors, 100 for one whole core
 * @param cpuPercentMax the same in its busiest second
 * @param residentBytes mean memory in RAM
 * @param residentBytesMax the most of it
 * @param memoryPercent mean share of the machine's memory
 * @param memoryPercentMax the most of it
 * @param threadsMax most threads
 * @param openFilesMax most open files, sockets included
 * @param diskReadBytes bytes read from storage
 * @param diskWrittenBytes bytes given to storage
 * @param voluntarySwitches how often its threads gave up a processor to wait
 * @param involuntarySwitches how often a processor was taken from its threads
 * @param heapUsedBytesMax most heap in use
 * @param heapMaxBytes what the heap may grow to
 * @param gcCount garbage collection pauses
 * @param gcMillis time in them
 * @param depthMax most messages that waited in the run's destinations
 * @param metrics further figures that the user asked for, as they were last, by name
 */
public record BrokerFigures(
        String observed, double seconds, double cpuSeconds, double localCpuSeconds, double cpuPercent, double cpuPercentMax,
        long residentBytes,
        long residentBytesMax, double memoryPercent, double memoryPercentMax, int threadsMax, int openFilesMax,
        long diskReadBytes, long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches, long heapUsedBytesMax,
        long heapMaxBytes, long gcCount, long gcMillis, long depthMax, Map<String, Double> metrics) {

    /** Nothing is known. */
    public static final BrokerFigures UNKNOWN = of(its -> {});

    /** The figures by name, each unknown as long as it is not set. */
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
        public int threadsMax = -1;
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

    /** Nothing is known but what {@code change} sets. */
    public static BrokerFigures of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new BrokerFigures(its.observed, its.seconds, its.cpuSeconds, its.localCpuSeconds, its.cpuPercent, its.cpuPercentMax,
            its.residentBytes,
            its.residentBytesMax, its.memoryPercent, its.memoryPercentMax, its.threadsMax, its.openFilesMax,
            its.diskReadBytes, its.diskWrittenBytes, its.voluntarySwitches, its.involuntarySwitches, its.heapUsedBytesMax,
            its.heapMaxBytes, its.gcCount, its.gcMillis, its.depthMax, its.metrics);
    }

    public BrokerFigures {
        // in the order that the user asked for
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    /** The same with this greatest number of messages that waited in the broker. */
    public BrokerFigures withDepthMax(long waiting) {
        return new BrokerFigures(observed, seconds, cpuSeconds, localCpuSeconds, cpuPercent, cpuPercentMax, residentBytes, residentBytesMax,
            memoryPercent, memoryPercentMax, threadsMax, openFilesMax, diskReadBytes, diskWrittenBytes, voluntarySwitches,
            involuntarySwitches, heapUsedBytesMax, heapMaxBytes, gcCount, gcMillis, waiting, metrics);
    }
}
