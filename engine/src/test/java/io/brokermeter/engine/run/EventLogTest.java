package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;

/** Tests of the events from which a scorecard is made. */
class EventLogTest {

    private final EventLog events = new EventLog(new RunState(), new Failures(Setting::key), Clock.SYSTEM, () -> {});

    /** 2,000 connections with an attempt each half second make 100,000 attempts within 25 s. */
    @Test
    void attemptsTakeNoPlaceOfLaterFaults() {
        for (int i = 0; i < 100_000; i++) {
            events.add(Event.Kind.ATTEMPT, new Finding.ReconnectFailed("producers 1", i, "refused"));
            events.poll();
        }
        events.restored(new Finding.ConnectionRestored("producers 1", 100_001, 25_000, 0));
        events.add(Event.Kind.FAULT,
            new Finding.FaultDone(0, Fault.Action.KILL, "broker", Finding.FaultStep.BEGAN, Double.NaN, 0, "", null));

        assertThat(events.attempts()).isEqualTo(100_001);
        assertThat(events.reconnects()).isEqualTo(1);
        assertThat(events.outages()).extracting(Event::kind).containsExactly(Event.Kind.RESUMED, Event.Kind.FAULT);
    }
}
