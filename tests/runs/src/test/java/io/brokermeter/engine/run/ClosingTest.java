package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.TimeLaw;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of closing while the last message is still being processed, on a {@link VirtualClock}. */
class ClosingTest {

    /** All has come at once, so the drain is over at the beginning of the processing; or the number of the consumers is reached then. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void theProcessingOfTheLastMessageIsNoTroubleOfClosing(long taken) throws Exception {
        Groups groups = new Groups("linger=1ms").producers("p", p -> p.messages = 1).consumers("c", c -> {
            c.processing = new TimeLaw.Constant(Duration.ofSeconds(40));
            c.messages = taken;
        });
        RunResult r = groups.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(1);
        assertThat(groups.clock.elapsed()).isBetween(40_000_000_000L, 41_000_000_000L);
    }

    /** The consumer does not get all messages, so it has one when the drain is over, and closes only when that is processed. */
    @Test
    void theProcessingOfAMessageIsNoTroubleOfClosingAlsoWhereMoreIsLeft() throws Exception {
        Groups groups = new Groups("linger=1ms").producers("p", p -> p.messages = 10).consumers("c", c -> {
            c.processing = new TimeLaw.Constant(Duration.ofSeconds(40));
            c.polling = true;
        });
        RunResult r = groups.execute();

        assertThat(r.failures()).doesNotHaveAnyElementsOfTypes(Finding.NotClosed.class).isNotEmpty();
    }

    @Test
    void aSignalEndsTheWaitForTheProcessing() throws Exception {
        Groups groups = new Groups("linger=1ms").producers("p", p -> p.messages = 1)
            .consumers("c", c -> c.processing = new TimeLaw.Constant(Duration.ofSeconds(40)));
        groups.clock.after(5_000, () -> groups.started().stop(2));
        RunResult r = groups.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(1);
        assertThat(groups.clock.elapsed()).isBetween(5_000_000_000L, 9_000_000_000L);
    }
}
