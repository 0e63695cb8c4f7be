package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class HighestSeenTest {

    @Test
    void knowsTheHighestOfEachProducer() {
        HighestSeen seen = new HighestSeen(HighestSeen.room());
        Map<Integer, Long> expected = new HashMap<>();
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 300_000; i++) {
            int producer = random.nextInt(i % 10 == 0 ? 1 << 20 : 50);
            long sequence = random.nextLong(1_000_000);
            Long highest = expected.get(producer);
            assertThat(seen.behind(producer, sequence)).isEqualTo(highest == null ? 0 : Math.max(0, highest - sequence));
            expected.merge(producer, sequence, Math::max);
        }
        assertThat(seen.notFollowed()).isZero();
    }

    @Test
    void theConsumersTogetherMayTakeASixteenthOfTheMemory() {
        assertThat(HighestSeen.room().get()).isEqualTo(Runtime.getRuntime().maxMemory() / 16);
    }

    @Test
    void followsAFewProducersWhenTheRoomIsUsedUp() {
        AtomicLong room = new AtomicLong(96);
        HighestSeen seen = new HighestSeen(room);
        for (int round = 0; round < 3; round++) {
            for (int producer = 0; producer < 100; producer++) {
                seen.behind(producer, 10 - round);
            }
        }
        // The table has 8 places, and memory for 8 more; three quarters of them are used.
        assertThat(seen.notFollowed()).isEqualTo(3 * (100 - 12));
        assertThat(seen.behind(0, 5)).isEqualTo(5);
    }
}
