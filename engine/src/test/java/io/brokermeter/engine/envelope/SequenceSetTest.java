package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;

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
        for (long n = 0; n < 210_000; n++) {
            assertThat(set.contains(n)).isEqualTo(model.contains(n));
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
}
