package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.LedgerReport;
import org.junit.jupiter.api.Test;

/** Ledgers of several processes that ran parts of one run: producers 0 and 1 send to destination 0, producer 2 to destination 1. */
class LedgerPartsTest {

    private static final BitSet NOBODY = new BitSet();

    private static SequenceSet upTo(long end) {
        SequenceSet set = SequenceSet.forOneWriter();
        for (long number = 0; number < end; number++) {
            set.add(number);
        }
        return set;
    }

    private static Ledger.Sent sent(int producer, int destination, SequenceSet... confirmed) {
        return Ledger.Sent.of(its -> {
            its.producer = producer;
            its.destination = destination;
            its.sent = confirmed[0].size();
            its.confirmed = confirmed;
        });
    }

    private static void deliver(SubscriptionLedger to, int producer, long from, long end) {
        for (long number = from; number < end; number++) {
            to.add(to.producerIndex(5, producer), number);
        }
    }

    private static void joined(Ledger into, Ledger part, Ledger.Sent... senders) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        part.write(new DataOutputStream(bytes), List.of(senders));
        into.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    /** Two processes send ten messages each to destination 0, and each receives some of both. */
    @Test
    void whatIsDueAndWhatArrivedAgreeWhenAllProcessesTogetherHaveAll() {
        Ledger first = Ledger.of(5, 0, 0, 1);
        SubscriptionLedger one = first.subscribe(0, 1, Ledger.ALL);
        deliver(one, 0, 0, 4);
        deliver(one, 1, 0, 5);
        Ledger second = Ledger.of(5, 0, 0, 1);
        SubscriptionLedger other = second.subscribe(0, 1, Ledger.ALL);
        deliver(other, 0, 4, 10);
        deliver(other, 1, 5, 9);
        Ledger.Balance a = first.balance(List.of(sent(0, 0, upTo(10))), NOBODY);
        Ledger.Balance b = second.balance(List.of(sent(1, 0, upTo(10))), NOBODY);

        assertThat(a.due()).isEqualTo(10);
        assertThat(a.delivered()).isEqualTo(9);
        assertThat(a.missing()).isEqualTo(Map.of(0, 1L));
        assertThat(b.delivered()).isEqualTo(10);
        assertThat(b.missing()).isEmpty();
        assertThat(a.dueSum() + b.dueSum()).as("one is missing").isNotEqualTo(a.deliveredSum() + b.deliveredSum());

        deliver(other, 1, 9, 10);
        Ledger.Balance all = second.balance(List.of(sent(1, 0, upTo(10))), NOBODY);
        assertThat(all.missing()).isEqualTo(Map.of(0, -1L));
        assertThat(a.dueSum() + all.dueSum()).isEqualTo(a.deliveredSum() + all.deliveredSum());

        BitSet withoutSecond = new BitSet();
        withoutSecond.set(1);
        Ledger.Balance less = second.balance(List.of(sent(1, 0, upTo(10))), withoutSecond);
        assertThat(less.due()).isZero();
        assertThat(less.delivered()).isEqualTo(6);
    }

    /** The first message of each producer adds nothing to a sum of numbers, and is told from another's all the same. */
    @Test
    void theFirstMessageIsThatOfItsProducer() {
        Ledger ledger = Ledger.of(5, 0, 0);
        SubscriptionLedger all = ledger.subscribe(0, 1, Ledger.ALL);
        deliver(all, 1, 0, 1);
        Ledger.Balance other = ledger.balance(List.of(sent(0, 0, upTo(1))), NOBODY);
        assertThat(other.missing()).isEmpty();
        assertThat(other.dueSum()).isNotEqualTo(other.deliveredSum());
        Ledger.Balance own = ledger.balance(List.of(sent(1, 0, upTo(1))), NOBODY);
        assertThat(own.dueSum()).isEqualTo(own.deliveredSum());
    }

    /** As many deliveries as are due, but not those: another message, another producer's, another subscription's. */
    @Test
    void anotherDeliveryIsNotTheOneThatIsDue() {
        for (int wrong = 0; wrong < 4; wrong++) {
            Ledger ledger = Ledger.of(5, 0, 0, 1);
            SubscriptionLedger all = ledger.subscribe(0, 1, Ledger.ALL);
            SubscriptionLedger selected = ledger.subscribe(0, 1, 0);
            deliver(all, 0, 0, 9);
            deliver(selected, 0, 0, 9);
            if (wrong == 0) {
                deliver(all, 0, 9, 10);
            } else if (wrong == 1) {
                deliver(all, 0, 11, 12);
            } else if (wrong == 2) {
                deliver(all, 1, 9, 10);
            } else {
                deliver(selected, 0, 9, 10);
            }
            Ledger.Balance balance = ledger.balance(List.of(sent(0, 0, upTo(10), upTo(9))), NOBODY);
            assertThat(balance.due()).isEqualTo(19);
            assertThat(balance.delivered()).isEqualTo(19);
            assertThat(balance.missing()).isEmpty();
            assertThat(balance.dueSum() == balance.deliveredSum()).as("case %d", wrong).isEqualTo(wrong == 0);
        }
    }

    @Test
    void whatOnlyTheBrokerKnowsOrNobodyWaitsForIsNotInTheBalance() {
        Ledger ledger = Ledger.of(5, 0, 0, 1);
        deliver(ledger.subscribe(0, 1, Ledger.UNKNOWN), 0, 0, 4);
        SubscriptionLedger enough = ledger.subscribe(0, 1, Ledger.ALL);
        deliver(enough, 0, 0, 4);
        enough.satisfied();
        assertThat(ledger.balance(List.of(sent(0, 0, upTo(10))), NOBODY)).isEqualTo(new Ledger.Balance(0, 0, 0, 0, Map.of()));
        assertThat(ledger.outstanding(List.of(sent(0, 0, upTo(10))))).isEmpty();
    }

    /** The last numbers of a producer whose process was lost are those that somebody received. */
    @Test
    void theHighestNumberThatAnySubscriptionHas() {
        Ledger ledger = Ledger.of(5, 0, 0, 1);
        SubscriptionLedger one = ledger.subscribe(0, 1, Ledger.ALL);
        SubscriptionLedger other = ledger.subscribe(0, 1, Ledger.ALL);
        SubscriptionLedger elsewhere = ledger.subscribe(1, 1, Ledger.ALL);
        deliver(one, 0, 0, 4);
        deliver(other, 0, 7, 8);
        deliver(elsewhere, 0, 9, 10);
        assertThat(ledger.seenFrom(0)).isEqualTo(7);
        assertThat(ledger.seenFrom(1)).isEqualTo(-1);
        assertThat(ledger.seenFrom(2)).isEqualTo(-1);
        deliver(elsewhere, 2, 0, 1);
        assertThat(ledger.seenFrom(2)).isZero();
    }

    /** Of three messages that two processes received, the broker marked one in the first process and one in the second. */
    @Test
    void aDuplicateOfTwoProcessesMayHaveBeenMarkedInEither() throws Exception {
        Ledger joint = Ledger.of(5, 0, 0, 1);
        joint.subscribe(0, 1, Ledger.ALL);
        for (int process = 0; process < 2; process++) {
            Ledger part = Ledger.of(5, 0, 0, 1);
            part.inParts();
            SubscriptionLedger subscription = part.subscribe(0, 1, Ledger.ALL);
            deliver(subscription, 1, 0, 3);
            subscription.marked(1, process);
            // Repeated more often than any client sends again.
            for (int i = 0; i < 20; i++) {
                subscription.repeated(1, 2);
            }
            joined(joint, part);
        }
        assertThat(joint.again()).isEqualTo(3);
        assertThat(joint.againMarked()).isEqualTo(2);
        Ledger.Sent doubted = Ledger.Sent.of(its -> {
            its.producer = 1;
            its.destination = 0;
            its.sent = 3;
            its.doubted = upTo(3);
        });
        assertThat(joint.resent(List.of(doubted))).as("eight times, and once in the second process").isEqualTo(9);

        Ledger alone = Ledger.of(5, 0, 0, 1);
        SubscriptionLedger subscription = alone.subscribe(0, 1, Ledger.ALL);
        deliver(subscription, 1, 0, 3);
        subscription.repeated(1, 2);
        subscription.marked(1, 2);
        assertThat(alone.resent(List.of(doubted))).as("a single process counts them itself").isZero();
        assertThat(alone.again()).isZero();
    }

    @Test
    void theFateOfMessagesOfALostProcessIsNotGuessed() {
        for (boolean silent : new boolean[] {false, true}) {
            Ledger ledger = Ledger.of(5, 0);
            deliver(ledger.subscribe(0, 1, Ledger.ALL), 0, 0, 3);
            LedgerReport report = ledger.close(List.of(Ledger.Sent.of(its -> {
                its.producer = 0;
                its.destination = 0;
                its.sent = 10;
                its.silent = silent;
            })), Counts.NONE, d -> 0);
            assertThat(report.unconfirmedDelivered()).isEqualTo(silent ? 0 : 3);
        }
    }

    /** The broker holds four messages of a destination that has two subscriptions, each of which lacks three. */
    @Test
    void whatTheBrokerHoldsIsLeftForOneSubscriptionOnly() {
        Ledger ledger = Ledger.of(5, 0);
        for (int i = 0; i < 2; i++) {
            deliver(ledger.subscribe(0, 1, Ledger.ALL), 0, 0, 7);
        }
        LedgerReport report = ledger.close(List.of(sent(0, 0, upTo(10))), Counts.NONE, d -> 4);
        assertThat(report.left()).isEqualTo(4);
        assertThat(report.lost()).isEqualTo(2);
    }

    /** Of numbers 10 to 14 of a producer of some run, two processes that only receive have four, and one of them has a second run's. */
    @Test
    void processesThatOnlyReceiveAddUpWhatTheyHave() throws Exception {
        Ledger joint = Ledger.ofAnyRun();
        joint.subscribe(0, 1, Ledger.ALL);
        for (int process = 0; process < 2; process++) {
            Ledger part = Ledger.ofAnyRun();
            part.inParts();
            SubscriptionLedger subscription = part.subscribe(0, 1, Ledger.ALL);
            if (process == 1) {
                subscription.add(subscription.producerIndex(0, 0), 7);
            }
            int index = subscription.producerIndex(3, 2);
            subscription.add(index, 10 + process);
            subscription.add(index, 13 + process);
            joined(joint, part);
        }
        LedgerReport report = joint.close(List.of(), Counts.NONE, d -> 0);
        assertThat(report.lost()).as("12").isEqualTo(1);
        assertThat(report.expected()).isEqualTo(6);
    }

    /** Each process knows for its own producers which of their messages came before the subscription. */
    @Test
    void theBeginOfASubscriptionIsAddedUp() throws Exception {
        Ledger joint = Ledger.of(5, 0, 0);
        joint.subscribe(0, 1, Ledger.ALL).toBeMade();
        for (int process = 0; process < 2; process++) {
            int own = process;
            Ledger part = Ledger.of(5, 0, 0);
            part.inParts();
            SubscriptionLedger late = part.subscribe(0, 1, Ledger.ALL);
            late.toBeMade();
            late.made(producer -> producer == own ? 2 + own : 0);
            joined(joint, part);
        }
        LedgerReport report = joint.close(List.of(sent(0, 0, upTo(5)), sent(1, 0, upTo(5))), Counts.NONE, d -> 0);
        assertThat(report.lost()).isEqualTo(3 + 2);
        assertThat(report.beforeSubscription()).isEqualTo(2 + 3);
    }

    @Test
    void aDamagedLedgerIsRefused() throws Exception {
        Ledger part = Ledger.of(5, 0);
        deliver(part.subscribe(0, 1, Ledger.ALL), 0, 0, 3);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        part.write(new DataOutputStream(bytes), List.of());
        // Behind two counts, whether it is satisfied, when it was made, and the number of producers comes the first producer.
        for (long key : new long[] {-2, Long.MIN_VALUE, 0}) {
            byte[] damaged = ByteBuffer.wrap(bytes.toByteArray()).putLong(17, key).array();
            Ledger joint = Ledger.of(5, 0);
            joint.subscribe(0, 1, Ledger.ALL);
            assertThatThrownBy(() -> joint.add(new DataInputStream(new ByteArrayInputStream(damaged)))).isInstanceOf(IOException.class)
                .hasMessage("A ledger is about a producer that " + (key == 0 ? "the run" : "its destination") + " has not.");
        }
    }

    @Test
    void theLedgerOfAnotherRunIsRefused() {
        Ledger part = Ledger.of(5, 0, 0, 1);
        deliver(part.subscribe(0, 1, Ledger.ALL), 1, 0, 3);

        Ledger fewer = Ledger.of(5, 0);
        fewer.subscribe(0, 1, Ledger.ALL);
        assertThatThrownBy(() -> joined(fewer, part)).isInstanceOf(IOException.class)
            .hasMessage("A ledger is about a producer that its destination has not.");
        assertThatThrownBy(() -> joined(fewer, part, sent(1, 0, upTo(3)))).isInstanceOf(IOException.class)
            .hasMessage("A ledger is about a producer 1 that the run has not.");
        assertThatThrownBy(() -> joined(fewer, part, sent(-1, 0, upTo(3)))).isInstanceOf(IOException.class)
            .hasMessage("A ledger is about a producer -1 that the run has not.");
        fewer.subscribe(0, 1, Ledger.ALL);
        assertThatThrownBy(() -> joined(fewer, part)).isInstanceOf(IOException.class)
            .hasMessage("A ledger has other subscriptions than the run.");

        Ledger late = Ledger.of(5, 0, 0, 1);
        SubscriptionLedger made = late.subscribe(0, 1, Ledger.ALL);
        made.toBeMade();
        made.made(_ -> 2);
        Ledger one = Ledger.of(5, 0);
        one.subscribe(0, 1, Ledger.ALL);
        assertThatThrownBy(() -> joined(one, late)).isInstanceOf(IOException.class)
            .hasMessage("A ledger is about producers that its destination has not.");
    }
}
