package io.brokermeter.engine.run.parts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

class StepBarrierTest {

    private final StepBarrier barrier = new StepBarrier(Set.of(0, 1));

    /** Returns whether the drain is over. Share 0 sends to destinations 0 and 1; share 1 received five messages from each of them. */
    private boolean isDrained(long due, long delivered, long deliveredSum, Map<Integer, Long> missing) {
        barrier.owes(0, new RunCoordination.Balance(0, due, 77, 0, 0, missing));
        barrier.owes(1, new RunCoordination.Balance(0, 0, 0, delivered, deliveredSum, Map.of(0, -5L, 1, -5L)));
        return barrier.mayPass(RunCoordination.Step.DRAINED);
    }

    @Test
    void whatALostOneMadeIsRemovedByTheFirstThatDeclaredItToo() {
        StepBarrier all = new StepBarrier(Set.of(0, 1, 2, 3));
        all.declared(0, Set.of(0, 1, 2, 3), Set.of(0, 1, 2));
        all.declared(1, Set.of(1), Set.of());
        all.declared(2, Set.of(0, 1), Set.of());
        all.declared(3, Set.of(0), Set.of());
        assertThat(all.cleanupOwners()).isEmpty();
        all.lost(0);
        assertThat(all.cleanupOwners()).isEqualTo(Map.of(0, 2, 1, 1));
        all.lost(2);
        assertThat(all.cleanupOwners()).isEqualTo(Map.of(0, 3, 1, 1));
    }

    /**
     * A process that ends early leaves shared destinations to the others, which close later. One that ends after all have closed removes
     * what it created.
     */
    @Test
    void whatOneMadeThatEndsBeforeTheOthersHaveClosedIsRemovedByAnother() {
        StepBarrier all = new StepBarrier(Set.of(0, 1));
        all.declared(0, Set.of(0, 1), Set.of(0, 1));
        all.declared(1, Set.of(1), Set.of());
        all.reached(0, RunCoordination.Step.CLOSED);
        assertThat(all.ended(0)).isTrue();
        assertThat(all.cleanupOwners()).isEqualTo(Map.of(1, 1));
        all.reached(1, RunCoordination.Step.CLOSED);
        assertThat(all.mayPass(RunCoordination.Step.CLOSED)).isTrue();
        assertThat(all.ended(1)).isFalse();
        assertThat(all.ended(0)).as("it said so before it ended").isTrue();
        assertThat(all.cleanupOwners()).isEqualTo(Map.of(1, 1));
    }

    /** 9 messages are due and 10 came: either two of unknown fate and 8 of the 9, or one of unknown fate and all 9. */
    @Test
    void whatCameOfUnknownFateMayHideWhatIsMissingOfTheSameDestination() {
        assertThat(isDrained(9, 10, 78, Map.of(0, 4L, 1, 5L))).isFalse();
        assertThat(isDrained(9, 9, 77, Map.of(0, 4L, 1, 5L))).isTrue();
    }

    @Test
    void whatIsMissingOfOneDestinationIsNotHiddenByAnother() {
        assertThat(isDrained(9, 10, 78, Map.of(0, 3L, 1, 6L))).isFalse();
    }

    @Test
    void asMuchThatIsNotTheSameLacksSomethingForCertain() {
        assertThat(isDrained(10, 10, 78, Map.of(0, 5L, 1, 5L))).isFalse();
        assertThat(isDrained(10, 10, 77, Map.of(0, 5L, 1, 5L))).isTrue();
    }
}
