package io.brokermeter.engine.run.send;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the in-flight window with one thread at a time. */
class WindowTest {

    private final List<String> confirmed = new ArrayList<>();

    private void note(long token, long intended, long sentAt, long noted, long now) {
        confirmed.add(token + ": due " + intended + " sent " + sentAt + " noted " + noted + " at " + now);
    }

    private boolean confirm(Window window, long token) {
        return window.confirm(token, 1_000, this::note);
    }

    private static Window filled(int size, int messages) {
        Window window = new Window(size, null, true);
        for (int i = 0; i < messages; i++) {
            window.take(10 * i, 10 * i + 1, i);
        }
        return window;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 1000})
    void itIsFullWhenAsManyAreInFlightAsMayBe(int size) {
        Window window = filled(size, size - 1);
        assertThat(window.isFull()).isFalse();
        window.take(0, 0, 0);
        assertThat(window.isFull()).isTrue();
        assertThat(window.inFlight()).isEqualTo(size);
        assertThat(confirm(window, 0)).isTrue();
        assertThat(window.isFull()).isFalse();
        assertThat(window.inFlightNow()).isEqualTo(size - 1);
    }

    @Test
    void aTokenIsConfirmedOnceWithWhatIsKnownOfIt() {
        Window window = filled(4, 3);
        assertThat(confirm(window, 1)).isTrue();
        assertThat(confirm(window, 1)).isFalse();
        assertThat(confirmed).containsExactly("1: due 10 sent 11 noted 1 at 1000");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3, 4, 5, 8, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE | 1})
    void aTokenThatIsNotInFlightIsNone(long token) {
        Window window = filled(4, 3);
        assertThat(confirm(window, token)).isFalse();
        assertThat(window.drop(token)).isFalse();
        assertThat(window.inFlight()).isEqualTo(3);
    }

    /** The first message stays unconfirmed while the ring goes round many times. */
    @Test
    void aMessageThatStaysDoesNotStopTheRingAndIsConfirmedInTheEnd() {
        Window window = filled(4, 2);
        for (int i = 2; i < 50; i++) {
            assertThat(confirm(window, i - 1)).isTrue();
            assertThat(window.isFull()).isFalse();
            window.take(10 * i, 10 * i + 1, i);
        }
        confirmed.clear();
        assertThat(confirm(window, 0)).isTrue();
        assertThat(confirm(window, 0)).isFalse();
        assertThat(confirmed).containsExactly("0: due 0 sent 1 noted 0 at 1000");
        assertThat(window.inFlight()).isEqualTo(1);
    }

    /** The confirmation arrives just while the sending thread sets the message aside. */
    @Test
    void aMessageThatIsConfirmedWhileItIsSetAsideIsConfirmedOnce() throws Exception {
        AtomicReference<Window> ring = new AtomicReference<>();
        BlockingQueue<Boolean> answers = new LinkedBlockingQueue<>();
        Window window = new Window(2, null, true, new ConcurrentHashMap<>() {
            @Override
            public long[] put(Long token, long[] message) {
                Thread confirming = Thread.ofPlatform().daemon().start(() -> answers.add(confirm(ring.get(), token)));
                try {
                    // The confirming thread waits for this one; if it did not, it would have an answer by now.
                    confirming.join(50);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return super.put(token, message);
            }
        });
        ring.set(window);
        window.take(0, 1, 0);
        window.take(10, 11, 1);
        confirm(window, 1);
        window.take(20, 21, 2);

        assertThat(answers.poll(60, TimeUnit.SECONDS)).isTrue();
        assertThat(confirm(window, 0)).isFalse();
        assertThat(confirmed).last().isEqualTo("0: due 0 sent 1 noted 0 at 1000");
        assertThat(window.inFlight()).isEqualTo(1);
    }

    @Test
    void aMessageThatWasSetAsideCanFail() {
        Window window = filled(2, 2);
        confirm(window, 1);
        window.take(0, 0, 0);
        assertThat(window.drop(0)).isTrue();
        assertThat(window.drop(0)).isFalse();
        assertThat(window.inFlight()).isEqualTo(1);
    }

    @Test
    void confirmingUpToATokenTakesThoseThatWereSetAsideAndNoneBehindIt() {
        Window window = filled(4, 4);
        confirm(window, 1);
        confirm(window, 2);
        confirm(window, 3);
        for (int i = 4; i < 7; i++) {
            window.take(10 * i, 10 * i + 1, i);
        }
        confirmed.clear();
        window.confirmUpTo(5, 1_000, this::note);
        assertThat(confirmed).extracting(text -> text.substring(0, 1)).containsExactly("0", "4", "5");
        assertThat(window.inFlight()).isEqualTo(1);
        window.confirmUpTo(5, 1_000, this::note);
        assertThat(confirmed).hasSize(3);
    }

    // ---- requests ----

    private static Window asking(int size, int messages) {
        Window window = new Window(size, Duration.ofNanos(100), false);
        LongStream.range(0, messages).forEach(i -> window.take(i, i, 0));
        return window;
    }

    @Test
    void aRequestIsInFlightUntilItsReplyAndNotUntilItsConfirmation() {
        Window window = asking(2, 2);
        confirm(window, 0);
        assertThat(window.isFull()).isTrue();
        assertThat(window.answer(0, 50)).isTrue();
        assertThat(window.answer(0, 50)).isFalse();
        assertThat(window.isFull()).isFalse();
        assertThat(window.unreplied(2)).isEqualTo(1);
    }

    @Test
    void aReplyAfterItsTimeMakesRoomAndCountsAsNone() {
        Window window = asking(2, 2);
        assertThat(window.answer(1, 102)).isFalse();
        assertThat(window.answeredLate.get()).isEqualTo(1);
        assertThat(window.inFlight()).isEqualTo(1);
    }

    @Test
    void requestsAreGivenUpWhenTheirTimeIsOver() {
        Window window = asking(2, 2);
        assertThat(window.expire(99)).isFalse();
        assertThat(window.expire(100)).isTrue();
        assertThat(window.expired.get()).isEqualTo(1);
        assertThat(window.answer(0, 100)).isFalse();
        assertThat(window.expire(101)).isTrue();
        assertThat(window.inFlight()).isZero();
    }

    @Test
    void aRequestWhoseSlotWasNeededAgainIsAnsweredOrGivenUp() {
        for (boolean answered : new boolean[] {true, false}) {
            Window window = asking(2, 2);
            assertThat(window.answer(1, 2)).isTrue();
            window.take(2, 2, 0);
            if (answered) {
                assertThat(window.answer(0, 50)).isTrue();
            } else {
                assertThat(window.expire(100)).isTrue();
                assertThat(window.answer(0, 100)).isFalse();
            }
            assertThat(window.unreplied(3)).isEqualTo(1);
        }
    }

    @Test
    void theOldestRequestWithoutAReplyIsTheNextToBeGivenUp() {
        assertThat(asking(4, 0).expiresIn(0)).isEqualTo(Long.MAX_VALUE);
        Window window = asking(4, 3);
        assertThat(window.expiresIn(60)).isEqualTo(40);
        window.answer(0, 60);
        assertThat(window.expire(60)).isFalse();
        assertThat(window.expiresIn(60)).as("the second").isEqualTo(41);
        assertThat(window.expire(101)).isTrue();
        assertThat(window.expiresIn(101)).as("the third").isEqualTo(1);
        assertThat(window.expire(102)).isTrue();
        assertThat(window.expiresIn(102)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aRequestWhoseSlotWasNeededAgainIsGivenUpAtItsOwnTime() {
        Window window = asking(2, 2);
        window.answer(1, 10);
        window.take(50, 50, 0);
        assertThat(window.expire(60)).isFalse();
        assertThat(window.expiresIn(60)).isEqualTo(40);
    }

    @Test
    void aRequestThatFailedWaitsForNoReply() {
        Window window = asking(2, 2);
        assertThat(window.drop(0)).isTrue();
        assertThat(window.unreplied(2)).isEqualTo(1);
        assertThat(window.answer(0, 50)).isFalse();
    }

    @Test
    void aRequestWhoseReplyComesBeforeItsConfirmationIsConfirmedAllTheSame() {
        Window window = asking(2, 1);
        assertThat(window.answer(0, 50)).isTrue();
        assertThat(confirm(window, 0)).isTrue();
        assertThat(window.inFlight()).isZero();
    }
}
