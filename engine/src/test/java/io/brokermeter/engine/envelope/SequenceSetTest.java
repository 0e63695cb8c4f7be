package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
    void theEndsOfASetMayLieAnywhere() {
        for (long only : new long[] {0, 63, 64, 32_767, 32_768, 16 * 32_768, 5_000_000, SequenceSet.LIMIT - 1}) {
            SequenceSet set = SequenceSet.forManyWriters();
            assertThat(set.first()).isEqualTo(-1);
            assertThat(set.last()).isEqualTo(-1);
            assertThat(set.contains(only)).isFalse();
            assertThat(set.add(only)).isTrue();
            assertThat(set.first()).isEqualTo(only);
            assertThat(set.last()).isEqualTo(only);
            assertThat(set.contains(only)).isTrue();
            assertThat(set.contains(only ^ 1)).isFalse();
            assertThat(set.size()).isEqualTo(1);
        }
        assertThatThrownBy(() -> SequenceSet.forOneWriter().add(SequenceSet.LIMIT)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Sequence number out of range.");
    }

    /** A page has 32,768 numbers and takes 4 KiB, the directory 8 bytes for each of at least 16 pages. */
    @Test
    void theMemoryIsThatOfThePagesWithGaps() {
        for (SequenceSet set : List.of(SequenceSet.forOneWriter(), SequenceSet.forManyWriters())) {
            assertThat(set.bytes()).isEqualTo(16 * 8);
            addPages(set, 0, 10);
            assertThat(set.bytes()).as("the last page is looked at when the next one begins").isEqualTo(16 * 8 + 4096);
            assertThat(set.contains(5)).isTrue();
            set.add(10 * 32_768);
            assertThat(set.bytes()).isEqualTo(16 * 8 + 4096);
            addPages(set, 10, 40);
            assertThat(set.bytes()).as("a directory of twice the size each time").isEqualTo(64 * 8 + 4096);
        }
    }

    /** Number 77 comes when its page is so old that such pages are only looked at in turn, eight with each new one. */
    @Test
    void aPageThatIsFilledLateIsGivenBackInTime() {
        SequenceSet set = SequenceSet.forManyWriters();
        for (long n = 0; n < 40 * 32_768; n++) {
            if (n != 77 && n != 20 * 32_768 && n != 30 * 32_768) {
                set.add(n);
            }
        }
        assertThat(set.bytes()).isEqualTo(64 * 8 + 4 * 4096);
        set.add(77);
        set.add(20 * 32_768);
        set.add(30 * 32_768);
        addPages(set, 40, 46);
        assertThat(set.bytes()).isEqualTo(64 * 8 + 4096);
        assertThat(set.size()).isEqualTo(46 * 32_768);
    }

    private static void addPages(SequenceSet set, int from, int to) {
        for (long n = from * 32_768L; n < to * 32_768L; n++) {
            set.add(n);
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
    void aSetIsWrittenAsFarAsItHasPages() throws IOException {
        SequenceSet set = SequenceSet.forOneWriter();
        assertThat(written(set)).isEqualTo(4);
        set.add(32_768);
        assertThat(written(set)).as("a page that it lacks, and one that it has").isEqualTo(4 + 1 + 1 + 4096);
        addPages(set, 0, 16);
        set.add(16 * 32_768);
        assertThat(written(set)).as("sixteen full pages").isEqualTo(4 + 16 + 1 + 4096);
    }

    @Test
    void theLastNumberOfAllIsReadAsItWasWritten() throws IOException {
        SequenceSet set = SequenceSet.forOneWriter();
        set.add(SequenceSet.LIMIT - 1);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        set.write(new DataOutputStream(bytes));
        assertThat(SequenceSet.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))).last())
            .isEqualTo(SequenceSet.LIMIT - 1);
    }

    private static int written(SequenceSet set) throws IOException {
        DataOutputStream to = new DataOutputStream(OutputStream.nullOutputStream());
        set.write(to);
        return to.size();
    }

    /** The numbers that two sets have in common, in order, where pages are full, partly filled, or missing in either. */
    @Test
    void whatIsInBothSets() {
        SequenceSet one = SequenceSet.forOneWriter();
        SequenceSet other = SequenceSet.forManyWriters();
        addPages(one, 1, 3);
        one.add(3 * 32_768 + 100);
        one.add(3 * 32_768 + 101);
        for (long n : new long[] {5, 40_000, 70_000, 3 * 32_768 + 101, 9 * 32_768}) {
            other.add(n);
        }
        List<Long> common = new ArrayList<>();
        one.forEachCommon(other, common::add);
        assertThat(common).containsExactly(40_000L, 70_000L, 3 * 32_768L + 101);
        common.clear();
        other.forEachCommon(one, common::add);
        assertThat(common).containsExactly(40_000L, 70_000L, 3 * 32_768L + 101);
        assertThat(one.sizeCommon(other, 0)).isEqualTo(3);
        assertThat(one.sizeCommon(other, 70_000)).isEqualTo(2);
        assertThat(one.sizeCommon(other, 70_001)).isEqualTo(1);
    }

    /** Pages that fill up together are full, and take no memory. */
    @Test
    void twoHalvesOfAPageAreAFullOne() {
        SequenceSet even = SequenceSet.forOneWriter();
        SequenceSet odd = SequenceSet.forOneWriter();
        for (long n = 0; n < 32_768; n++) {
            (n % 2 == 0 ? even : odd).add(n);
        }
        even.add(20 * 32_768);
        odd.addAll(even);
        assertThat(odd.size()).isEqualTo(32_768 + 1);
        assertThat(odd.bytes()).isEqualTo(even.bytes() - 4096);
        assertThat(odd.add(20 * 32_768)).isFalse();
        assertThat(even.size()).as("the other set keeps its own").isEqualTo(16_384 + 1);
        odd.add(20 * 32_768 + 1);
        assertThat(even.contains(20 * 32_768 + 1)).isFalse();
    }

    @Test
    void refusesWhatIsNoSet() {
        assertThatThrownBy(() -> SequenceSet.read(new DataInputStream(new ByteArrayInputStream(new byte[] {0, 0, 0, 1, 9}))))
            .isInstanceOf(IOException.class);
        for (int count : new int[] {-1, (1 << 21) + 1, 127 << 24}) {
            byte[] bytes = ByteBuffer.allocate(4).putInt(count).array();
            assertThatThrownBy(() -> SequenceSet.read(new DataInputStream(new ByteArrayInputStream(bytes)))).isInstanceOf(IOException.class)
                .hasMessage("A set of sequence numbers has " + count + " pages.");
        }
    }
}
