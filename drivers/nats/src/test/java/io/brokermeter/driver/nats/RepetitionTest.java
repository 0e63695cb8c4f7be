package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.Await;
import org.junit.jupiter.api.Test;

class RepetitionTest {

    /** Pings every 3 s that were due while a machine stood still for ten went out at once, and the third of them ended the connection. */
    @Test
    void whatWasDueInAStandstillIsNotMadeUpFor() {
        List<Long> moments = new CopyOnWriteArrayList<>();
        var repeated = Repetition.OF_ALL.scheduleAtFixedRate(() -> {
            moments.add(System.nanoTime());
            if (moments.size() == 1) {
                LockSupport.parkNanos(1_000_000_000);
            }
        }, 0, 100, TimeUnit.MILLISECONDS);
        try {
            Await.until(() -> moments.size() > 4, () -> "it was repeated " + moments.size() + " times");
        } finally {
            repeated.cancel(false);
        }
        for (int i = 2; i < 5; i++) {
            assertThat(moments.get(i) - moments.get(i - 1)).as("between number %d and the next, in nanoseconds", i)
                .isGreaterThanOrEqualTo(100_000_000L);
        }
    }
}
