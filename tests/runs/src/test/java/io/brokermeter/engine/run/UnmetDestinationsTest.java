package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.judge.Judgement;
import io.brokermeter.engine.run.judge.VerdictCounts;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;

/** Tests of destinations that nobody sends to, or nobody receives from. */
class UnmetDestinationsTest {

    private static final Finding.NobodySends MISNAMED = new Finding.NobodySends("queue://ORDER", 0, "queue://ORDERS");

    private static Groups misnamed() {
        return new Groups().producers("p", p -> {
            p.to = new String[] {"queue://ORDERS"};
            p.messages = 300;
        }).consumers("c", c -> c.from = new String[] {"queue://ORDER"});
    }

    @Test
    void consumersToWhomNobodySendsFailTheRun() throws Exception {
        RunResult r = misnamed().execute();

        assertThat(r.failures()).containsExactly(MISNAMED);
        assertThat(r.outcome()).isEqualTo(RunOutcome.FAIL);
    }

    @Test
    void aTopicIsNoQueue() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.to = new String[] {"topic://A"};
            p.messages = 10;
        }).consumers("c", c -> c.from = new String[] {"queue://A"}).execute();

        assertThat(r.failures()).containsExactly(new Finding.NobodySends("queue://A", 0, "topic://A"));
    }

    @Test
    void severalProcessesFindItTogether() throws Exception {
        Groups groups = misnamed();
        try (groups.clock) {
            assertThat(new RunPair(groups).execute().result().failures()).containsExactly(MISNAMED);
        }
    }

    @Test
    void aRunThatMayLoseMessagesIsToldSo() {
        Plan plan = misnamed().plan();
        Plan permitting = Plan.of(plan.scenario().with(its -> its.limits = its.limits.with(some -> some.allowLoss = true)),
            List.of(new Groups().driver()));
        VerdictCounts verdictCounts = VerdictCounts.of(its -> {
            its.sentTo = Map.of(0, 300L);
            its.receivedFrom = Map.of(1, 0L);
        });

        assertThat(new Judgement(permitting, verdictCounts, null).failures(false)).isEmpty();
        assertThat(new Judgement(permitting, verdictCounts, null).notices(0))
            .containsExactly(new Finding.Permitted(MISNAMED, Setting.ALLOW_LOSS));
        assertThat(new Judgement(plan, verdictCounts, null).failures(false)).containsExactly(MISNAMED);
    }

    @Test
    void whatNobodyReceivesBesideOthersIsToldAndNoFailure() throws Exception {
        Groups groups = new Groups().producers("p", p -> {
            p.to = new String[] {"queue://A", "queue://B"};
            p.messages = 20;
        }).consumers("c", c -> c.from = new String[] {"queue://A"});
        RunResult r = groups.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(groups.events).extracting(Event::what).contains(new Finding.NobodyReceives(10, "queue://B", 0));
    }

    @Test
    void runsThatMeanItAreNotAccused() throws Exception {
        UnaryOperator<Groups> sending = groups -> groups.producers("p", p -> p.messages = 10);
        List<Groups> meant = List.of(
            sending.apply(new Groups()),
            sending.apply(new Groups()).consumers("c", c -> {}),
            new Groups().producers("ask", p -> {
                p.messages = 10;
                p.request = new RequestReply(Duration.ofSeconds(5));
            }).consumers("answer", c -> c.replies = true),
            sending.apply(new Groups()).consumers("c",
                c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null)));
        for (Groups groups : meant) {
            assertThat(groups.execute().failures()).isEmpty();
            assertThat(groups.events).extracting(Event::what).noneMatch(Finding.NobodyReceives.class::isInstance);
        }
    }

    /** A bridge or a program between the two brings what is sent to one destination to the other. */
    @Test
    void whatComesAnotherWayIsMet() {
        VerdictCounts verdictCounts = VerdictCounts.of(its -> {
            its.sentTo = Map.of(0, 300L);
            its.receivedFrom = Map.of(1, 300L);
        });
        LedgerReport report = new LedgerReport(Counts.NONE.with(Count.LEDGER_RECEIVED, 300).with(Count.OTHER_DESTINATION, 300),
            new LedgerReport.Detour(0, 1));
        Judgement judgement = new Judgement(misnamed().plan(), verdictCounts, report);

        assertThat(judgement.failures(false)).isEmpty();
        assertThat(judgement.notices(0)).noneMatch(Finding.NobodyReceives.class::isInstance);
    }
}
