package io.brokermeter.bench.harness;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.brokermeter.bench.Figures;
import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;

/**
 * Measures the cost of the harness alone: a complete run with the loopback driver, in which stamping, window, confirmation, delivery,
 * verification, ledger and recording of a message all happen on the one sending thread, or on three (see {@link HandOverDriver}). For each interval it prints messages per second,
 * CPU time per message and the bytes that all threads of the process allocated per message, then the medians of the second half.
 */
public final class HarnessCost {

    private HarnessCost() {}

    /**
     * Runs the measurement.
     *
     * @param args duration in seconds (default 12), sizes of messages (default 1024) and their content (default random), the latter two in
     *     the form of {@code --message-size} and {@code --body}, and {@code three} for confirmations and deliveries on threads of their own
     */
    public static void main(String[] args) throws Exception {
        int seconds = args.length > 0 ? Integer.parseInt(args[0]) : 12;
        Messages messages = Messages.of(its -> {
            its.sizes = Sizes.parse(args.length > 1 ? args[1] : "1024");
            its.content = Content.parse(args.length > 2 ? args[2] : "random");
        });
        boolean three = args.length > 3 && args[3].equals("three");
        Driver driver = three ? new HandOverDriver() : new LoopbackDriver();
        Endpoint endpoint = new Endpoint(driver.protocol(),
            new ConnectionSettings(driver.protocol().toLowerCase(Locale.ROOT) + "://harness", null, null, null, Duration.ofSeconds(5)));
        List<Destination> where = List.of(Destination.parse("queue://Q"));
        Scenario scenario = Scenario.of("harness",
            new Limits(Duration.ZERO, Duration.ofSeconds(seconds), Duration.ofSeconds(5), Duration.ofSeconds(1)), its -> {
                its.producers = List.of(ProducerGroupSpec.plain(endpoint, where, three ? 1000 : 100, messages));
                its.consumers = List.of(ConsumerGroupSpec.plain(endpoint, where));
                its.pacing = Pacing.PARK;
            });
        Meter meter = new Meter();
        new Run(Plan.of(scenario, List.of(driver)), meter).execute();
        meter.summary();
    }

    private static final class Meter implements RunObserver {

        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final List<Double> rates = new ArrayList<>();
        private final List<Double> bytes = new ArrayList<>();
        private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        private final List<Double> cpu = new ArrayList<>();
        private long allocated = threads.getTotalThreadAllocatedBytes();
        private long cpuTime = system.getProcessCpuTime();

        @Override
        public void interval(Interval interval) {
            long now = threads.getTotalThreadAllocatedBytes();
            double rate = interval.received() / interval.seconds();
            double perMessage = (double) (now - allocated) / Math.max(1, interval.received());
            long cpuNow = system.getProcessCpuTime();
            double cpuNanos = (double) (cpuNow - cpuTime) / Math.max(1, interval.received());
            cpuTime = cpuNow;
            System.out.printf(Locale.ROOT, "%,12.0f msg/s %8.1f ns CPU and %8.4f bytes allocated per message%n", rate, cpuNanos,
                perMessage);
            rates.add(rate);
            cpu.add(cpuNanos);
            bytes.add(perMessage);
            allocated = threads.getTotalThreadAllocatedBytes();
        }

        void summary() {
            System.out.printf(Locale.ROOT, "median of the second half: %,.0f msg/s; %.1f ns CPU per message, which is %,.0f msg/s "
                + "on one whole core; %.4f bytes allocated per message%n", median(rates), median(cpu), 1e9 / median(cpu),
                median(bytes));
        }

        private static double median(List<Double> values) {
            return Figures.median(values.subList(values.size() / 2, values.size()));
        }
    }
}
