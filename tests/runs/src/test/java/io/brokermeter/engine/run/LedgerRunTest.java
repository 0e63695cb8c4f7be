package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.connect.GroupConnection;
import io.brokermeter.engine.run.connect.Polling;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.run.receive.DeliveryCounts;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;

/**
 * Tests of how the ledger classifies messages that were not delivered as expected: each class is counted separately, and no others count
 * as lost.
 */
class LedgerRunTest {

    private static final Destination QUEUE = Destination.parse("queue://Q");

    private static LedgerReport ledger(RunResult result) {
        return Objects.requireNonNull(result.ledger());
    }

    // ---- remaining and lost messages ----

    /** Returns a run with a consumer that fetches one message after the other and processes each for some time. */
    private static Groups slow(String knobs, int count, int processingMillis, int drainMillis) {
        Groups run = new Groups(knobs);
        run.drain = Duration.ofMillis(drainMillis);
        return run.producers("p", p -> p.messages = count).consumers("c", c -> {
            c.polling = true;
            c.processing = new TimeLaw.Constant(Duration.ofMillis(processingMillis));
        });
    }

    /** All is sent before the consumer gets the first message: while it processes one, no other can be sent. */
    @Test
    void aBacklogThatConsumersDidNotReachIsLeftAndNotLost() throws Exception {
        RunResult r = slow("linger=1s", 300, 20, 1_300).execute();

        assertThat(ledger(r).left()).isPositive();
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).undelivered()).isZero();
        assertThat(ledger(r).left() + r.received()).isEqualTo(300);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(r.failures()).containsExactly(new Finding.Left(ledger(r).left(), Duration.ofMillis(1_300)));
    }

    @Test
    void whatTheBrokerLostOfABacklogIsToldFromWhatIsLeft() throws Exception {
        RunResult r = slow("lose-every=10&linger=1s", 300, 20, 1_300).execute();

        assertThat(ledger(r).lost()).isEqualTo(30);
        assertThat(ledger(r).left()).isPositive();
        assertThat(ledger(r).left() + ledger(r).lost() + r.received()).isEqualTo(300);
        assertThat(r.failures()).contains(new Finding.Lost(30, true, Duration.ofMillis(1_300)));
    }

    @Test
    void whatStrangersLeaveInTheQueueHidesNoLoss() throws Exception {
        Groups run = slow("lose-every=10", 100, 20, 200);
        try (Connection stranger = connect(run.driver(), run.url())) {
            fill(stranger, 30, Envelope.newRun(1));
            awaitDepth(stranger, 27);
            RunResult r = run.execute();

            assertThat(ledger(r).lost()).isEqualTo(10);
            // The first 27 messages that the consumer receives are those of the stranger; of the 90 others, those that it receives are not
            // left.
            assertThat(ledger(r).left()).isEqualTo(90 - Math.max(0, r.received() - 27));
        }
    }

    /** The start must not take long, so only some of many existing queues are queried for their depth. */
    @Test
    void ofAQueueThatWasNotAskedBeforeTheRunItIsNotKnownWhatIsLeft() throws Exception {
        String[] old = IntStream.rangeClosed(1, 51).mapToObj(number -> "queue://Q" + number).toArray(String[]::new);
        LoopbackRun run = LoopbackRun.of().on(old).on("queue://NEW");
        Plan plan = run.plan();
        try (VirtualClock clock = run.clock(); Connection stranger = connect(run.driver(), run.url())) {
            for (String queue : old) {
                stranger.declare(Destination.parse(queue));
            }
            for (String queue : List.of("queue://Q1", "queue://Q51")) {
                fill(stranger, Destination.parse(queue), 5, Envelope.newRun(1));
                awaitDepth(stranger, Destination.parse(queue), 5);
            }
            RunState state = new RunState();
            Failures failures = new Failures(Setting::key);
            Connections connections = new Connections(plan, RunShare.whole(plan).share(),
                new GroupConnection.Shared(new EventLog(state, failures, clock, () -> {}), failures, state, clock, new Polling(clock),
                    null));
            connections.connect();
            connections.declare();
            RunLedger ledger = new RunLedger(plan, Selections.of(plan), 1, RunCoordination.NONE, clock);
            ledger.askBefore(connections);
            Map<Integer, Long> missing = new HashMap<>();
            for (String queue : List.of("queue://Q1", "queue://Q51", "queue://NEW")) {
                missing.put(plan.destinations().indexOf(Destination.parse(queue)), queue.equals("queue://NEW") ? 0L : 3L);
            }
            ledger.askBroker(connections, missing);
            DeliveryCounts receipts = ledger.receipts(List.of());
            connections.close(false, () -> {});

            assertThat(List.of("queue://Q1", "queue://Q51", "queue://NEW")).extracting(
                queue -> receipts.waiting(plan.destinations().indexOf(Destination.parse(queue)))).containsExactly(0L, -1L, 0L);
        }
    }

    private static void awaitDepth(Connection connection, long depth) throws Exception {
        awaitDepth(connection, QUEUE, depth);
    }

    private static void awaitDepth(Connection connection, Destination queue, long depth) throws Exception {
        while (connection.depth(queue).orElseThrow() != depth) {
            Thread.sleep(5);
        }
    }

    @Test
    void whereTheBrokerCannotTellNothingIsCalledLost() throws Exception {
        LoopbackRun run = LoopbackRun.of();
        RunResult r = run.over(new Mute(run.driver())).count(300).drain(300).knobs("lose-every=10").execute();

        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).undelivered()).isEqualTo(30);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(r.failures()).containsExactly(new Finding.Undelivered(30, true, Duration.ofMillis(300), false));
    }

    @Test
    void whatWasSentBeforeTheSubscriptionWasNotDue() throws Exception {
        LoopbackRun run = LoopbackRun.of().on("topic://T").consumers(2).rate("1000").duration(700).consumersAfter(250);
        RunResult r = run.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(700);
        assertThat(ledger(r).lost() + ledger(r).left() + ledger(r).undelivered()).isZero();
        assertThat(ledger(r).beforeSubscription()).isPositive();
        assertThat(ledger(r).beforeSubscription() + r.received()).isEqualTo(1_400);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(run.events).extracting(Event::what).contains(new Finding.BeforeSubscription(ledger(r).beforeSubscription()));
    }

    @Test
    void aLossAfterALateSubscriptionIsStillALoss() throws Exception {
        RunResult r = LoopbackRun.of().on("topic://T").rate("1000").duration(600).consumersAfter(200).drain(200)
            .knobs("lose-every=10").execute();

        assertThat(ledger(r).undelivered()).isPositive().isLessThan(60);
        assertThat(ledger(r).beforeSubscription() + ledger(r).undelivered() + r.received()).isEqualTo(600);
        assertThat(r.exitCode()).isEqualTo(1);
    }

    @Test
    void whatWasSentToAQueueThatKeepsNothingBeforeTheFirstConsumerWasNotDue() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("1000").duration(600).consumersAfter(200).drain(200).knobs("lose-every=10");
        RunResult r = run.over(new Mute(run.driver())).execute();

        assertThat(ledger(r).beforeSubscription()).isPositive();
        assertThat(ledger(r).undelivered()).isPositive();
        assertThat(ledger(r).beforeSubscription() + ledger(r).undelivered()).isEqualTo(60);
    }

    @Test
    void duplicatesAfterTheLastDeliveryAreSeen() throws Exception {
        RunResult r = LoopbackRun.of().count(100).knobs("duplicate-every=100&duplicate-delay=30ms").execute();

        assertThat(ledger(r).duplicates()).isEqualTo(1);
        assertThat(r.received()).isEqualTo(101);
    }

    // ---- unknown and wrong fates ----

    @Test
    void unknownFatesAreTheirOwnClassAndTheLedgerSaysWhichWereDelivered() throws Exception {
        // Of 1,000 messages, every 90th is refused, and every 50th is not confirmed; every 100th is lost as well.
        RunResult r = LoopbackRun.of().count(1_000).drain(300).knobs("refuse-every=90&silent-every=50&lose-every=100").execute();

        // Numbers 449 and 899 meet both conditions, and are refused.
        assertThat(r.failed()).isEqualTo(11);
        assertThat(r.unconfirmed()).isEqualTo(18);
        assertThat(ledger(r).lostUnconfirmed()).isEqualTo(9);
        assertThat(ledger(r).unconfirmedDelivered()).isEqualTo(9);
        assertThat(ledger(r).lost()).isZero();
        assertThat(r.sent()).isEqualTo(r.completed() + r.failed() + r.unconfirmed());
        assertThat(r.failures()).contains(new Finding.Unconfirmed(18, 9));
    }

    @Test
    void messagesThatAreDeliveredThoughTheirSendFailedAreNamed() throws Exception {
        RunResult r = LoopbackRun.of().count(1_000).drain(300).knobs("deny-every=100&lose-every=90").execute();

        // Number 899 is both denied and lost.
        assertThat(r.failed()).isEqualTo(10);
        assertThat(ledger(r).failedDelivered()).isEqualTo(9);
        assertThat(ledger(r).unconfirmedDelivered()).isZero();
        assertThat(ledger(r).lost()).isEqualTo(10);
        assertThat(r.failures()).contains(new Finding.FailedDelivered(9));
    }

    // ---- messages from other destinations ----

    /** Half of the 1,000 messages are sent to the diverted queue, and delivered from both queues. */
    @Test
    void whatADivertBringsIsNoFailureAndTheRunSaysWhereItWasSentTo() throws Exception {
        LoopbackRun run = LoopbackRun.of();
        RunResult r = run.over(Diverting.over(run.driver(), Destination.parse("queue://A"), Destination.parse("queue://B")))
            .on("queue://A", "queue://B").rate("1000").count(1_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(1_500);
        assertThat(ledger(r).expected()).isEqualTo(1_000);
        assertThat(ledger(r).otherDestination()).isEqualTo(500);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(run.events).extracting(Event::what).contains(new Finding.FromOtherDestinations(500, "queue://A", "queue://B"));
    }

    // ---- consumers with a number of messages ----

    @Test
    void consumersTakeExactlyTheNumberAskedForAndLeaveTheRest() throws Exception {
        String name = "take-" + System.nanoTime();
        assertThat(LoopbackRun.of().at(name).count(500).sendOnly().execute().failures()).isEmpty();

        RunResult some = LoopbackRun.of().at(name).receiveOnly().consumers(3).consumerCount(100).duration(20_000).execute();
        assertThat(some.failures()).isEmpty();
        assertThat(some.received()).isEqualTo(100);
        assertThat(Objects.requireNonNull(some.measured().get(Metric.TRANSFER)).count()).isEqualTo(100);
        try (Connection connection = connect(new LoopbackDriver(), LoopbackRun.of().at(name).url())) {
            assertThat(connection.depth(QUEUE)).hasValue(400);
        }

        RunResult rest = LoopbackRun.of().at(name).receiveOnly().consumers(2).consumerCount(500).duration(300).execute();
        assertThat(rest.received()).isEqualTo(400);
        assertThat(rest.exitCode()).isEqualTo(1);
        assertThat(rest.failures()).containsExactly(new Finding.TooFewTaken("", 400, 500, Duration.ofMillis(300)));
    }

    @Test
    void anEmptyQueueIsAFailureForWhoeverAsksForMessages() throws Exception {
        RunResult r = LoopbackRun.of().receiveOnly().consumerCount(100).duration(200).execute();

        assertThat(r.failures()).containsExactly(new Finding.TooFewTaken("", 0, 100, Duration.ofMillis(200)));
    }

    @Test
    void whatConsumersWereNotToTakeIsNeitherLostNorWaitedFor() throws Exception {
        RunResult r = LoopbackRun.of().count(500).consumers(3).consumerCount(100).drain(60_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(100);
        assertThat(ledger(r).untaken()).isEqualTo(r.completed() - 100);
        assertThat(ledger(r).lost() + ledger(r).left() + ledger(r).undelivered()).isZero();
        assertThat(ledger(r).closes()).isTrue();
        assertThat(r.elapsed()).isLessThan(Duration.ofSeconds(30));
    }

    // ---- clocks ----

    @Test
    void anotherClockAndTimesBelowZeroAreCountedAndSaid() throws Exception {
        LoopbackRun run = LoopbackRun.of().receiveOnly().duration(300);
        try (Connection other = connect(run.driver(), run.url())) {
            // The lowest bits of a run's number identify its clock.
            fill(other, 7, Envelope.newRun(3) ^ 0x1000);
            RunResult r = run.execute();

            assertThat(Objects.requireNonNull(r.measured().get(Metric.TRANSFER)).negative()).isEqualTo(7);
            assertThat(run.events).extracting(Event::what).contains(new Finding.OtherClock(7), new Finding.TransfersBelowZero(7));
        }
    }

    private static Connection connect(Driver driver, String url) throws Exception {
        return driver.connect(new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1)), LoopbackRun.DEAF);
    }

    /** Sends messages of another run, due in an hour. */
    private static void fill(Connection connection, int count, long run) throws Exception {
        fill(connection, QUEUE, count, run);
    }

    private static void fill(Connection connection, Destination queue, int count, long run) throws Exception {
        Producer producer = connection.producer(queue, ProducerSettings.of(its -> its.maxPending = 10), SendListener.NONE);
        byte[] body = Bodies.create(64);
        Envelope.prepare(body, run, 0, true);
        for (int i = 0; i < count; i++) {
            // A virtual clock of this JVM may be hours ahead, after what other tests let pass.
            Envelope.stamp(body, i, EpochClock.nanos() + 1_000 * 3_600_000_000_000L, 0, 64);
            producer.send(new Payload(body), i);
        }
    }

    /**
     * A loopback driver that reports its queues like those of MQTT: they keep no messages for later consumers, and their depth is not
     * known.
     */
    private static final class Mute implements Driver {

        private final Driver driver;

        Mute(Driver driver) {
            this.driver = driver;
        }

        @Override
        public String protocol() {
            return driver.protocol();
        }

        @Override
        public Set<String> schemes() {
            return driver.schemes();
        }

        @Override
        public Set<Capability> capabilities() {
            Set<Capability> can = EnumSet.copyOf(driver.capabilities());
            can.remove(Capability.DEPTH);
            return can;
        }

        @Override
        public boolean keeps(ConnectionSettings settings, Destination destination) {
            return false;
        }

        @Override
        public String client() {
            return driver.client();
        }

        @Override
        public void check(ConnectionSettings settings) {
            driver.check(settings);
        }

        @Override
        public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
            return driver.connect(settings, listener);
        }
    }

    /** Closing gets two seconds after a drain in which the broker was silent, and each queue takes a moment to show a steady number. */
    @Test
    void howMuchOfWhatIsMissingWaitsIsFoundOutForAllQueuesTogether() throws Exception {
        String[] queues = IntStream.range(0, 20).mapToObj(i -> "queue://Q" + i).toArray(String[]::new);
        RunResult r = LoopbackRun.of().on(queues).count(80).knobs("lose-every=2").drain(3_000).execute();

        assertThat(r.failures()).containsExactly(new Finding.Lost(40, true, Duration.ofSeconds(3)));
    }
}
