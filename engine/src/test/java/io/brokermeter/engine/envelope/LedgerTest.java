package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Test;

class LedgerTest {

    private static final Counts NOTHING = received(0);

    private static Counts received(long ours) {
        return Counts.NONE.with(Count.LEDGER_RECEIVED, ours);
    }

    private static SequenceSet set(long... numbers) {
        SequenceSet set = SequenceSet.forOneWriter();
        for (long number : numbers) {
            set.add(number);
        }
        return set;
    }

    private static Ledger.Sent sent(int producer, int destination, long sent, SequenceSet failed, SequenceSet... confirmed) {
        return Ledger.Sent.of(its -> {
            its.producer = producer;
            its.destination = destination;
            its.sent = sent;
            its.confirmed = confirmed;
            its.failed = failed;
        });
    }

    private static long outstanding(Ledger ledger, Ledger.Sent... senders) {
        return ledger.outstanding(List.of(senders)).values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void whatCameUnexpectedlyHidesNothingThatIsMissing() {
        Ledger ledger = Ledger.of(5, 0, 0);
        SubscriptionLedger subscription = ledger.subscribe(0, 1, Ledger.ALL);
        // Number 1 of producer 0 failed but was delivered; number 1 of producer 1 is confirmed and missing.
        for (int producer = 0; producer < 2; producer++) {
            subscription.add(subscription.producerIndex(5, producer), 0);
        }
        subscription.add(subscription.producerIndex(5, 0), 1);

        Ledger.Sent first = sent(0, 0, 2, set(1), set(0));
        Ledger.Sent second = sent(1, 0, 2, set(), set(0, 1));
        assertThat(outstanding(ledger, first, second)).isEqualTo(1);
        subscription.add(subscription.producerIndex(5, 1), 1);
        assertThat(outstanding(ledger, first, second)).isZero();
        assertThat(ledger.close(List.of(first, second), received(4), d -> 0).failedDelivered()).isEqualTo(1);
    }

    @Test
    void everySubscriptionIsLookedAtByItself() {
        Ledger ledger = Ledger.of(5, 0);
        SubscriptionLedger one = ledger.subscribe(0, 1, Ledger.ALL);
        SubscriptionLedger other = ledger.subscribe(0, 1, Ledger.ALL);
        // One subscription received a message of unknown fate, the other one lacks a confirmed message.
        one.add(0, 0);
        one.add(0, 1);
        Ledger.Sent sender = sent(0, 0, 2, set(), set(0));

        assertThat(outstanding(ledger, sender)).isEqualTo(1);
        other.add(0, 0);
        assertThat(outstanding(ledger, sender)).isZero();

        LedgerReport report = ledger.close(List.of(sender), received(3), d -> -1);
        assertThat(report.unconfirmedDelivered()).isEqualTo(1);
        assertThat(report.lostUnconfirmed()).isEqualTo(1);
        assertThat(report.closes()).isTrue();
    }

    /** A part of the unconfirmed sends must not exceed their number. */
    @Test
    void aMessageOfUnknownFateThatArrivedInSeveralSubscriptionsIsOneMessage() {
        Ledger ledger = Ledger.of(5, 0);
        List<SubscriptionLedger> three = Stream.generate(() -> ledger.subscribe(0, 1, Ledger.ALL)).limit(3).toList();
        three.forEach(one -> IntStream.range(0, 9).forEach(sequence -> one.add(0, sequence)));
        three.getLast().add(0, 9);
        Ledger.Sent sender = Ledger.Sent.of(its -> {
            its.producer = 0;
            its.destination = 0;
            its.sent = 10;
            its.confirmed = new SequenceSet[] {set(0, 1, 2)};
            its.failed = set(3, 4);
            its.rolledBack = set(5);
        });
        LedgerReport report = ledger.close(List.of(sender), received(28), d -> -1);
        assertThat(report.unconfirmedDelivered()).as("6 to 9").isEqualTo(4);
        assertThat(report.failedDelivered()).isEqualTo(2);
        assertThat(report.rolledBackDelivered()).isEqualTo(1);
        assertThat(report.closes()).isTrue();
    }

    /** Numbers 3 to 8 have an unknown fate; the subscription begins with number 6, and gets 7 of them, and 4 from before. */
    @Test
    void whatHasAnUnknownFateIsLostFromTheBeginOfTheSubscriptionOn() {
        Ledger ledger = Ledger.of(5, 0);
        SubscriptionLedger late = ledger.subscribe(0, 1, Ledger.ALL);
        late.toBeMade();
        late.made(_ -> 6);
        late.made(_ -> 0);
        for (long number : new long[] {4, 7, 9, 10, 11}) {
            late.add(0, number);
        }
        Ledger.Sent sender = Ledger.Sent.of(its -> {
            its.producer = 0;
            its.destination = 0;
            its.sent = 12;
            its.confirmed = new SequenceSet[] {set(0, 9)};
            its.failed = set(1, 10);
            its.rolledBack = set(2, 11);
        });
        LedgerReport report = ledger.close(List.of(sender), received(5), d -> 0);
        assertThat(report.lostUnconfirmed()).as("6 and 8").isEqualTo(2);
        assertThat(report.unconfirmedDelivered()).as("4 and 7").isEqualTo(2);
        assertThat(report.beforeSubscription()).as("0").isEqualTo(1);
        assertThat(report.failedDelivered()).isEqualTo(1);
        assertThat(report.rolledBackDelivered()).isEqualTo(1);
        assertThat(report.lost()).isZero();
        assertThat(report.closes()).isTrue();
    }

    /** The first message comes from the last of six producers. */
    @Test
    void producersMayComeInAnyOrder() {
        Ledger ledger = Ledger.of(5, 0, 0, 0, 0, 0, 0);
        SubscriptionLedger subscription = ledger.subscribe(0, 1, Ledger.ALL);
        assertThat(subscription.add(subscription.producerIndex(5, 5), 7)).isTrue();
        assertThat(subscription.add(subscription.producerIndex(5, 1), 8)).isTrue();
        assertThat(subscription.add(subscription.producerIndex(5, 5), 7)).isFalse();
        assertThat(ledger.seenFrom(5)).isEqualTo(7);
        assertThat(ledger.seenFrom(1)).isEqualTo(8);
    }

    @Test
    void aSubscriptionThatWasThereFromTheBeginningIsNotMadeAgain() {
        Ledger ledger = Ledger.of(5, 0);
        ledger.subscribe(0, 1, Ledger.ALL).made(_ -> 2);
        Ledger.Sent sender = sent(0, 0, 3, set(), set(0, 1, 2));
        assertThat(ledger.outstanding(List.of(sender))).isEqualTo(Map.of(0, 3L));
        assertThat(ledger.close(List.of(sender), NOTHING, d -> 0).lost()).isEqualTo(3);
    }

    @Test
    void whereNothingIsMissingNothingIsNamed() {
        Ledger ledger = Ledger.of(5, 0, 1);
        SubscriptionLedger one = ledger.subscribe(0, 1, Ledger.ALL);
        ledger.subscribe(0, 1, Ledger.UNKNOWN);
        ledger.subscribe(1, 1, Ledger.ALL);
        one.add(0, 0);
        assertThat(ledger.outstanding(List.of(sent(0, 0, 1, set(), set(0)), sent(1, 1, 1, set(), set(0))))).isEqualTo(Map.of(1, 1L));
    }

    /** What only the broker selects is expected as it comes. */
    @Test
    void whatTheBrokerSelectsIsDueAsItComes() {
        Ledger ledger = Ledger.of(5, 0);
        SubscriptionLedger unknown = ledger.subscribe(0, 1, Ledger.UNKNOWN);
        unknown.add(0, 0);
        unknown.add(0, 2);
        LedgerReport report = ledger.close(List.of(sent(0, 0, 3, set(), set(0, 1, 2))), received(2), d -> 0);
        assertThat(report.expected()).isEqualTo(2);
        assertThat(report.lost()).isZero();
        assertThat(report.closes()).isTrue();
    }

    /** Each of two subscriptions received another of the two messages whose fate is unknown. */
    @Test
    void whatAnySubscriptionReceivedHasArrived() {
        Ledger ledger = Ledger.of(5, 0);
        ledger.subscribe(0, 1, Ledger.ALL).add(0, 0);
        ledger.subscribe(0, 1, Ledger.ALL).add(0, 1);
        LedgerReport report = ledger.close(List.of(sent(0, 0, 2, set(), set())), received(2), d -> 0);
        assertThat(report.unconfirmedDelivered()).isEqualTo(2);
        assertThat(report.lostUnconfirmed()).isEqualTo(2);
    }

    /** Two producers whose messages a wildcard brings here as well: what was rolled back is found by its producer. */
    @Test
    void messagesOfOtherDestinationsAreToldByTheirProducers() {
        Ledger ledger = Ledger.of(5, 0, 1, 2);
        SubscriptionLedger subscription = ledger.subscribe(0, 1, Ledger.ALL);
        subscription.add(subscription.producerIndex(5, 1), 3);
        subscription.add(subscription.producerIndex(5, 2), 4);
        subscription.add(subscription.producerIndex(5, 2), 5);
        List<Ledger.Sent> senders = IntStream.of(1, 2).mapToObj(producer -> Ledger.Sent.of(its -> {
            its.producer = producer;
            its.destination = producer;
            its.sent = 6;
            its.rolledBack = producer == 1 ? set(3) : set(5);
        })).toList();
        LedgerReport report = ledger.close(senders, received(3), d -> 0);
        assertThat(report.rolledBackDelivered()).isEqualTo(2);
        assertThat(report.unconfirmedDelivered()).as("4 of producer 2").isEqualTo(1);
        assertThat(report.otherDestination()).isEqualTo(3);
        assertThat(report.closes()).isTrue();
    }

    @Test
    void differentProducersHaveDifferentIndicesHoweverManyConsumersFindThemAtOnce() throws Exception {
        int consumers = 4;
        for (int round = 0; round < 50; round++) {
            SubscriptionLedger subscription = Ledger.ofAnyRun().subscribe(0, consumers, Ledger.ALL);
            CyclicBarrier together = new CyclicBarrier(consumers);
            ConcurrentLinkedQueue<Integer> indices = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int c = 0; c < consumers; c++) {
                int own = c;
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        together.await();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                    for (int producer = 0; producer < 20; producer++) {
                        indices.add(subscription.producerIndex(7, producer * consumers + own));
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            Set<Integer> different = new HashSet<>(indices);
            assertThat(different).as("round %d", round).hasSize(20 * consumers);
        }
    }

    @Test
    void indicesGrowWithTheProducersOfTheDestinationOnly() {
        int many = 10_000;
        int[] destinations = new int[many];
        for (int i = 0; i < many; i++) {
            destinations[i] = i;
        }
        Ledger ledger = Ledger.of(9, destinations);
        assertThat(ledger.subscribe(many - 1, 1, Ledger.ALL).producerIndex(9, many - 1)).isZero();
        assertThat(ledger.subscribe(3, 1, Ledger.ALL).producerIndex(9, many)).isEqualTo(-1);
        assertThat(ledger.subscribe(3, 1, Ledger.ALL).producerIndex(8, 3)).isEqualTo(-1);
        // A message that was sent to another destination adds its producer.
        assertThat(ledger.subscribe(3, 1, Ledger.ALL).producerIndex(9, 4)).isEqualTo(1);
    }

    @Test
    void onlyWhatMeetsTheSelectorIsExpectedAndWhatDoesNotIsNamed() {
        Ledger ledger = Ledger.of(1, 0);
        SubscriptionLedger subscription = ledger.subscribe(0, 1, 0);
        for (long number : new long[] {0, 2, 3, 6}) {
            subscription.add(0, number);
        }
        // Numbers 0, 2 and 4 match the selector, and number 6 was not confirmed, so nobody knows.
        Ledger.Sent sender = sent(0, 0, 7, set(), set(0, 1, 2, 3, 4, 5), set(0, 2, 4));
        LedgerReport report = ledger.close(List.of(sender), received(4), d -> 0);

        assertThat(report.expected()).isEqualTo(4);
        assertThat(report.lost()).isEqualTo(1);
        assertThat(report.unselected()).isEqualTo(1);
        assertThat(report.closes()).isTrue();
    }

    /**
     * Producer 0 sends to this destination: number 1 is delivered twice and number 2 never. Producer 1 sends to another destination:
     * numbers 0 and 5 are delivered, number 5 twice and although it was rolled back.
     */
    @Test
    void whatWasSentToOtherDestinationsIsAClassOfItsOwnThatHidesNoLoss() throws Exception {
        Ledger ledger = Ledger.of(5, 0, 1);
        SubscriptionLedger subscription = ledger.subscribe(0, 1, Ledger.ALL);
        ledger.subscribe(1, 1, Ledger.ALL).satisfied();
        for (long number : new long[] {0, 1, 1}) {
            subscription.add(subscription.producerIndex(5, 0), number);
        }
        for (long number : new long[] {0, 5, 5}) {
            subscription.add(subscription.producerIndex(5, 1), number);
        }
        List<Ledger.Sent> senders = List.of(sent(0, 0, 3, set(), set(0, 1, 2)), Ledger.Sent.of(its -> {
            its.producer = 1;
            its.destination = 1;
            its.sent = 6;
            its.confirmed = new SequenceSet[] {set(0, 1, 2, 3, 4)};
            its.rolledBack = set(5);
        }));
        Counts received = received(6).with(Count.DUPLICATES, 2);
        LedgerReport report = ledger.close(senders, received, d -> 0);

        assertThat(report.otherDestination()).isEqualTo(2);
        assertThat(report.detour()).isEqualTo(new LedgerReport.Detour(1, 0));
        assertThat(report.lost()).isEqualTo(1);
        assertThat(report.untaken()).isEqualTo(5);
        assertThat(report.expected()).isEqualTo(8);
        assertThat(report.rolledBackDelivered()).isEqualTo(1);
        assertThat(report.unconfirmedDelivered()).isZero();
        assertThat(report.closes()).isTrue();

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ledger.write(new DataOutputStream(bytes), senders);
        Ledger joint = Ledger.of(5, 0, 1);
        joint.subscribe(0, 1, Ledger.ALL);
        joint.subscribe(1, 1, Ledger.ALL);
        List<Ledger.Sent> written = joint.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertThat(joint.close(written, received, d -> 0)).isEqualTo(report);

        Ledger another = Ledger.of(6, 0, 1);
        another.subscribe(0, 1, Ledger.ALL);
        another.subscribe(1, 1, Ledger.ALL);
        assertThatThrownBy(() -> another.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
            .isInstanceOf(IOException.class).hasMessage("A ledger is about a producer that the run has not.");
    }

    @Test
    void gapsBehindASelectorAreNoLossForWhoeverOnlyReceives() {
        for (int selection : new int[] {Ledger.ALL, Ledger.UNKNOWN}) {
            Ledger ledger = Ledger.ofAnyRun();
            SubscriptionLedger subscription = ledger.subscribe(0, 1, selection);
            int index = subscription.producerIndex(3, 0);
            subscription.add(index, 10);
            subscription.add(index, 14);
            LedgerReport report = ledger.close(List.of(), received(2), d -> -1);

            assertThat(report.lost()).isEqualTo(selection == Ledger.ALL ? 3 : 0);
            assertThat(report.closes()).isTrue();
        }
    }

    @Test
    void aNumberOutOfRangeLeavesNoGap() {
        Ledger ledger = Ledger.ofAnyRun();
        SubscriptionLedger subscription = ledger.subscribe(0, 1, Ledger.ALL);
        int index = subscription.producerIndex(3, 0);
        assertThatThrownBy(() -> subscription.add(index, SequenceSet.LIMIT)).isInstanceOf(IllegalArgumentException.class);

        assertThat(ledger.close(List.of(), received(0), d -> -1).lost()).isZero();
    }

    @Test
    void gapsOfConsumersThatTookEnoughAreNoLoss() {
        Ledger ledger = Ledger.ofAnyRun();
        SubscriptionLedger subscription = ledger.subscribe(0, 2, Ledger.ALL);
        int index = subscription.producerIndex(3, 0);
        subscription.add(index, 10);
        subscription.add(index, 14);
        subscription.satisfied();
        LedgerReport report = ledger.close(List.of(), received(2), d -> -1);

        assertThat(report.lost()).isZero();
        assertThat(report.closes()).isTrue();
    }

    @Test
    void whatTheBrokerHoldsIsLeftAndTheRestIsLost() {
        Ledger ledger = Ledger.of(1, 0, 0, 1);
        ledger.subscribe(0, 1, Ledger.ALL);
        ledger.subscribe(1, 1, Ledger.ALL);
        List<Ledger.Sent> senders = List.of(sent(0, 0, 4, set(), set(0, 1, 2, 3)), sent(1, 0, 2, set(), set(0, 1)),
            sent(2, 1, 3, set(), set(0, 1, 2)));
        LedgerReport report = ledger.close(senders, NOTHING, destination -> destination == 0 ? 5 : -1);

        assertThat(report.left()).isEqualTo(5);
        assertThat(report.lost()).isEqualTo(1);
        assertThat(report.undelivered()).isEqualTo(3);
        assertThat(report.closes()).isTrue();
    }

    @Test
    void whatAClientOfAnotherProcessSentAgainCountsEachTimeThatItCame() throws Exception {
        Ledger joint = Ledger.of(5, 0);
        joint.subscribe(0, 2, Ledger.ALL);
        Ledger.Sent sender = Ledger.Sent.of(its -> {
            its.producer = 0;
            its.destination = 0;
            its.sent = 3;
            its.confirmed = new SequenceSet[] {set(0, 1, 2)};
            its.doubted = set(1);
        });
        // Number 1 may have been sent twice, number 2 may not. Each is delivered to one process three times and to two others once.
        for (int process = 0; process < 3; process++) {
            Ledger one = Ledger.of(5, 0);
            SubscriptionLedger subscription = one.subscribe(0, 2, Ledger.ALL);
            one.inParts();
            for (long number : new long[] {1, 2}) {
                assertThat(subscription.add(0, number)).isTrue();
                for (int more = 0; more < (process == 0 ? 2 : 0); more++) {
                    assertThat(subscription.add(0, number)).isFalse();
                    subscription.repeated(0, number);
                }
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            one.write(new DataOutputStream(bytes), List.of());
            joint.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        }
        assertThat(joint.again()).isEqualTo(4);
        assertThat(joint.resent(List.of(sender))).isEqualTo(4);
    }

    /** Two of four messages were sent before the subscription was created, and one of the others was delivered. */
    @Test
    void whatALateSubscriptionLacksIsMissingForAllProcessesTogether() throws Exception {
        Ledger.Sent sender = sent(1, 1, 4, set(), set(0, 1, 2, 3));
        Ledger one = Ledger.of(5, 0, 1);
        one.inParts();
        SubscriptionLedger late = one.subscribe(1, 1, Ledger.ALL);
        late.toBeMade();
        assertThat(one.balance(List.of(sender), new BitSet()).due()).as("before there is one").isZero();
        late.made(producer -> 2);
        late.add(late.producerIndex(5, 1), 3);
        assertThat(one.balance(List.of(sender), new BitSet())).isEqualTo(new Ledger.Balance(1, 1, 0, 0, Map.of(1, 1L)));

        Counts received = received(1);
        LedgerReport alone = one.close(List.of(sender), received, d -> 0);
        Ledger other = Ledger.of(5, 0, 1);
        other.inParts();
        other.subscribe(1, 1, Ledger.ALL).toBeMade();
        for (boolean otherFirst : new boolean[] {true, false}) {
            Ledger joint = Ledger.of(5, 0, 1);
            joint.subscribe(1, 1, Ledger.ALL).toBeMade();
            List<Ledger.Sent> senders = new ArrayList<>();
            for (Ledger part : otherFirst ? List.of(other, one) : List.of(one, other)) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                part.write(new DataOutputStream(bytes), part == one ? List.of(sender) : List.of());
                senders.addAll(joint.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))));
            }
            assertThat(joint.close(senders, received, d -> 0)).isEqualTo(alone);
        }
        assertThat(alone.lost()).isEqualTo(1);
        assertThat(alone.beforeSubscription()).isEqualTo(2);
        late.add(late.producerIndex(5, 1), 2);
        assertThat(one.balance(List.of(sender), new BitSet())).isEqualTo(new Ledger.Balance(0, 0, 0, 0, Map.of()));
    }
}
