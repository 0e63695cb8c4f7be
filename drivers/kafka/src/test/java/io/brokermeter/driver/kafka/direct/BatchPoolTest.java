package io.brokermeter.driver.kafka.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;

/** When memory for batches is free. */
class BatchPoolTest {

    private static final int USUAL = 100;

    private static Batch take(BatchPool pool, int bytes) {
        return Objects.requireNonNull(pool.take(bytes));
    }

    /** An eighth of 1,600 bytes are two batches. */
    @Test
    void wakesForAnEighthOfItsMemory() {
        var pool = new BatchPool(0, USUAL, 1600);
        List<Batch> all = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            all.add(take(pool, USUAL));
        }
        assertThat(pool.hasRoom()).isTrue();
        all.add(take(pool, USUAL));
        all.add(take(pool, USUAL));
        assertThat(pool.take(USUAL)).isNull();
        for (int round = 0; round < 3; round++) {
            assertThat(pool.hasRoom()).isFalse();
            pool.release(all.get(0));
            assertThat(pool.hasRoom()).isFalse();
            pool.release(all.get(1));
            assertThat(pool.hasRoom()).isTrue();
            all.set(0, take(pool, USUAL));
            all.set(1, take(pool, USUAL));
        }
    }

    /** What is given up for a larger batch does not count as free. */
    @Test
    void countsWhatLargeBatchesTake() {
        var pool = new BatchPool(0, USUAL, 2 * 65_536);
        Batch small = take(pool, USUAL);
        take(pool, 65_536);
        assertThat(pool.hasRoom()).isTrue();
        pool.release(small);
        take(pool, 65_536);
        assertThat(pool.hasRoom()).isFalse();
        assertThat(pool.take(USUAL)).isNull();
    }
}
