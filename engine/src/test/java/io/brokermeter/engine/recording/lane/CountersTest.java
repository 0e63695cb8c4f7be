package io.brokermeter.engine.recording.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Test;

/** The counters of a participant of a run, and what they add up to. */
class CountersTest {

    @Test
    void theCountersOfAParticipantAddUpAsAWholeAndByPhases() {
        Counters all = new Counters();
        Counter sent = all.of(Count.SENT);
        sent.increment();
        sent.add(4);
        all.add(Count.FAILED, () -> 3);
        PhaseCounter received = all.of(Count.RECEIVED, 4);
        received.increment(0);
        received.add(1, 5);
        received.add(2, 10);
        received.add(3, 100);
        assertThat(received.in(2)).isEqualTo(10);
        assertThat(received.get()).isEqualTo(116);

        Counts.Sum whole = new Counts.Sum();
        all.addTo(whole);
        assertThat(whole.counts())
            .isEqualTo(Counts.NONE.with(Count.SENT, 5).with(Count.FAILED, 3).with(Count.RECEIVED, 116));
        all.addTo(whole);
        assertThat(whole.counts().get(Count.RECEIVED)).isEqualTo(232);

        Counts.Sum some = new Counts.Sum();
        all.addTo(some, 1, 3);
        assertThat(some.counts()).as("what is counted in phases").isEqualTo(Counts.NONE.with(Count.RECEIVED, 15));
    }

    @Test
    void aMaximumIsRaisedAndNeverLowered() {
        Counter depth = new Counter();
        depth.raiseTo(4);
        assertThat(depth.get()).isEqualTo(4);
        depth.raiseTo(2);
        assertThat(depth.get()).isEqualTo(4);
        depth.raiseTo(5);
        assertThat(depth.get()).isEqualTo(5);
    }
}
