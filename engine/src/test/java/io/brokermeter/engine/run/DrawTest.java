package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;

import io.brokermeter.engine.run.send.RandomDraw;
import org.junit.jupiter.api.Test;

/** Tests of the random numbers of a run, by the seeds of its participants. */
class DrawTest {

    private static final int DRAWS = 1_000;

    /** Two random numbers below 1 are equal with a probability of 2^-53. */
    @Test
    void participantsDrawNothingThatAnotherDraws() {
        Set<Double> drawn = new HashSet<>();
        for (int number = 0; number < 50; number++) {
            add(drawn, new RandomDraw(Participants.seed(1, number)));
            add(drawn, new RandomDraw(Participants.seed(1, number) + 1));
        }
        assertThat(drawn.size()).isEqualTo(100 * DRAWS);
    }

    @Test
    void runsOfNeighbouringSeedsHaveNothingInCommon() {
        Set<Double> drawn = new HashSet<>();
        for (int seed = -50; seed < 50; seed++) {
            add(drawn, new RandomDraw(Participants.seed(seed, 3)));
        }
        assertThat(drawn.size()).isEqualTo(100 * DRAWS);
    }

    private static void add(Set<Double> drawn, RandomDraw random) {
        for (int i = 0; i < DRAWS; i++) {
            drawn.add(random.fraction());
        }
    }
}
