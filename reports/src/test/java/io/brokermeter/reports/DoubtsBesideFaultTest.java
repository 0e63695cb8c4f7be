package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.reports.json.ResultJson;
import org.junit.jupiter.api.Test;

/** Doubts about the figures of a fault that stopped the broker for more than half of the measured part. */
class DoubtsBesideFaultTest {

    private static List<String> kinds(Finding.Doubt... doubts) {
        return ResultJson.stored(Samples.result(List.of(), Samples.ledger(), Samples.same(10, 1500),
            new GeneratorVerdict.Doubtful(List.of(doubts))), Samples.CLIENT).doubtsBesideFault().stream()
            .map(StoredResult.StoredFinding::kind).toList();
    }

    private static Finding.Doubt late(Finding.Blame blame) {
        return new Finding.NotSentInTime(0.9, 180, 200, new Finding.Reason(blame, 0.5, null));
    }

    @Test
    void theWaitForABrokerThatTheFaultStoppedIsNone() {
        Finding.Doubt delay = new Finding.MostlyDelay(9_000, true, null);
        for (Finding.Blame blame : List.of(Finding.Blame.CONNECTIONS_LOST, Finding.Blame.SLOW_BROKER, Finding.Blame.CALLS_WAITED)) {
            assertThat(kinds(late(blame), delay)).isEmpty();
        }
        assertThat(kinds(late(Finding.Blame.SLOW_SENDERS), delay)).containsExactly("not-sent-in-time", "mostly-delay");
        assertThat(kinds(late(Finding.Blame.ROUND_TRIP), delay)).containsExactly("not-sent-in-time", "mostly-delay");
    }

    @Test
    void theWaitOfAnAgentHasTheCauseOfThatAgent() {
        assertThat(kinds(new Finding.DoubtOfAgent("one", late(Finding.Blame.SLOW_BROKER)),
            new Finding.DoubtOfAgent("two", late(Finding.Blame.SLOW_SENDERS)),
            new Finding.DoubtOfAgent("two", new Finding.MostlyDelay(9_000, true, null))))
            .containsExactly("not-sent-in-time", "mostly-delay");
    }

    /** A run keeps one of two equal doubts about different agents, so the cause for the delay of the other agent may be missing. */
    @Test
    void theWaitOfAnAgentWhoseCauseIsNotKeptHasThatOfAnotherOne() {
        assertThat(kinds(new Finding.DoubtOfAgent("one", late(Finding.Blame.SLOW_BROKER)),
            new Finding.DoubtOfAgent("two", new Finding.MostlyDelay(9_000, true, null)))).isEmpty();
    }
}
