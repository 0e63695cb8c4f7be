package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import org.junit.jupiter.api.Test;

/** The loads of groups in phases. */
class TimetableTest {

    private static final int ARRIVALS = 1_000;

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
        // Gaps of a second in the mean, to the nanosecond: there are hardly two of the same length.
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

    private static Phase poisson(String name) {
        return new Phase(name, Duration.ofSeconds(1), Map.of("", Load.parse("poisson:1", 7)));
    }

    /** Those of two groups, one after the other. */
    private List<Load> loads() {
        run.producers.clear();
        Load own = Load.parse("poisson:1", 7);
        Plan plan = run.producers("a", p -> p.load = own).producers("b", p -> p.load = own).plan();
        Timetable times = new Timetable(plan.scenario());
        return plan.producers().stream().flatMap(group -> times.loads(group).stream()).toList();
    }
}
