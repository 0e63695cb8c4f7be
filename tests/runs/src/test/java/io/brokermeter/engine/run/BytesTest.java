package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.HasCounts;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.MeanRate;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of the bytes of bodies that a run counts, on messages whose sizes are known: the one producer sends 100, 300 and 1,000 bytes in
 * turn.
 */
class BytesTest {

    private static final String SIZES = "list:100,300,1000";

    private static Tuple bytes(HasCounts part) {
        return Tuple.tuple(part.count(Count.SENT_BYTES), part.count(Count.COMPLETED_BYTES), part.count(Count.RECEIVED_BYTES));
    }

    /**
     * The broker treats every third message in a special way, and these have 1,000 bytes. The window is smaller than the number of
     * messages, so that what stays unconfirmed is set aside.
     */
    @ParameterizedTest
    @CsvSource({"'', 700_000, 700_000, 700_000", "duplicate-every=3, 700_000, 700_000, 1_200_000",
        "lose-every=3, 700_000, 700_000, 200_000", "silent-every=3, 700_000, 200_000, 700_000", "refuse-every=3, 700_000, 200_000, 200_000",
        "deny-every=3, 700_000, 200_000, 700_000", "truncate-every=3, 700_000, 700_000, 695_000"})
    void eachBodyCountsWhereItsMessageDoes(String knobs, String sent, String completed, String received) throws Exception {
        List<Interval> intervals = new ArrayList<>();
        LoopbackRun run = LoopbackRun.of().knobs(knobs).sizes(SIZES).count(1_500).drain(500);
        RunResult r;
        try (VirtualClock _ = run.clock()) {
            r = run.prepare(new RunObserver() {
                @Override
                public void interval(Interval i) {
                    intervals.add(i);
                }
            }).execute();
        }

        Tuple expected = Tuple.tuple(number(sent), number(completed), number(received));
        assertThat(bytes(r)).isEqualTo(expected);
        Counts all = intervals.stream().map(Interval::counts).collect(Counts.sum());
        assertThat(Tuple.tuple(all.get(Count.SENT_BYTES), all.get(Count.COMPLETED_BYTES), all.get(Count.RECEIVED_BYTES)))
            .isEqualTo(expected);
        Counts groups = r.groups().stream().map(HasCounts::counts).collect(Counts.sum());
        assertThat(Tuple.tuple(groups.get(Count.SENT_BYTES), groups.get(Count.COMPLETED_BYTES), groups.get(Count.RECEIVED_BYTES)))
            .isEqualTo(expected);
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }

    /** A transaction of six has 2,800 bytes, whichever of them are rolled back. */
    @Test
    void whatIsRolledBackIsNotConfirmed() throws Exception {
        RunResult r = LoopbackRun.of().sizes(SIZES).count(3_000).transactionsOf(6).rollback(0.3).execute();

        assertThat(r.rolledBack()).isBetween(300L, 1_800L);
        long kept = (3_000 - r.rolledBack()) / 6 * 2_800;
        assertThat(bytes(r)).isEqualTo(Tuple.tuple(1_400_000L, kept, kept));
    }

    /** The broker confirms all messages of a group with one answer. */
    @ParameterizedTest
    @CsvSource({"'list:100,300,1000', 466_300", "100, 100_000"})
    void oneAnswerConfirmsTheBytesOfAllItsMessages(String sizes, String bytes) throws Exception {
        RunResult r = LoopbackRun.of().over(LoopbackRun.sending(listener -> new Producer() {

            @Override
            public void send(Payload payload, long token) {
                if (token % 7 == 6 || token == 999) {
                    listener.confirmedUpTo(token);
                }
            }

            @Override
            public void close() {}
        })).sizes(sizes).sendOnly().count(1_000).execute();

        long all = number(bytes);
        assertThat(r.completed()).isEqualTo(1_000);
        assertThat(bytes(r)).isEqualTo(Tuple.tuple(all, all, 0L));
    }

    /** A message that is given back comes again with the same body. */
    @Test
    void eachDeliveryOfAMessageCounts() throws Exception {
        RunResult r = new Groups().producers("p", p -> p.messages = 4_000).consumers("c", c -> c.requeue = 0.2).execute();

        assertThat(r.requeued()).isPositive();
        assertThat(bytes(r)).isEqualTo(Tuple.tuple(256_000L, 256_000L, 64 * (4_000 + r.requeued())));
    }

    @Test
    void repliesAreOfTheirGroupsAlone() throws Exception {
        RunResult r = new Groups().producers("ask", p -> {
            p.messages = 300;
            p.request = new RequestReply(Duration.ofSeconds(5));
        }).consumers("answer", c -> c.replies = true).execute();

        assertThat(bytes(r)).isEqualTo(Tuple.tuple(19_200L, 19_200L, 19_200L));
        assertThat(bytes(Groups.group(r, "ask"))).isEqualTo(Tuple.tuple(19_200L, 19_200L, 19_200L));
        assertThat(bytes(Groups.group(r, "answer"))).isEqualTo(Tuple.tuple(19_200L, 0L, 19_200L));
    }

    /** Messages are sent and received in their order, so the number of those before a phase tells which sizes were in it. */
    @Test
    void phasesAndTheMeasuredPartHaveTheirOwnBytes() throws Exception {
        RunResult r = LoopbackRun.of().sizes(SIZES).rate("300").warmup(1_000).phase("low", 2_000, "301").phase("high", 2_000, "602")
            .execute();

        assertThat(r.phases()).hasSize(2);
        for (Count count : List.of(Count.SENT, Count.RECEIVED)) {
            Count bytes = count == Count.SENT ? Count.SENT_BYTES : Count.RECEIVED_BYTES;
            long before = r.count(count) - r.phases().stream().mapToLong(phase -> phase.count(count)).sum();
            assertThat(before).isPositive();
            assertThat(r.part().count(bytes)).isEqualTo(first(r.count(count)) - first(before));
            for (PhaseResult phase : r.phases()) {
                assertThat(phase.count(bytes)).as(phase.name()).isEqualTo(first(before + phase.count(count)) - first(before));
                before += phase.count(count);
            }
        }
        assertThat(Measurements.of(new MeanRate(Count.SENT_BYTES), r))
            .isCloseTo(r.part().count(Count.SENT_BYTES) / r.part().seconds(), within(1e-6));
    }

    /** Returns the bytes of the first messages. */
    private static long first(long messages) {
        return messages / 3 * 1_400 + switch ((int) (messages % 3)) {
            case 0 -> 0;
            case 1 -> 100;
            default -> 400;
        };
    }

    @Test
    void aThresholdOnBytesIsJudgedAndEndsARun() throws Exception {
        RunResult judged = LoopbackRun.of().sizes(SIZES).rate("300").duration(4_000)
            .thresholds("sentBytes.rate > 100KB/s", "received-bytes.rate < 100KB/s", "completedBytes == 560KB").execute();
        assertThat(judged.thresholds()).extracting(one -> one.passed()).containsExactly(true, false, true);

        RunResult ended = LoopbackRun.of().sizes(SIZES).rate("300").duration(20_000).thresholds("receivedBytes < 500KB, abort").execute();
        assertThat(ended.thresholds()).singleElement().satisfies(one -> assertThat(one.aborted()).isTrue());
        assertThat(ended.count(Count.RECEIVED_BYTES)).isBetween(500_000L, 1_400_000L);
    }
}
