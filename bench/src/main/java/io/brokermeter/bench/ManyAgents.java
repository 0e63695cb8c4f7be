package io.brokermeter.bench;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import com.sun.management.ThreadMXBean;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.run.parts.IntervalMerger;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.json.RecordJson;
import org.HdrHistogram.Histogram;

/**
 * Measures the work of a coordinator with the intervals of many agents, without agents and without a network. Reports of one second are
 * created once, with times of a log-normal distribution (median 400 us, sigma 0.8, one in a thousand ten times as long), as texts; then the
 * classes of the product parse them and merge them into one interval, on one thread. Prints bytes, CPU time, allocation and the memory that
 * stays in use.
 */
public final class ManyAgents {

    private static final long SECOND = 1_000_000_000L;
    private static final List<Metric> METRICS =
        List.of(Metric.SEND_DELAY, Metric.SEND, Metric.TRANSFER, Metric.RESPONSE, Metric.ROUND_TRIP);
    private static final double MEDIAN_NANOS = 400_000;
    private static final double SIGMA = 0.8;
    private static final double OUTLIERS = 0.001;
    /** The number of agents whose reports differ; the others repeat them. */
    private static final int DIFFERENT = 20;

    private ManyAgents() {}

    /**
     * Runs the measurement.
     *
     * @param args number of simulated seconds (default 10)
     */
    public static void main(String[] args) {
        int seconds = args.length == 0 ? 10 : Integer.parseInt(args[0]);
        System.out
            .println("agents  messages/s each  bytes each/s  MB/s in all  CPU ms for a second of them (last)  allocated MB/s  kept MB");
        for (int rate : new int[] {1_000, 20_000}) {
            for (int agents : new int[] {3, 100, 1_000}) {
                simulate(agents, rate, seconds);
            }
        }
    }

    private static void simulate(int agents, int rate, int seconds) {
        List<List<String>> texts = new ArrayList<>();
        long bytes = 0;
        for (int second = 0; second < seconds; second++) {
            List<String> some = new ArrayList<>();
            for (int agent = 0; agent < Math.min(agents, DIFFERENT); agent++) {
                some.add(RecordJson.text(interval(second, rate, new SplittableRandom(31L * second + agent))));
                bytes += some.getLast().getBytes(StandardCharsets.UTF_8).length;
            }
            texts.add(some);
        }
        double each = bytes / (double) (seconds * Math.min(agents, DIFFERENT));
        long before = used();
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Integer> present = IntStream.range(0, agents).boxed().toList();
        IntervalMerger joint = new IntervalMerger(SECOND);
        long cpu = 0;
        long allocated = 0;
        long samples = 0;
        for (int second = 0; second < seconds; second++) {
            long cpuBefore = thread.getCurrentThreadCpuTime();
            long allocatedBefore = thread.getCurrentThreadAllocatedBytes();
            for (int agent = 0; agent < agents; agent++) {
                joint.add(agent, RecordJson.read(Interval.class, texts.get(second).get(agent % DIFFERENT)));
            }
            for (Interval whole = joint.next(present, null); whole != null; whole = joint.next(present, null)) {
                Distribution sends = whole.measured().get(Metric.SEND);
                samples += sends == null ? 0 : sends.count();
            }
            cpu = thread.getCurrentThreadCpuTime() - cpuBefore;
            allocated = thread.getCurrentThreadAllocatedBytes() - allocatedBefore;
        }
        if (samples != (long) agents * rate * seconds) {
            throw new IllegalStateException(samples + " samples instead of " + (long) agents * rate * seconds);
        }
        System.out.println(String.format(Locale.ROOT, "%,6d  %,15d  %,12.0f  %11.2f  %35.0f  %14.0f  %7.0f", agents, rate, each,
            each * agents / 1e6, cpu / 1e6, allocated / 1e6, (used() - before) / 1e6));
        if (joint.known(0).sent() != (long) rate * seconds) {
            throw new IllegalStateException("what is known of an agent is not what it reported");
        }
    }

    private static Interval interval(int second, int rate, SplittableRandom random) {
        Map<Metric, Distribution> measured = new EnumMap<>(Metric.class);
        for (Metric metric : METRICS) {
            Histogram histogram = new Histogram(1, Lane.HIGHEST, 3);
            for (int i = 0; i < rate; i++) {
                double nanos = MEDIAN_NANOS * Math.exp(SIGMA * random.nextGaussian()) * (random.nextDouble() < OUTLIERS ? 10 : 1);
                histogram.recordValue(Math.round(nanos));
            }
            measured.put(metric, new Distribution(histogram, 0, 0));
        }
        return Interval.of(its -> {
            its.index = second;
            its.startEpochNanos = second * SECOND;
            its.endEpochNanos = (second + 1) * SECOND;
            its.elapsedNanos = (second + 1) * SECOND;
            its.set(Count.SENT, rate);
            its.set(Count.COMPLETED, rate);
            its.set(Count.RECEIVED, rate);
            its.measured = measured;
        });
    }

    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
