package io.brokermeter.engine.recording.lane;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.fault.Scorecard;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares what is kept of a long run with a record of each of its milliseconds. */
class ActivityTest {

    private static final MessageFates NOTHING = new MessageFates(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    private static final long MILLI = 1_000_000;
    private static final long BEGIN = 1_700_000_000_000_000_000L;
    private static final int LENGTH = 900 * 1024;
    private static final int FAULT = 400_300;
    private static final int OVER = 403_100;

    private final Activity activity = new Activity();
    private final int[] confirmed = new int[LENGTH];
    private final int[] delivered = new int[LENGTH];
    private final int[] failed = new int[LENGTH];
    private final long[] waits = new long[LENGTH];

    private void record(int milli, int count, long wait) {
        long now = BEGIN + milli * MILLI;
        for (int i = 0; i < count; i++) {
            activity.confirmed(now);
            activity.delivered(now, wait);
        }
        confirmed[milli] += count;
        delivered[milli] += count;
        waits[milli] = Math.max(waits[milli], wait);
    }

    /** Records a quarter of an hour with a message every other millisecond, and an outage with a backlog in its middle. */
    private void outage() {
        activity.begin(BEGIN);
        for (int milli = 0; milli < LENGTH; milli++) {
            if (milli < FAULT || milli >= OVER + 400) {
                record(milli, milli % 2, MILLI + milli % 7 * 100_000L);
            } else if (milli >= OVER) {
                record(milli, 4, (OVER - FAULT - (milli - OVER) * 7L) * MILLI);
            }
        }
    }

    /** Returns the size of a trace some pages of which are kept in full. */
    private static int bytes(int full, int all) {
        return 4 + all * 4 + full * 4 * 8 * 1024 + (all - full) * 12 * 8;
    }

    private static Scorecard score(Activity.Trace trace) {
        List<Event> outages = List.of(new Event((FAULT + 20) * MILLI, Event.Kind.INTERRUPTED, new Finding.Reconnecting("gone")));
        return requireNonNull(Scorecard.of(trace, 1_000 * MILLI, LENGTH * MILLI, FAULT * MILLI, outages, true, NOTHING));
    }

    private static int written(Activity.Trace trace) throws IOException {
        DataOutputStream to = new DataOutputStream(OutputStream.nullOutputStream());
        trace.write(to);
        return to.size();
    }

    @Test
    void secondsLikeOthersAreSummedUpAndTheScorecardIsTheSame() throws Exception {
        outage();
        Activity.Trace kept = activity.trace();
        Scorecard exact = score(new Activity.Trace(confirmed, delivered, failed, waits));
        Scorecard card = score(kept);
        Offset<Double> same = within(1e-9);
        assertThat(card.first().withoutSend()).isCloseTo(exact.first().withoutSend(), same).isCloseTo((OVER - FAULT + 1) / 1e3, same);
        assertThat(card.first().withoutDelivery()).isCloseTo(exact.first().withoutDelivery(), same);
        assertThat(card.first().to95()).isCloseTo(exact.first().to95(), same);
        assertThat(card.first().catchUp()).isCloseTo(exact.first().catchUp(), same);
        assertThat(card.first().longestWait()).isCloseTo(exact.first().longestWait(), same);
        assertThat(card.first().detect()).isCloseTo(exact.first().detect(), same);
        assertThat(card.first().rateBefore()).isCloseTo(exact.first().rateBefore(), within(2.0));
        assertThat(card.course()).isEqualTo(exact.course());
        assertThat(IntStream.range(0, LENGTH).mapToLong(kept::confirmed).sum()).isEqualTo(IntStream.of(confirmed).sum());
        assertThat(written(kept)).as("a hundred seconds of nine hundred, and little of the others").isLessThan(120 * 4 * 8 * 1024);
    }

    @Test
    void itIsReadAsItWasWrittenAndAddedUp() throws Exception {
        outage();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        activity.trace().write(new DataOutputStream(bytes));
        Activity.Trace read = Activity.Trace.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        Activity.Trace both = Activity.Trace.sum(List.of(read, activity.trace()));
        assertThat(both.length()).isEqualTo(read.length());
        for (int milli = 0; milli < LENGTH; milli++) {
            assertThat(both.confirmed(milli)).isEqualTo(2 * read.confirmed(milli));
            assertThat(both.longestWait(milli)).isEqualTo(read.longestWait(milli));
        }
    }

    /** It takes 60 s to learn what is usual; 8 s around them are kept in full, as is what is younger than 11 s. */
    @Test
    void whatIsAlwaysAlikeIsKeptInFullForAMinute() throws Exception {
        activity.begin(BEGIN);
        for (int page = 0; page < 101; page++) {
            activity.confirmed(BEGIN + page * 1_024 * MILLI);
        }
        assertThat(written(activity.trace())).isEqualTo(bytes(68 + 11, 101));
    }

    @Test
    void whatIsNeverAlikeIsBoundedAllTheSame() throws Exception {
        activity.begin(BEGIN);
        int pages = Activity.MOST_FULL + 200;
        for (int page = 0; page < pages; page++) {
            for (int i = 0; i < (page % 2 == 0 ? 1 : 400); i++) {
                activity.confirmed(BEGIN + (page * 1024L + 5 + i) * MILLI);
            }
        }
        Activity.Trace kept = activity.trace();
        assertThat(written(kept)).as("half an hour, and what is younger than 11 s").isEqualTo(bytes(1_800 + 11, pages));
        for (int page = 0; page < pages; page++) {
            int first = page * 1024;
            assertThat(IntStream.range(first, first + 1024).map(kept::confirmed).sum()).isEqualTo(page % 2 == 0 ? 1 : 400);
            assertThat(kept.confirmed(first + 5)).isEqualTo(1);
            assertThat(kept.confirmed(first + 4)).isZero();
        }
    }

    @Test
    void whatComesBeforeTheRunOrADayAfterItIsLeftOut() {
        activity.confirmed(BEGIN);
        assertThat(activity.trace().length()).as("before the begin is known").isZero();
        activity.begin(BEGIN);
        activity.confirmed(BEGIN - 1);
        assertThat(activity.trace().length()).isZero();

        activity.delivered(BEGIN, 5);
        activity.delivered(BEGIN + MILLI - 1, 9);
        activity.delivered(BEGIN + MILLI - 1, 7);
        activity.failed(BEGIN + 1_023 * MILLI);
        Activity.Trace first = activity.trace();
        assertThat(first.length()).isEqualTo(1_024);
        assertThat(first.delivered(0)).isEqualTo(3);
        assertThat(first.longestWait(0)).isEqualTo(9);
        assertThat(first.failed(1_023)).isEqualTo(1);
        assertThat(List.of(first.delivered(-1), first.delivered(1_024), first.failed(0), first.confirmed(0))).containsOnly(0);

        Activity odd = new Activity();
        odd.begin(BEGIN + 5 * MILLI);
        odd.confirmed(BEGIN + 7 * MILLI);
        assertThat(odd.trace().confirmed(2)).isEqualTo(1);

        long day = 84_375L * 1_024 * MILLI;
        activity.confirmed(BEGIN + day);
        assertThat(activity.trace().length()).isEqualTo(1_024);
        activity.confirmed(BEGIN + day - 1);
        assertThat(activity.trace().length()).isEqualTo(84_375 * 1_024);
    }

    @ParameterizedTest
    @CsvSource({"0", "84375"})
    void nothingAndADayAreTraces(int pages) throws Exception {
        byte[] bytes = ByteBuffer.allocate(4 + 4 * pages).putInt(pages).array();
        assertThat(Activity.Trace.read(new DataInputStream(new ByteArrayInputStream(bytes))).length()).isEqualTo(pages * 1_024);
    }

    @ParameterizedTest
    @CsvSource({"-1, 0", "84376, 0", "1, 5", "1, -1"})
    void whatIsNoTraceIsRefused(int pages, int size) {
        byte[] bytes = ByteBuffer.allocate(8).putInt(pages).putInt(size).array();
        assertThatThrownBy(() -> Activity.Trace.read(new DataInputStream(new ByteArrayInputStream(bytes)))).isInstanceOf(IOException.class)
            .hasMessage("What happened in the run is damaged.");
    }
}
