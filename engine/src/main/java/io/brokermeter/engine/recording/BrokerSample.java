package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A sample of the broker: the last values of levels, and the growth of counters since the sample before. Unknown figures are
 * NaN, or -1 if they are whole numbers.
 *
 * @param seconds time that the growth and the mean CPU cover, NaN if no process or endpoint is watched
 * @param usage resources that all processes of the broker together used
 * @param heap heaps of all JVMs of the broker together
 * @param depth number of messages that wait in the run's destinations
 * @param metrics further figures that the user asked for, by name
 * @param processes the processes one by one, when there are several; empty otherwise
 */
public record BrokerSample(
        double seconds, Usage usage, Heap heap, long depth, Map<String, Double> metrics, List<Part> processes) {

    /** A sample in which everything is unknown. */
    public static final BrokerSample UNKNOWN =
        new BrokerSample(Double.NaN, Usage.UNKNOWN, Heap.UNKNOWN, -1, Map.of(), List.of());

    public BrokerSample {
        // in the order that the user asked for
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
        processes = List.copyOf(processes);
    }

    /** Returns this sample with another number of messages that wait in the broker. */
    public BrokerSample withDepth(long waiting) {
        return new BrokerSample(seconds, usage, heap, waiting, metrics, processes);
    }

    /**
     * The resources that processes use, as the operating system reports them.
     *
     * @param cpuPercent mean use of processors, 100 for one whole core
     * @param residentBytes resident memory; pages that processes share are counted for each of them
     * @param memoryPercent resident memory as a percentage of the machine's memory
     * @param threads number of threads
     * @param openFiles number of open files, sockets included
     * @param diskReadBytes growth of the bytes read from storage
     * @param diskWrittenBytes growth of the bytes written to storage
     * @param voluntarySwitches number of times since the sample before that a thread gave up a processor to wait
     * @param involuntarySwitches number of times since the sample before that a processor was taken from a thread
     */
    public record Usage(
            double cpuPercent, long residentBytes, double memoryPercent, int threads, int openFiles, long diskReadBytes,
            long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches) {

        public static final Usage UNKNOWN = new Usage(Double.NaN, -1, Double.NaN, -1, -1, -1, -1, -1, -1);

    }

    /**
     * The heaps of JVMs, as they report them.
     *
     * @param usedBytes heap in use
     * @param committedBytes heap that the operating system has committed
     * @param maxBytes size to which the heap may grow
     * @param gcCount number of garbage collection pauses since the sample before
     * @param gcMillis total length of these pauses
     */
    public record Heap(long usedBytes, long committedBytes, long maxBytes, long gcCount, long gcMillis) {

        public static final Heap UNKNOWN = new Heap(-1, -1, -1, -1, -1);
    }

    /**
     * One of several processes.
     *
     * @param name name of the program
     * @param pid process id
     */
    public record Part(String name, long pid, Usage usage) {}
}
