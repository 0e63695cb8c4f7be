package io.brokermeter.driver.amqp091.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.Random;

import io.brokermeter.contract.Sends;
import org.junit.jupiter.api.Test;

class PendingSendsTest {

    private final Sends sends = new Sends();
    private final PendingSends pending = new PendingSends(sends, 10);
    private long token;

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            pending.add(token++);
        }
    }

    @Test
    void confirmsMultiplesWithOneReport() {
        add(1000);
        pending.confirm(400, true);
        pending.confirm(900, true);
        assertThat(sends.reported()).isZero();
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(900);
        assertThat(pending.count()).isEqualTo(100);
    }

    @Test
    void confirmsOutOfTurn() {
        add(5);
        pending.confirm(3, false);
        pending.confirm(1, false);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(2);
        pending.confirm(4, true);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(4);
        pending.confirm(5, false);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(5);
        assertThat(pending.count()).isZero();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void reportsAReturnedMessageOnceThoughItIsConfirmedToo() {
        add(6);
        pending.returned(5, new IOException("returned"));
        pending.returned(2, new IOException("returned"));
        pending.confirm(6, true);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(4);
        assertThat(sends.failures()).containsOnlyKeys(2L, 5L);
        assertThat(pending.count()).isZero();
        add(1);
        pending.confirm(7, false);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(5);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void takesASendBackUnlessItWasReported() {
        add(2);
        assertThat(pending.withdraw()).isTrue();
        pending.failAll(new IOException("gone"));
        assertThat(sends.failures()).containsOnlyKeys(0L);
        assertThat(pending.withdraw()).isFalse();
    }

    @Test
    void countsFromOneAgainOnANewChannel() {
        add(3);
        pending.confirm(1, false);
        pending.restart(new IOException("broke"));
        assertThat(pending.sequence()).isZero();
        add(2);
        pending.confirm(2, true);
        pending.report();
        assertThat(sends.confirmed()).isEqualTo(3);
        assertThat(sends.unknown()).containsOnlyKeys(1L, 2L);
        assertThat(sends.failures()).isEmpty();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void takesNothingMoreWhenItIsFinished() {
        add(1);
        pending.finish(new IOException("the end"), true);
        pending.finish(new IOException("again"), false);
        assertThat(pending.addUnlessFinished(1)).isFalse();
        assertThat(sends.failures()).containsOnlyKeys(0L);
        assertThat(sends.unknown()).isEmpty();
    }

    @Test
    void reportsEachTokenOnceWhateverTheBrokerSays() {
        var random = new Random(7);
        var answered = new BitSet();
        for (int round = 0; round < 3000; round++) {
            add(random.nextInt(4));
            int sent = (int) token;
            if (sent == 0) {
                continue;
            }
            int low = Math.max(1, sent - 40);
            int sequence = low + random.nextInt(sent - low + 1);
            switch (random.nextInt(5)) {
                case 0 -> {
                    pending.confirm(sequence, true);
                    answered.set(0, sequence);
                }
                case 1 -> {
                    pending.confirm(sequence, false);
                    answered.set(sequence - 1);
                }
                case 2 -> {
                    pending.refuse(sequence, random.nextInt(10) == 0, new IOException("nack"));
                    answered.set(sequence - 1);
                }
                case 3 -> {
                    pending.returned(sequence - 1, new IOException("returned"));
                    answered.set(sequence - 1);
                }
                default -> pending.report();
            }
        }
        pending.report();
        assertThat(sends.reported()).isGreaterThanOrEqualTo(answered.cardinality());
        pending.finish(new IOException("the end"), false);
        assertThat(sends.reported()).isEqualTo((int) token);
        assertThat(sends.violations()).isEmpty();
        assertThat(pending.count()).isZero();
    }
}
