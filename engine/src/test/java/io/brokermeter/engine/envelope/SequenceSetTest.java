package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class SequenceSetTest {

    @Test
    void holdsWhatASetHolds() {
        SplittableRandom random = new SplittableRandom(1);
        SequenceSet set = SequenceSet.forOneWriter();
        Set<Long> model = new HashSet<>();
        for (int i = 0; i < 300_000; i++) {
            long n = random.nextLong(200_000) + (random.nextInt(10) == 0 ? 5_000_000 : 0);
            assertThat(set.add(n)).isEqualTo(model.add(n));
        }

        assertThat(set.size()).isEqualTo(model.size());
        assertThat(set.first()).isEqualTo(model.stream().mapToLong(Long::longValue).min().orElseThrow());
        assertThat(set.last()).isEqualTo(model.stream().mapToLong(Long::longValue).max().orElseThrow());
        SequenceSet none = SequenceSet.forOneWriter();
        long[] sorted = model.stream().mapToLong(Long::longValue).sorted().toArray();
        for (int i = 0; i < sorted.length; i += 7) {
            assertThat(set.sizeWithout(none, sorted[i])).isEqualTo(sorted.length - i);
        }
    }

    @Test
    void remembersDuplicatesOfPagesThatWereGivenBack() {
        SequenceSet set = SequenceSet.forOneWriter();
        for (long n = 0; n < 500_000; n++) {
            assertThat(set.add(n)).isTrue();
        }
        for (long n = 0; n < 500_000; n += 777) {
            assertThat(set.add(n)).isFalse();
        }

        assertThat(set.size()).isEqualTo(500_000);
    }

    @Test
    void countsWhatAnotherSetLacks() {
        SequenceSet sent = SequenceSet.forOneWriter();
        SequenceSet got = SequenceSet.forManyWriters();
        for (long n = 0; n < 100_000; n++) {
            sent.add(n);
            if (n % 1000 != 7) {
                got.add(n);
            }
        }
        got.add(200_000);

        assertThat(sent.sizeWithout(got)).isEqualTo(100);
        assertThat(got.sizeWithout(sent)).isEqualTo(1);
    }

    @Test
    void severalWritersLoseNothing() throws Exception {
        SequenceSet set = SequenceSet.forManyWriters();
        AtomicLong added = new AtomicLong();
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            int offset = w;
            writers.add(Thread.ofPlatform().start(() -> {
                // Each number is offered by two of the four threads.
                for (long n = 0; n < 400_000; n++) {
                    if (n % 4 == offset || n % 4 == (offset + 1) % 4) {
                        if (set.add(n)) {
                            added.incrementAndGet();
                        }
                    }
                }
            }));
        }
        for (Thread writer : writers) {
            writer.join();
        }

        assertThat(set.size()).isEqualTo(400_000);
        assertThat(added).hasValue(400_000);
    }

    /** The numbers that several consumers of one queue receive in a day at 25,000 messages/s. */
    @Test
    void fiveHundredMillionNumbersOfSeveralWritersNeedLittleMemory() throws Exception {
        long count = 1L << 29;
        int block = 8192;
        SequenceSet set = SequenceSet.forManyWriters();
        AtomicLong next = new AtomicLong();
        AtomicLong added = new AtomicLong();
        AtomicLong most = new AtomicLong();
        List<Thread> writers = new ArrayList<>();
        for (int w = 0; w < 3; w++) {
            writers.add(Thread.ofPlatform().start(() -> {
                long mine = 0;
                long begin;
                while ((begin = next.getAndAdd(block)) < count) {
                    // Backwards, so that each block is out of order and between blocks of other writers.
                    for (long n = begin + block - 1; n >= begin; n--) {
                        if (set.add(n)) {
                            mine++;
                        }
                    }
                    if (begin % (block * 4096L) == 0) {
                        most.accumulateAndGet(set.bytes(), Math::max);
                    }
                }
                added.addAndGet(mine);
            }));
        }
        for (Thread writer : writers) {
            writer.join();
        }

        assertThat(added).hasValue(count);
        assertThat(set.size()).isEqualTo(count);
        assertThat(set.bytes()).isLessThan(8 << 20);
        assertThat(most).hasValueLessThan(64 << 20);
        assertThat(set.add(12_345_678)).isFalse();
        assertThat(set.add(1L << 32)).isTrue();
        assertThat(set.size()).isEqualTo(count + 1);
    }

    @Test
    void aGapKeepsItsOwnPageOnly() {
        for (SequenceSet set : List.of(SequenceSet.forOneWriter(), SequenceSet.forManyWriters())) {
            for (long n = 0; n < 50_000_000; n++) {
                if (n != 77 && n != 10_000_000) {
                    set.add(n);
                }
            }
            assertThat(set.bytes()).isLessThan(128 << 10);
            assertThat(set.size()).isEqualTo(50_000_000 - 2);

            set.add(77);
            for (long n = 50_000_000; n < 60_000_000; n++) {
                set.add(n);
            }
            assertThat(set.add(77)).isFalse();
            assertThat(set.size()).isEqualTo(60_000_000 - 1);
        }
    }

    @Test
    void countsFromANumberOn() {
        SequenceSet all = SequenceSet.forOneWriter();
        SequenceSet some = SequenceSet.forManyWriters();
        for (long n = 0; n < 100_000; n++) {
            all.add(n);
            if (n % 10 != 3) {
                some.add(n);
            }
        }
        for (long from : new long[] {0, 1, 3, 4, 63, 64, 65, 32_767, 32_768, 70_003, 70_004, 99_993, 99_994, 100_000, 10_000_000}) {
            long expected = from > 99_993 ? 0 : (99_993 - from) / 10 + 1;
            assertThat(all.sizeWithout(some, from)).as("from %d", from).isEqualTo(expected);
        }
    }

    @Test
    void isWrittenAndReadAndAdded() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        SequenceSet one = SequenceSet.forOneWriter();
        SequenceSet other = SequenceSet.forManyWriters();
        SequenceSet both = SequenceSet.forOneWriter();
        // Full pages, pages with gaps, and pages that only one of the sets has.
        for (long n = 0; n < 400_000; n++) {
            if (n < 70_000 || random.nextInt(3) == 0) {
                one.add(n);
                both.add(n);
            } else if (n < 200_000 || n > 360_000) {
                other.add(n);
                both.add(n);
            }
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        one.write(new DataOutputStream(written));
        SequenceSet read = SequenceSet.read(new DataInputStream(new ByteArrayInputStream(written.toByteArray())));
        assertThat(read.size()).isEqualTo(one.size());
        assertThat(read.sizeWithout(one) + one.sizeWithout(read)).isZero();

        assertThat(read.sum(3, 5) + other.sum(3, 5)).isEqualTo(both.sum(3, 5));
        read.addAll(other);
        assertThat(read.size()).isEqualTo(both.size());
        assertThat(read.sizeWithout(both) + both.sizeWithout(read)).isZero();
    }

    @Test
    void sumsAreThoseOfTheNumbers() {
        SequenceSet set = SequenceSet.forOneWriter();
        long sum = 0;
        for (long n = 0; n < 150_000; n++) {
            if (n < 100_000 || n % 3 == 0) {
                set.add(n);
                sum += 7 * n + 11 * n * n;
            }
        }
        assertThat(set.sum(7, 11)).isEqualTo(sum);
    }

    @Test
    void refusesWhatIsNoSet() {
        assertThatThrownBy(() -> SequenceSet.read(new DataInputStream(new ByteArrayInputStream(new byte[] {0, 0, 0, 1, 9}))))
            .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> SequenceSet.read(new DataInputStream(new ByteArrayInputStream(new byte[] {127, 0, 0, 0}))))
            .isInstanceOf(IOException.class);
    }
}
