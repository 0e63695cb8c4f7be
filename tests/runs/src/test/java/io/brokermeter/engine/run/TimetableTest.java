package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.DueRates;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;

/** Tests of the loads of groups in phases. */
class TimetableTest {

    private static final int ARRIVALS = 1_000;
    private static final long SECOND = 1_000_000_000L;

    private final Groups run = new Groups();

    /** Two groups in a warm-up and three phases; the first two phases have one load for all groups, in the third each has its own. */
    @Test
    void eachGroupHasPoissonArrivalsOfItsOwnInEachPhase() {
        run.warmup = Duration.ofSeconds(1);
        run.phase(poisson("one")).phase(poisson("two")).phase(new Phase("three", Duration.ofSeconds(1), Map.of()));
        List<Load> loads = loads();

        assertThat(loads).hasSize(8);
        Set<Long> gaps = new HashSet<>();
        for (Load load : loads) {
            FireTimes times = FireTimes.of(load);
            for (int i = 0; i < ARRIVALS; i++) {
                gaps.add(times.at(i + 1L) - times.at(i));
            }
        }
        // Gaps are 1 s on average, with a resolution of 1 ns, so hardly two of them are equal.
        assertThat(gaps.size()).isGreaterThan(8 * ARRIVALS - 5);
    }

    @Test
    void theSameSeedGivesTheSameArrivals() {
        run.phase(poisson("one")).phase(poisson("two"));
        assertThat(loads()).isEqualTo(loads());
    }

    @Test
    void aLoadOfAllGroupsThatIsNotRandomIsTheSameForAll() {
        Load load = Load.parse("sine:5k,4k@30s", 7);
        run.phase(new Phase("one", Duration.ofSeconds(1), Map.of("", load)));
        assertThat(loads()).containsExactly(load, load);
    }

    /** A warm-up and two phases with one load, a third phase without a load, and a group that begins with the second phase. */
    @Test
    void theRatesAtWhichMessagesAreDueAreThoseOfAllGroups() {
        run.warmup = Duration.ofSeconds(1);
        run.phase(phase("one", "100")).phase(phase("two", "100")).phase(phase("three", "none"));
        Plan plan = run.producers("a", _ -> {}).producers("b", p -> p.start = Start.after(Duration.ofSeconds(3))).plan();
        assertThat(dueRates(plan)).containsExactly(new DueRates.Step(0, 100), new DueRates.Step(3 * SECOND, 200),
            new DueRates.Step(5 * SECOND, 0));
    }

    @Test
    void aLoadOfStepsIsDueInSteps() {
        Plan plan = run.producers("a", p -> p.load = Load.parse("steps:10@2s,10..30@3s,30@1s", 7)).plan();
        assertThat(dueRates(plan)).containsExactly(new DueRates.Step(0, 10), new DueRates.Step(2 * SECOND, Double.NaN),
            new DueRates.Step(5 * SECOND, 30));
    }

    /** The last rate has no end, since the last group ends with the load; the end of a group without a rate is unknown. */
    @Test
    void aGroupWhoseNumberOfMessagesIsSentHasNothingMoreDue() {
        Load steps = Load.parse("steps:100@4s,200@1s", 7);
        run.producers("a", p -> {
            p.load = steps;
            p.messages = 600;
            p.start = Start.after(Duration.ofSeconds(1));
        });
        assertThat(dueRates(run.plan())).containsExactly(new DueRates.Step(0, 0), new DueRates.Step(SECOND, 100),
            new DueRates.Step(5 * SECOND, 200));
        run.producers("b", p -> p.load = steps);
        assertThat(dueRates(run.plan())).containsExactly(new DueRates.Step(0, 100), new DueRates.Step(SECOND, 200),
            new DueRates.Step(4 * SECOND, 300), new DueRates.Step(5 * SECOND, 400), new DueRates.Step(6 * SECOND, 200));
        run.producers("c", p -> p.messages = 10);
        assertThat(dueRates(run.plan())).containsExactly(new DueRates.Step(0, Double.POSITIVE_INFINITY));
    }

    @Test
    void theCountsOfASummarizerAreNoLoad() {
        Plan plan = run.producers("a", p -> p.load = Load.parse("100", 7))
            .consumers("c", c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null)).plan();
        assertThat(plan.producers()).hasSize(2);
        assertThat(dueRates(plan)).containsExactly(new DueRates.Step(0, 100));
    }

    /** Bursts have a constant rate if each second has the same bursts. */
    @Test
    void aLoadThatChangesAllTheTimeHasNoRate() {
        assertThat(List.of("bursts:1k@100ms/400ms", "bursts:1k@1s/4s", "sine:5k,4k@30s", "poisson:70", "unlimited").stream().map(load -> {
            Plan plan = new Groups().producers("a", p -> p.load = Load.parse(load, 7)).plan();
            return dueRates(plan).getFirst().rate();
        })).containsExactly(200.0, Double.NaN, Double.NaN, 70.0, Double.POSITIVE_INFINITY);
    }

    private static List<DueRates.Step> dueRates(Plan plan) {
        Timetable times = new Timetable(plan.scenario());
        times.begin(1_000 * SECOND);
        return times.dueRates(plan.producers()).steps();
    }

    private static Phase phase(String name, String load) {
        return new Phase(name, Duration.ofSeconds(2), Map.of("", Load.parse(load, 7)));
    }

    private static Phase poisson(String name) {
        return new Phase(name, Duration.ofSeconds(1), Map.of("", Load.parse("poisson:1", 7)));
    }

    /** Returns the loads of two groups, one after the other. */
    private List<Load> loads() {
        run.producers.clear();
        Load own = Load.parse("poisson:1", 7);
        Plan plan = run.producers("a", p -> p.load = own).producers("b", p -> p.load = own).plan();
        Timetable times = new Timetable(plan.scenario());
        return plan.producers().stream().flatMap(group -> times.loads(group).stream()).toList();
    }
}
