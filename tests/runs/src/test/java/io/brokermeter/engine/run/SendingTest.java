package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the sending side, from when a message may be sent until it is written to the wire. */
class SendingTest {

    @Test
    void aRequestThatWaitsIsNotForgottenWhenLaterOnesAreAnswered() throws Exception {
        Groups run = asking("random-delay=20ms", 4, 200, Duration.ofSeconds(20));
        run.drain = Duration.ofSeconds(30);
        RunResult r = run.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.unanswered()).isZero();
        assertThat(r.sent()).isEqualTo(200);
        assertThat(r.groups().getFirst().received()).isEqualTo(200);
        // Each way takes 10 ms on average, so four requests at a time are 200/s. A request that is forgotten while it waits would make it
        // less than half of that.
        assertThat(r.elapsed()).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_250));
    }

    @Test
    void aReplyAfterItsTimeIsNoneThoughTheWindowIsNotFull() throws Exception {
        Groups run = asking("delay=400ms", 1000, 20, Duration.ofMillis(100));
        run.drain = Duration.ofSeconds(30);
        RunResult r = run.execute();

        assertThat(r.unanswered()).isEqualTo(20);
        assertThat(r.groups().getFirst().received()).isZero();
        // The drain waits for replies that may still count, not up to its whole limit.
        assertThat(r.elapsed()).isLessThan(Duration.ofSeconds(20));
    }

    /** A wait that checks only every 20 ms would send 34. */
    @Test
    void theNextRequestGoesOutWhenTheTimeOfTheOneBeforeItIsOver() throws Exception {
        Groups run = asking("lose-every=1", 1, 0, Duration.ofMillis(50));
        run.duration = Duration.ofSeconds(2);
        RunResult r = run.execute();

        assertThat(r.sent()).isEqualTo(40);
        assertThat(r.unanswered()).isEqualTo(40);
    }

    private static Groups asking(String knobs, int maxPending, long messages, Duration timeout) {
        return new Groups(knobs).producers("ask", p -> {
            p.maxPending = maxPending;
            p.messages = messages;
            p.request = new RequestReply(timeout);
        }).consumers("answer", c -> c.replies = true);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100})
    void aClosedLoopKeepsItsWindowFull(int window) throws Exception {
        RunResult r = LoopbackRun.of().maxPending(window).knobs("random-delay=200ms").warmup(500).duration(20_000).execute();
        // Little's law: the messages in flight are their rate times the time of each. It would be 82 to 85 % if half of the window had to
        // be free before the next send.
        assertThat(r.meanSent() * of(r, Metric.SEND).histogram().getMean() / 1e9 / window).isBetween(0.97, 1.03);
    }

    /**
     * The time for which a client holds a message back counts as the broker's time: its median must be less than 50 us, or less than 5 %
     * of the reported time. Guards against 50 ms with 100 producers and a broker without delay. At a rate that no thread can reach, guards
     * against the duration of a round of all other producers, which is 2 ms with 1,000 of them.
     */
    @ParameterizedTest
    @CsvSource({"1, 0, ", "10, 0, ", "100, 0, ", "1, 2000, ", "10, 2000, ", "100, 2000, ", "1, 20000, ", "10, 20000, ", "100, 20000, ",
        "1, 0, 5000000", "10, 0, 5000000", "100, 0, 5000000", "1000, 0, 5000000", "10, 2000, 5000000", "100, 2000, 5000000",
        "100, 20000, 5000000", "500, 20000, 5000000"})
    void messagesAreHeldBackForAShortTimeHoweverManyProducersCouldSend(int producers, int brokerMicros,
            @Nullable String rate) throws Exception {
        LoopbackRun run = LoopbackRun.of();
        Histogram held = new Histogram(1, 60_000_000_000L, 3);
        Driver driver = LoopbackRun.sending(listener -> new Holding(run.clock(), listener, brokerMicros * 1_000L, held));
        run.over(driver).sendOnly().producers(producers).maxPending(brokerMicros == 0 ? 100 : 10_000);
        RunResult r = (rate == null ? run.duration(200) : run.rate(rate).count(100_000)).execute();

        long printed = of(r, Metric.SEND).nanosAt(50);
        assertThat(held.getTotalCount()).isEqualTo(r.sent());
        assertThat(printed).isGreaterThanOrEqualTo(brokerMicros * 1_000L);
        assertThat(held.getValueAtPercentile(50)).isLessThan(Math.max(50_000, printed / 20));
        // If two messages are written together, the first one after a round of all other producers, the second one is not held back, and
        // the median may be its time. So the mean is checked as well.
        assertThat(held.getMean()).isLessThan(Math.max(50_000, of(r, Metric.SEND).meanNanos() / 20));
        assertThat(r.unconfirmed()).isZero();
    }

    /**
     * Each of 100 producers has a full window, and owes as many messages again when the broker confirms. Guards against messages that are
     * held back for half of a round of all producers.
     */
    @Test
    void messagesThatAreOwedAreHeldBackForAShortTimeHoweverManyProducersOweThem() throws Exception {
        Histogram held = owing(100, 1_000, LoopbackRun.of().producers(100).maxPending(100).rate("100000").count(20_000));
        assertThat(held.getTotalCount()).isEqualTo(10_000);
        assertThat(held.getMean()).isLessThan(50_000);
    }

    /**
     * One of two producers sends for more than 100 ms what it owes, while the other one sends a message each millisecond. Guards against
     * messages of the other one that are held back until its next one.
     */
    @Test
    void nobodyIsHeldBackBehindAProducerThatPaysWhatItOwes() throws Exception {
        Histogram held = owing(1, 60_000, LoopbackRun.of().producers(2).maxPending(10).rate("2000").count(130_000));
        assertThat(held.getTotalCount()).isBetween(95L, 105L);
        assertThat(held.getMean()).isLessThan(50_000);
    }

    /** One of two producers owes 90 messages, the other one 9,990. Guards against a last one of the 90 that waits for the 9,990. */
    @Test
    void whatAProducerOwedLastIsNotHeldBackUntilTheOthersHavePaid() throws Exception {
        LoopbackRun run = LoopbackRun.of();
        Histogram held = new Histogram(1, 60_000_000_000L, 3);
        List<Holding> all = new CopyOnWriteArrayList<>();
        Driver driver = LoopbackRun.sending(listener -> {
            Holding one = new Holding(run.clock(), listener, 0, held);
            all.add(all.isEmpty() ? one.shut(true) : one.shutAfter(9_900));
            return one;
        });
        run.clock().after(10_000, () -> {
            long from = run.clock().nanos();
            all.forEach(one -> one.open(from, Long.MAX_VALUE));
        });
        RunResult r = run.over(driver).sendOnly().producers(2).maxPending(10).rate("20000").count(20_000).execute();
        assertThat(r.completed()).isEqualTo(20_000);
        assertThat(held.getTotalCount()).isGreaterThan(10_000);
        assertThat(held.getMaxValue()).isLessThan(3_000_000);
    }

    /**
     * Executes a run whose broker at first confirms no messages of the first producers.
     *
     * @param first number of these producers
     * @param millis when the broker begins to confirm them, in milliseconds from now
     * @return how long messages that were sent after that were held back: those of all producers if all had to wait, otherwise those of
     *     the other producers within 100 ms
     */
    private static Histogram owing(int first, long millis, LoopbackRun run) throws Exception {
        Histogram held = new Histogram(1, 60_000_000_000L, 3);
        List<Holding> all = new CopyOnWriteArrayList<>();
        Driver driver = LoopbackRun.sending(listener -> {
            Holding one = new Holding(run.clock(), listener, 0, held);
            all.add(one.shut(all.size() < first));
            return one;
        });
        run.clock().after(millis, () -> {
            long from = run.clock().nanos();
            for (int i = all.size() - 1; i >= 0; i--) {
                all.get(i).open(from, first == all.size() ? Long.MAX_VALUE : i < first ? from : from + 100_000_000);
            }
        });
        RunResult r = run.over(driver).sendOnly().execute();
        assertThat(r.completed()).isEqualTo(r.sent());
        assertThat(r.unconfirmed()).isZero();
        return held;
    }

    @Test
    void aProducerWithThinkTimeKeepsARateThatItsPausesAllow() throws Exception {
        Groups run = new Groups().producers("p", p -> {
            p.load = Load.parse("500", 1);
            p.think = new TimeLaw.Constant(Duration.ofMillis(1));
        }).consumers("c", _ -> {});
        run.duration = Duration.ofSeconds(2);
        RunResult r = run.execute();

        // A wait that checks only every 20 ms would send at most 125, including those of the half second after the end.
        assertThat(r.sent()).isEqualTo(1_000);
        assertThat(r.failures()).isEmpty();
        assertThat(r.health().achievedRatio()).isEqualTo(1);
        // A pause must be over before the next message is due: one that began only then would make each message 1 ms late.
        assertThat(of(r, Metric.SEND_DELAY).maxNanos()).isLessThan(100_000);
    }

    /** Transactions that are rolled back or committed, and messages within a transaction, which are not confirmed before its end. */
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 0.5", "10, 0", "10, 1"})
    void aProducerPausesAroundTransactionsHoweverTheyEnd(int commitInterval, double rollback) throws Exception {
        Groups run = new Groups().producers("p", p -> {
            p.think = new TimeLaw.Constant(Duration.ofMillis(10));
            p.commitInterval = commitInterval;
            p.rollback = rollback;
            p.maxPending = 10;
        }).consumers("c", _ -> {});
        run.duration = Duration.ofMillis(500);
        RunResult r = run.execute();

        assertThat(r.sent()).isEqualTo(50);
        assertThat(r.failures()).isEmpty();
    }

    /** The pause waits for a lost reply only up to the timeout of the request, and not until the end of the run. */
    @Test
    void aPauseWaitsForNoReplyAfterItsTime() throws Exception {
        Groups run = new Groups("lose-every=10").producers("ask", p -> {
            p.maxPending = 10;
            p.think = new TimeLaw.Constant(Duration.ofMillis(10));
            p.request = new RequestReply(Duration.ofMillis(100));
        }).consumers("answer", c -> c.replies = true);
        run.duration = Duration.ofSeconds(5);
        RunResult r = run.execute();

        // One in ten requests waits for 100 ms plus one check interval.
        assertThat(r.sent()).isGreaterThan(150);
    }

    @Test
    void messagesOfAScheduleAreHeldBackForAShortTimeHoweverManyProducersSend() throws Exception {
        LoopbackRun run = LoopbackRun.of();
        RunResult r = run.over(driver(run.clock())).sendOnly().producers(200).maxPending(100).rate("2000").count(2_000).execute();

        assertThat(r.completed()).isEqualTo(2_000);
        // A producer's next message is due after 100 ms. A thread that did not flush before it waits would hold the message back for that
        // time.
        assertThat(of(r, Metric.SEND).nanosAt(50)).isLessThan(50_000_000);
    }

    @Test
    void theLastMessageOfAScheduleIsNotHeldBackUntilTheEnd() throws Exception {
        LoopbackRun run = LoopbackRun.of();
        RunResult r = run.over(driver(run.clock())).sendOnly().rate("1").duration(2_000).execute();

        assertThat(r.completed()).isEqualTo(2);
        // The second message is sent after a second, and the load ends after two.
        assertThat(of(r, Metric.SEND).maxNanos()).isLessThan(700_000_000);
    }

    /** The second of eight messages fails, so the first transaction of four has the first message and the three after the failed one. */
    @Test
    void aSendThatFailsInATransactionLeavesNothingOfItBehindWhenItIsRolledBack() throws Exception {
        RunResult r = LoopbackRun.of().over(LoopbackRun.sending(_ -> new Producer() {

            @Override
            public void send(Payload payload, long token) {
                if (token == 1) {
                    throw new IllegalStateException("Not this one.");
                }
            }

            @Override
            public void rollback() {}

            @Override
            public void close() {}
        })).sendOnly().count(8).transactionsOf(4).rollback(1).drain(500).execute();

        assertThat(r.failed()).isEqualTo(1);
        assertThat(r.part().sent()).as("sends that throw are measured, too").isEqualTo(8);
        assertThat(r.rolledBack()).isEqualTo(7);
        assertThat(r.unconfirmed()).isZero();
    }

    /**
     * The producer reports no messages of a rollback that failed. Guards against messages that keep their places in the window for good,
     * and against a cause that is not reported.
     */
    @Test
    void ofARollbackThatFailsNobodyKnowsTheFate() throws Exception {
        RunResult r = LoopbackRun.of().over(LoopbackRun.sending(_ -> new Producer() {

            @Override
            public void send(Payload payload, long token) {}

            @Override
            public void rollback() {
                throw new IllegalStateException("No way back");
            }

            @Override
            public void close() {}
        })).sendOnly().count(8).transactionsOf(4).maxPending(4).rollback(1).drain(500).execute();

        assertThat(r.sent()).isEqualTo(8).isEqualTo(r.unconfirmed());
        assertThat(r.failures()).contains(new Finding.Unconfirmed(8, 0, Map.of("No way back", 8L)));
    }

    /** Guards against a ledger that lists the failure of a consumer as a cause of failed sends, although all sends were confirmed. */
    @Test
    void whyAConsumerFailedIsNotWhySendsFailed() throws Exception {
        RunResult r = LoopbackRun.of().over(LoopbackRun.receivingNothing(new IllegalStateException("no more of this"))).count(8).execute();

        assertThat(r.failures()).anySatisfy(failure -> assertThat(failure).isInstanceOfSatisfying(Finding.Broken.class,
            broken -> assertThat(broken.cause()).isEqualTo("no more of this")));
        assertThat(r.failureCauses()).isEmpty();
    }

    /** Four producers owe 99 messages each when their windows open, and a fifth owes none. */
    @Test
    void aProducerInDebtDoesNotWaitForThoseBeforeIt() throws Exception {
        Debt debt = new Debt();
        Thread opener = Thread.ofPlatform().daemon().start(debt::open);
        RunResult r = LoopbackRun.of().wallClock().over(LoopbackRun.sending(listener -> new Debtor(debt, debt.join(listener), listener)))
            .sendOnly().producers(5)
            .maxPending(1).rate("10000").count(500).drain(30_000).execute();
        opener.join();

        assertThat(r.completed()).isEqualTo(500);
        int[] sent = new int[4];
        for (int producer : debt.order) {
            if (++sent[producer] == 50) {
                break;
            }
        }
        // Guards against 50 messages of one producer and hardly any of the others.
        assertThat(sent).containsOnly(49, 50);
    }

    /** A broker that confirms only the messages of the fifth producer, and all messages when that one has sent all of its own. */
    private static final class Debt {

        private final List<SendListener> listeners = new CopyOnWriteArrayList<>();
        private final List<Integer> order = new ArrayList<>();
        private final CountDownLatch due = new CountDownLatch(100);
        private volatile boolean opening;
        private boolean open;

        int join(SendListener listener) {
            listeners.add(listener);
            return listeners.size() - 1;
        }

        /** Opens one window; its producer opens the others on the sending thread, which therefore finds all of them open. */
        void open() {
            try {
                due.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            opening = true;
            listeners.get(3).confirmed(0);
        }
    }

    private record Debtor(Debt debt, int number, SendListener listener) implements Producer {

        @Override
        public void send(Payload payload, long token) {
            if (number == 4) {
                debt.due.countDown();
            } else if (!debt.opening) {
                return;
            } else {
                if (!debt.open) {
                    debt.open = true;
                    debt.listeners.subList(0, 3).forEach(other -> other.confirmed(0));
                }
                debt.order.add(number);
            }
            listener.confirmed(token);
        }

        @Override
        public void close() {}
    }

    private static Distribution of(RunResult r, Metric metric) {
        Distribution d = r.measured().get(metric);
        assertThat(d).isNotNull();
        return d;
    }

    /** The client confirms all messages, and reports the loss that made the flush fail to somebody else. */
    @Test
    void aFlushThatFailsIsNoFailedSend() throws Exception {
        LoopbackRun run = LoopbackRun.of().count(100);
        RunResult r = run.over(LoopbackRun.sending(listener -> new Producer() {
            private boolean failed;

            @Override
            public void send(Payload payload, long token) {
                listener.confirmed(token);
            }

            @Override
            public void flush() throws IOException {
                if (!failed) {
                    failed = true;
                    throw new IOException("The connection is closed.");
                }
            }

            @Override
            public void close() {}
        })).sendOnly().execute();
        assertThat(r.completed()).isEqualTo(100);
        assertThat(r.failed()).isZero();
        assertThat(r.failureCauses()).isEmpty();
    }

    // ---- a client that holds its writes back until it is flushed, and a broker that confirms at once ----

    private static Driver driver(Clock clock) {
        return LoopbackRun.sending(listener -> new Holding(clock, listener, 0, new Histogram(1, 60_000_000_000L, 3)));
    }

    /**
     * A client that holds messages back until it is flushed. Its broker confirms after {@code brokerNanos}. The client reports
     * confirmations only when it sends or flushes, which is in time if the window is never full.
     */
    private static final class Holding implements Producer {

        private final Clock clock;
        private final SendListener listener;
        private final long brokerNanos;
        private final Histogram held;
        /** The times at which the messages that are held back were sent, in nanoseconds. */
        private final Deque<Long> holding = new ArrayDeque<>();
        /** The batches that were written and are not confirmed: the last token of each, and the time at which it is confirmed. */
        private final Deque<long[]> out = new ArrayDeque<>();
        private long last = -1;
        private boolean shut;
        /** The number of messages that the broker still confirms. */
        private long open = Long.MAX_VALUE;
        /** The time from which sent messages are recorded in {@link #held}, up to {@link #until}, in nanoseconds. */
        private long from;
        private long until = Long.MAX_VALUE;

        Holding(Clock clock, SendListener listener, long brokerNanos, Histogram held) {
            this.clock = clock;
            this.listener = listener;
            this.brokerNanos = brokerNanos;
            this.held = held;
        }

        /** Records nothing until {@link #open} is called; if {@code broker}, the broker does not confirm anything until then either. */
        Holding shut(boolean broker) {
            shut = broker;
            from = Long.MAX_VALUE;
            return this;
        }

        /** As {@link #shut}, but the broker confirms a number of messages first. */
        Holding shutAfter(long messages) {
            open = messages;
            return shut(false);
        }

        synchronized void open(long noteFrom, long noteUntil) {
            shut = false;
            from = noteFrom;
            until = noteUntil;
            open = Long.MAX_VALUE;
            confirm(clock.nanos());
        }

        @Override
        public synchronized void send(Payload payload, long token) {
            holding.add(clock.nanos());
            long sent = holding.getLast() + 2_000;
            while (clock.nanos() < sent) {
                // sending takes 2 us
            }
            last = token;
            if (--open == 0) {
                shut = true;
            }
            confirm(sent);
        }

        @Override
        public synchronized void flush() {
            if (holding.isEmpty()) {
                return;
            }
            long now = clock.nanos();
            for (Long since = holding.poll(); since != null; since = holding.poll()) {
                if (since >= from && since < until) {
                    held.recordValue(now - since);
                }
            }
            out.add(new long[] {last, now + brokerNanos});
            confirm(now);
        }

        private void confirm(long now) {
            while (!shut && !out.isEmpty() && out.getFirst()[1] <= now) {
                listener.confirmedUpTo(out.poll()[0]);
            }
        }

        @Override
        public synchronized void close() {
            flush();
            confirm(Long.MAX_VALUE);
        }
    }
}
