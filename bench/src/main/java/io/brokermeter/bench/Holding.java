package io.brokermeter.bench;

import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.driver.core.CoreDriver;
import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import org.HdrHistogram.Histogram;

/**
 * Measures how long messages may be held back to coalesce their writes, which the printed send ack time contains: all-out, 1 KiB, with 100
 * unconfirmed messages of each producer and 1, 10 and 100 producers of one sending thread, over the loopback broker and over CORE. The time
 * is that from the send of a message to the next flush of its producer; a client that writes earlier, as with a full buffer, holds it back
 * for less. At the median it is to be at most 50 us or 5 % of the send ack time.
 */
public final class Holding {

    private static final long WARMUP_MILLIS = 2_000;
    private static final int PENDING = 100;
    private static final double BAR_MICROS = 50;
    private static final double BAR_SHARE = 0.05;

    private Holding() {}

    /**
     * The medians of a run, in microseconds.
     *
     * @param held time from a send to the flush after it
     * @param ack send ack time, as a run prints it
     */
    record Row(String protocol, int producers, long messages, double held, double ack) {

        /** Returns the longest time that a message may be held back at the median, in microseconds. */
        double limit() {
            return Math.max(BAR_MICROS, BAR_SHARE * ack);
        }

        boolean isKept() {
            return held <= limit();
        }

        String text() {
            return String.format(Locale.ROOT, "| %s | %d | %,d | %.1f | %.1f | %.1f | %s |", protocol, producers, messages, ack, held,
                limit(), isKept() ? "yes" : "no");
        }
    }

    /**
     * Runs the measurement, and ends with status 1 when a time is above its limit.
     *
     * @param args seconds of a run behind its warm-up (default 5)
     */
    public static void main(String[] args) throws Exception {
        Children.endWithThisProcess();
        long millis = 1_000L * (args.length > 0 ? Integer.parseInt(args[0]) : 5);
        List<Row> rows = new ArrayList<>();
        print(System.out, "| protocol | producers | messages | send ack p50, us | held back p50, us | limit, us | kept |",
            "|---|---:|---:|---:|---:|---:|---|");
        try (Broker broker = Broker.start(BrokerName.parse("artemis"))) {
            String core = Objects.requireNonNull(broker.urls().get("CORE"));
            for (int producers : new int[] {1, 10, 100}) {
                rows.add(measure(new LoopbackDriver(), "loopback://holding", producers, WARMUP_MILLIS, millis));
                print(System.out, rows.getLast().text());
                rows.add(measure(new CoreDriver(), core, producers, WARMUP_MILLIS, millis));
                print(System.out, rows.getLast().text());
            }
        }
        System.exit(rows.stream().allMatch(Row::isKept) ? 0 : 1);
    }

    private static void print(PrintStream out, String... lines) {
        List.of(lines).forEach(out::println);
    }

    /** Measures one run. */
    static Row measure(Driver driver, String url, int producers, long warmupMillis, long millis) throws Exception {
        Endpoint endpoint = new Endpoint(driver.protocol(), new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)));
        List<Destination> where = List.of(Destination.parse("queue://HOLDING" + producers));
        Limits limits =
            new Limits(Duration.ofMillis(warmupMillis), Duration.ofMillis(warmupMillis + millis), Duration.ofSeconds(20),
                Duration.ofSeconds(1));
        Scenario scenario = Scenario.of("holding", limits, its -> {
            its.producers = List.of(
                ProducerGroupSpec.plain(endpoint, where, PENDING, Messages.ofSize(1024)).with(side -> side.perDestination = producers));
            its.consumers = List.of(ConsumerGroupSpec.plain(endpoint, where));
        });
        Times times = new Times(System.nanoTime() + warmupMillis * 1_000_000);
        RunResult result = new Run(Plan.of(scenario, List.of(watched(driver, times))), new RunObserver() {}).execute();
        return new Row(driver.protocol(), producers, times.held.getTotalCount(), times.held.getValueAtPercentile(50) / 1e3,
            Objects.requireNonNull(result.measured().get(Metric.SEND)).nanosAt(50) / 1e3);
    }

    /** Returns a driver whose producers report how long their messages may be held back. */
    private static Driver watched(Driver driver, Times times) {
        return of(Driver.class, driver, (method, connection) -> !method.equals("connect") ? connection
            : of(Connection.class, connection, (call, made) -> call.equals("producer") ? new Watched((Producer) made, times) : made));
    }

    private interface Change {
        Object of(String method, Object result);
    }

    /** Returns an object of an interface that calls another one, and changes its results. */
    private static <T> T of(Class<T> type, Object other, Change change) {
        InvocationHandler calls = (_, method, args) -> {
            try {
                return change.of(method.getName(), method.invoke(other, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
    }

    /** The times of messages sent after a moment; only the one sending thread uses them. */
    private static final class Times {

        private final Histogram held = new Histogram(1, 60_000_000_000L, 3);
        private final long from;

        /** @param from end of the warm-up, by {@link System#nanoTime()} */
        Times(long from) {
            this.from = from;
        }
    }

    private static final class Watched implements Producer {

        private final Producer producer;
        private final Times times;
        /** Moments of the sends since the last flush. No more than are unconfirmed can be held back. */
        private final long[] sent = new long[PENDING];
        private int count;

        Watched(Producer producer, Times times) {
            this.producer = producer;
            this.times = times;
        }

        @Override
        public void send(Payload payload, long token) throws Exception {
            producer.send(payload, token);
            if (count < sent.length) {
                sent[count++] = System.nanoTime();
            }
        }

        @Override
        public void flush() throws Exception {
            long now = System.nanoTime();
            for (int i = 0; i < count; i++) {
                if (sent[i] - times.from > 0) {
                    times.held.recordValue(now - sent[i]);
                }
            }
            count = 0;
            producer.flush();
        }

        @Override
        public String stallReason() {
            return producer.stallReason();
        }

        @Override
        public void close() {
            producer.close();
        }
    }
}
