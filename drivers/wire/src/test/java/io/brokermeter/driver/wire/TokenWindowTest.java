package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.contract.Sends;
import io.brokermeter.spi.SendListener;
import org.junit.jupiter.api.Test;

class TokenWindowTest {

    private final Sends sends = new Sends();
    private final TokenWindow window = new TokenWindow(sends, 10);
    private long token;

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            window.add(token++);
        }
    }

    @Test
    void gathersConfirmationsForOneReport() {
        add(1000);
        window.confirmUpTo(399);
        window.confirm(400);
        window.confirm(350, 899);
        assertThat(sends.reported()).isZero();
        window.report();
        assertThat(sends.confirmed()).isEqualTo(900);
        assertThat(window.count()).isEqualTo(100);
        assertThat(window.first()).isEqualTo(900);
    }

    @Test
    void confirmsOutOfTurn() {
        add(6);
        window.confirm(2, 3);
        assertThat(sends.confirmed()).isEqualTo(2);
        window.confirm(0);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(3);
        window.confirmUpTo(4);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(5);
        window.confirm(5);
        window.confirm(5);
        window.confirm(77);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(6);
        assertThat(window.count()).isZero();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void reportsAReturnedMessageOnceThoughItIsConfirmedToo() {
        add(6);
        window.returned(5, new IOException("returned"));
        window.returned(2, new IOException("returned"));
        window.confirmUpTo(5);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(4);
        assertThat(sends.failures()).containsOnlyKeys(2L, 5L);
        assertThat(window.count()).isZero();
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void forgetsWhatWasRolledBack() {
        add(5);
        window.refuse(3, 3, new IOException("no"));
        window.forgetAll();
        assertThat(window.count()).isZero();
        add(2);
        window.confirm(6);
        assertThat(window.first()).isEqualTo(5);
        window.confirm(5);
        assertThat(window.count()).isZero();
        window.finish(new IOException("the end"), true);
        assertThat(sends.failures()).containsOnlyKeys(3L);
    }

    @Test
    void knowsNothingOfWhatTheBrokerWasGivenAndFailsTheRest() {
        add(10);
        window.confirm(0);
        window.confirm(4);
        window.finish(new IOException("gone"), 7L);
        window.finish(new IOException("again"), true);
        window.confirmUpTo(9);
        window.report();
        assertThat(sends.confirmed()).isEqualTo(2);
        assertThat(sends.unknown()).containsOnlyKeys(1L, 2L, 3L, 5L, 6L);
        assertThat(sends.failures()).containsOnlyKeys(7L, 8L, 9L);
        assertThat(sends.violations()).isEmpty();
    }

    @Test
    void takesASendBackUnlessItWasReported() {
        add(2);
        assertThat(window.withdraw()).isTrue();
        window.failAll(new IOException("gone"));
        assertThat(sends.failures()).containsOnlyKeys(0L);
        assertThat(window.withdraw()).isFalse();
    }

    @Test
    void takesNothingMoreWhenItIsFinished() {
        add(1);
        window.finish(new IOException("the end"), true);
        assertThat(window.addUnlessFinished(1)).isFalse();
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
            int number = Math.max(0, sent - 40) + random.nextInt(Math.min(sent, 40));
            switch (random.nextInt(6)) {
                case 0 -> {
                    window.confirmUpTo(number);
                    answered.set(0, number + 1);
                }
                case 1 -> {
                    window.confirm(number);
                    answered.set(number);
                }
                case 2 -> {
                    window.refuse(number, number + random.nextInt(3), new IOException("nack"));
                    answered.set(number);
                }
                case 3 -> {
                    window.returned(number, new IOException("returned"));
                    answered.set(number);
                }
                case 4 -> {
                    window.confirm(number, number + 2);
                    answered.set(number);
                }
                default -> window.report();
            }
        }
        window.report();
        assertThat(sends.reported()).isGreaterThanOrEqualTo(answered.cardinality());
        window.finish(new IOException("the end"), false);
        assertThat(sends.reported()).isEqualTo((int) token);
        assertThat(sends.violations()).isEmpty();
        assertThat(window.count()).isZero();
    }

    /** Counts how often each token was reported, individually or together with those before it. */
    private static final class Counts implements SendListener {

        private final byte[] reports;
        private int upTo;

        Counts(int tokens) {
            reports = new byte[tokens];
        }

        private void count(long reported) {
            reports[(int) reported]++;
        }

        @Override
        public void confirmed(long reported) {
            count(reported);
        }

        @Override
        public void confirmedUpTo(long reported) {
            count(reported);
            for (; upTo < reported; upTo++) {
                if (reports[upTo] == 0) {
                    reports[upTo] = 1;
                }
            }
        }

        @Override
        public void failed(long reported, Throwable cause) {
            count(reported);
        }

        @Override
        public void unknown(long reported, Throwable cause) {
            count(reported);
        }
    }

    @Test
    void oneThreadAddsWhileAnotherConfirmsAndAThirdEndsIt() throws Exception {
        int sends = 2_000_000;
        var counts = new Counts(sends);
        var shared = new TokenWindow(counts, 0);
        var added = new AtomicLong();
        var confirmer = Thread.ofPlatform().start(() -> {
            var random = new Random(5);
            var refusal = new IOException("refused");
            long given = 0;
            while (given < sends * 0.9) {
                long end = added.get();
                while (given < end) {
                    long to = Math.min(end - 1, given + random.nextInt(300));
                    switch (random.nextInt(4)) {
                        case 0 -> shared.confirmUpTo(to);
                        case 1 -> {
                            for (long number = to; number >= given; number--) {
                                shared.confirm(number);
                            }
                        }
                        case 2 -> shared.confirm(given, to);
                        default -> shared.refuse(given, to, refusal);
                    }
                    given = to + 1;
                }
                shared.report();
            }
        });
        for (int i = 0; i < sends; i++) {
            shared.add(i);
            added.set(i + 1L);
        }
        shared.finish(new IOException("the end"), false);
        confirmer.join();
        shared.report();
        assertThat(shared.count()).isZero();
        for (int i = 0; i < sends; i++) {
            if (counts.reports[i] != 1) {
                assertThat(counts.reports[i]).as("token " + i).isEqualTo((byte) 1);
            }
        }
    }
}
