package io.brokermeter.engine.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

/** Findings as data and as text. The sentences of doubts stand in EvidenceTest, those of most failures in tests of runs. */
class FindingTest {

    private static final Finding.CpuUse USE = new Finding.CpuUse(97, 20, 70, 7);

    @Test
    void eachTypeIsARecordWithAKindOfItsOwn() {
        List<Class<?>> types = Arrays.stream(Finding.class.getPermittedSubclasses())
                .<Class<?>>flatMap(kind -> Arrays.stream(kind.getPermittedSubclasses())).toList();
        assertThat(types).hasSizeGreaterThan(25).allMatch(Class::isRecord);
        assertThat(new Finding.SendsFailed(1, Map.of()).kind()).isEqualTo("sends-failed");
        assertThat(new Finding.Lost(1, true, Duration.ZERO).kind()).isEqualTo("lost");
        assertThat(new Finding.NotSentInTime(0, 0, 1, new Finding.Reason(Finding.Blame.SLOW_BROKER, 1, null)).kind())
                .isEqualTo("not-sent-in-time");
    }

    @Test
    void sendsThatFailedAreToldByCauseInTheOrderInWhichTheyCame() {
        Map<String, Long> causes = new LinkedHashMap<>();
        causes.put("refused", 1_199L);
        causes.put("busy", 1L);
        assertThat(new Finding.SendsFailed(1_200, causes).sentence()).isEqualTo("1,200 sends failed: refused (1199 times); busy (1 times)");
    }

    @Test
    void whoUsedTheProcessorsStandsInTheFirstSentenceThatHasIt() {
        String use = " (the machine's processors were 97 % busy: the generator 20 %, the broker 70 %, others 7 %)";
        assertThat(Finding.sentences(List.of(new Finding.CpuStolen(2),
                new Finding.WokeLate(12, new Finding.Reason(Finding.Blame.STARVED, Double.NaN, USE)),
                new Finding.MachineBusy(true, USE)))).containsExactly(
                "a hypervisor took 2.0 % of the CPU time away: use a dedicated machine",
                "1 % of the sends were late by more than 12.0 ms because the sending threads woke late, for want of CPU time" + use
                        + ": free cores, lower --rate, or run the broker elsewhere",
                "all cores of this machine were busy, so generator and broker waited for each other or for others: lower --rate, or run "
                        + "the broker elsewhere");
    }
}
