package io.brokermeter.engine.run.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Behind;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Groups;
import io.brokermeter.engine.run.LoopbackRun;
import io.brokermeter.engine.run.RunPair;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Count;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the finding that what waits grows as long as the run lasts, and of the runs that are to have a backlog. */
@Tag("slow")
class SteadinessTest {

    @Test
    void aBrokerThatDoesNotKeepUpFailsTheRunAndIsNamed() throws Exception {
        for (int seconds : new int[] {13, 43}) {
            RunResult r = LoopbackRun.of().rate("1000").warmup(3_000).duration(seconds * 1_000L).maxPending(0).drain(30_000)
                .knobs("service-rate=950").execute();

            assertThat(r.failures()).as("%d s", seconds).singleElement().isInstanceOfSatisfying(Finding.NotSteady.class, found -> {
                assertThat(found.behind()).isEqualTo(Behind.BROKER);
                assertThat(found.sentPerSecond()).isBetween(999.0, 1_001.0);
                assertThat(found.grownPerSecond()).isBetween(48.0, 52.0);
            });
        }
    }

    @Test
    void aLoadThatMayBeTooMuchDoesNotFailTheRun() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").warmup(3_000).duration(13_000).maxPending(0).drain(30_000).allowOverload()
            .knobs("service-rate=950").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.success()).isTrue();
    }

    @Test
    void consumersThatAreToldToTakeTooLongAreNamed() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").warmup(3_000).duration(13_000).maxPending(0).drain(60_000).processing(2)
            .knobs("service-rate=100000").execute();

        assertThat(r.failures()).singleElement().isInstanceOfSatisfying(Finding.NotSteady.class,
            found -> assertThat(found.behind()).isEqualTo(Behind.BUSY_CONSUMERS));
    }

    @Test
    void aWindowThatHoldsProducersBackMissesTheRateInstead() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").warmup(3_000).duration(23_000).maxPending(100).knobs("service-rate=950").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.outcome()).isEqualTo(RunOutcome.RATE_MISSED);
    }

    @Test
    void aRunWithoutARateMissedNone() {
        Groups groups = new Groups();
        Judgement judgement = new Judgement(groups.producers("p", p -> {}).plan(), VerdictCounts.of(its -> its.backlog = growing()), null);

        assertThat(judgement.failures(false)).isEmpty();
        assertThat(judgement.notices(0)).singleElement().isInstanceOfSatisfying(Finding.Permitted.class,
            permitted -> assertThat(permitted.failure()).isInstanceOf(Finding.NotSteady.class));
    }

    /** Each process counts its own messages: one those that it sent and that were confirmed, the other those that it received. */
    @Test
    void severalProcessesFindTogetherWhatNoneOfThemSees() throws Exception {
        Groups groups = new Groups("service-rate=100000");
        groups.duration = Duration.ofSeconds(20);
        groups.drain = Duration.ofSeconds(120);
        RunPair pair = new RunPair(groups.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("200"));
            p.maxPending = 100_000;
        }).consumers("c", c -> c.processing = new TimeLaw.Constant(Duration.ofMillis(20))));
        RunResult r;
        try (groups.clock) {
            r = pair.execute().result();
        }
        assertThat(r.failures()).singleElement().isInstanceOfSatisfying(Finding.NotSteady.class, found -> {
            assertThat(found.behind()).isEqualTo(Behind.BUSY_CONSUMERS);
            // 150 by the schedule; not quite that where the processes, which count at moments of their own, were held up
            assertThat(found.grownPerSecond()).isBetween(90.0, 170.0);
        });
    }

    private static Backlog growing() {
        Backlog.Series series = new Backlog.Series();
        for (int t = 1; t <= 20; t++) {
            series.add(t * 1_000_000_000L, counts(t));
        }
        return series.made(counts(20));
    }

    private static Counts counts(int seconds) {
        return Counts.NONE.with(Count.SENT, 1_000L * seconds).with(Count.COMPLETED, 900L * seconds);
    }

    @Test
    void runsThatAreToHaveABacklogAreNotAccused() throws Exception {
        Stream.of(
            LoopbackRun.of().rate("500").duration(13_000).drain(60_000).processing(1).consumersAfter(6_000),
            LoopbackRun.of().rate("500").duration(13_000).sendOnly(),
            LoopbackRun.of().phase("one", 6_000, "400").phase("two", 6_000, "1200").drain(60_000).knobs("service-rate=700"),
            LoopbackRun.of().rate("10").transactionsOf(500).duration(43_000).maxPending(1_000),
            LoopbackRun.of().rate("500").warmup(3_000).duration(23_000).maxPending(0).knobs("service-rate=510")).forEach(run -> {
                try {
                    assertThat(run.execute().failures()).isEmpty();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
    }
}
