package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;

import io.brokermeter.engine.scenario.Rate;
import org.junit.jupiter.api.Test;

class RateChangesTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long START = 1_700_000_000_000_000_000L;

    private final RateChanges changes = new RateChanges();
    private final FireTimes times = changes.in(FireTimes.constant(Rate.perSecond(10)), START);

    private long[] seconds(int from, int to) {
        return LongStream.range(from, to).map(i -> times.at(i) / (SECOND / 1000)).toArray();
    }

    @Test
    void eventsBeforeAChangeStayAndThoseAfterItFollowTheNewRate() {
        assertThat(seconds(0, 4)).containsExactly(0, 100, 200, 300);
        changes.add(START + SECOND, 2, 1);
        assertThat(seconds(8, 14)).containsExactly(800, 900, 1000, 1050, 1100, 1150);
        changes.add(START + 2 * SECOND, 1, 4);
        assertThat(seconds(28, 33)).containsExactly(1900, 1950, 2000, 2200, 2400);
        assertThat(changes.count()).isEqualTo(2);
        assertThat(changes.factor()).isEqualTo(0.5);
    }

    @Test
    void aChangeBetweenTwoEventsMovesTheNextOneByTheRestOfItsWait() {
        changes.add(START + 50_000_000, 1, 2);
        assertThat(seconds(0, 3)).containsExactly(0, 150, 350);
    }

    @Test
    void aScheduleThatStartsAfterAChangeFollowsItFromItsStart() {
        changes.add(START - 5 * SECOND, 2, 1);
        assertThat(seconds(0, 3)).containsExactly(0, 50, 100);
    }

    @Test
    void theNumberOfEventsOfAnHourIsExact() {
        changes.add(START + 1000 * SECOND, 11, 10);
        // 10,000 in the first 1,000 s, then 11 a second.
        assertThat(times.at(10_000)).isEqualTo(1000 * SECOND);
        assertThat(times.at(10_000 + 11 * 2600)).isEqualTo(3600 * SECOND);
    }
}
