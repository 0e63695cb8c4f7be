package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What was seen of the broker since the sample before: levels as they were last, amounts as they grew. Figures that are
 * not known are NaN, whole ones -1.
 *
 * @param seconds the time that amounts and the mean CPU cover, NaN when no process or endpoint is watched
 * @param usage what all its processes together used
 * @param heap the heaps of all its JVMs together
 * @param depth messages that wait in the run's destinations
 * @param metrics further figures that the user asked for, by name
 * @param processes the processes one by one, when there are several; empty otherwise
 */
public record BrokerSample(
        double seconds, Usage usage, Heap heap, long depth, Map<String, Double> metrics, List<Part> processes) {

    /** Nothing is known. */
    public static final BrokerSample UNKNOWN =
        new BrokerSample(Double.NaN, Usage.UNKNOWN, Heap.UNKNOWN, -1, Map.of(), List.of());

    public BrokerSample {
        // in the order that the user asked for
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
        processes = List.copyOf(processes);
    }

    /** The same with this number of messages that wait in the broker. */
    public BrokerSample withDepth(long waiting) {
        return new BrokerSample(seconds, usage, heap, waiting, metrics, processes);
    }

    /**
     * What the operating system says of processes.
     *
     * @param cpuPercent mean use of processors, 100 for one whole core
     * @param residentBytes memory in RAM; pages that processes share are counted for each
     * @param memoryPercent the same as a share of the machine's memory
     * @param threads their threads
     * @param openFiles their open files, sockets included
     * @param diskReadBytes amount that was read from storage
     * @param diskWrittenBytes amount that was given to storage
     * @param voluntarySwitches how often their threads gave up a processor to wait
     * @param involuntarySwitches how often a processor was taken from their threads
     */
    public record Usage(
            double cpuPercent, long residentBytes, double memoryPercent, int threads, int openFiles, long diskReadBytes,
            long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches) {

        public static final Usage UNKNOWN = of(_ -> {});

        /** What it is made of by name; what is not set is not known. */
        public static final class Values {

            public double cpuPercent = Double.NaN;
            public long residentBytes = -1;
            public double memoryPercent = Double.NaN;
            public int threads = -1;
            public int openFiles = -1;
            public long diskReadBytes = -1;
            public long diskWrittenBytes = -1;
            public long voluntarySwitches = -1;
            public long involuntarySwitches = -1;

            private Values() {}
        }

        /** Of what {@code change} sets. */
        public static Usage of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Usage(its.cpuPercent, its.residentBytes, its.memoryPercent, its.threads, its.openFiles, its.diskReadBytes,
                its.diskWrittenBytes, its.voluntarySwitches, its.involuntarySwitches);
        }
    }

    /**
     * What JVMs say of themselves.
     *
     * @param usedBytes heap in use
     * @param committedBytes heap that the operating system has given
     * @param maxBytes what the heap may grow to
     * @param gcCount amount of garbage collection pauses
     * @param gcMillis amount of time in them
     */
    public record Heap(long usedBytes, long committedBytes, long maxBytes, long gcCount, long gcMillis) {

        public static final Heap UNKNOWN = new Heap(-1, -1, -1, -1, -1);
    }

    /**
     * One of several processes.
     *
     * @param name the name of its program
     * @param pid its process id
     */
    public record Part(String name, long pid, Usage usage) {}
}
