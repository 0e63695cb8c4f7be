package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;

/** Limits on messages that wait for a listener that is slower than the members. */
class ReceiveBudgetTest {

    private static final int OF_ONE = (int) ReceiveBudget.MOST_OF_ONE;

    private final ReceiveBudget budget = new ReceiveBudget();

    /** Adds a message for which there is no room, and returns the pending result. */
    private static FutureTask<Boolean> heldBack(ReceiveBudget.Part part, int bytes) throws InterruptedException {
        FutureTask<Boolean> adding = new FutureTask<>(() -> part.await(bytes));
        Thread thread = Thread.ofPlatform().daemon().start(adding);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).isTrue();
            Thread.sleep(1);
        }
        return adding;
    }

    /** Eight members use up 32 MiB. Every other member may still add one message, since it would be kept out otherwise. */
    @Test
    void manyMembersTogetherHaveOneBoundAndNoneIsKeptOut() throws Exception {
        List<ReceiveBudget.Part> full = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            full.add(budget.new Part());
            assertThat(full.getLast().await(OF_ONE)).isTrue();
        }
        ReceiveBudget.Part other = budget.new Part();
        assertThat(other.await(1_000)).isTrue();
        FutureTask<Boolean> second = heldBack(other, 1_000);
        full.getFirst().taken(OF_ONE);
        assertThat(second.get()).isTrue();
    }

    @Test
    void oneMemberHasABoundOfItsOwnAndMayExceedItWithASingleMessage() throws Exception {
        ReceiveBudget.Part one = budget.new Part();
        assertThat(one.await(3 * OF_ONE)).isTrue();
        FutureTask<Boolean> second = heldBack(one, 1);
        one.taken(3 * OF_ONE);
        assertThat(second.get()).isTrue();
    }

    @Test
    void nobodyWaitsForAMemberThatIsGoneAndNothingOfItIsCounted() throws Exception {
        ReceiveBudget.Part gone = budget.new Part();
        assertThat(gone.await((int) ReceiveBudget.MOST)).isTrue();
        FutureTask<Boolean> late = heldBack(gone, OF_ONE);
        gone.close();
        assertThat(late.get()).isFalse();
        gone.taken((int) ReceiveBudget.MOST);
        ReceiveBudget.Part other = budget.new Part();
        assertThat(other.await(1)).isTrue();
        assertThat(other.await(OF_ONE - 1)).isTrue();
    }
}
