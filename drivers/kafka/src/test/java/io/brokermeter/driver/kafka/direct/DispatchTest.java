package io.brokermeter.driver.kafka.direct;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Sends;
import io.brokermeter.driver.kafka.link.Greeting;
import io.brokermeter.driver.kafka.link.ResponseFrames;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Orders in which the threads of a producer come to its batches, one step after another on one thread. */
class DispatchTest {

    private final Sends sends = new Sends();
    private final ByteBuffer answers = ByteBuffer.allocate(1000);
    /** Runs when all answers are read, before the connection ends. */
    private Runnable atEnd = () -> {};

    private record Made(Dispatch dispatch, PartitionSends partition) {

        private BrokerLink link() {
            return Objects.requireNonNull(partition.link);
        }

        /** Begins a batch with one message, which stays claimed. */
        private Batch claimed() {
            return dispatch.locked(() -> {
                Batch batch = Objects.requireNonNull(dispatch.pool.take(100));
                long now = System.nanoTime();
                batch.begin(1000, 0, now);
                byte[] none = {0};
                int content = batch.content(none, 1, none, null, 0);
                batch.append(content, none, none, 1, none, null, 0, dispatch.window.sent());
                dispatch.window.add(dispatch.window.sent());
                partition.open = batch;
                dispatch.begun(partition, now);
                return batch;
            });
        }

        /** Writes a batch of one message. */
        private ProduceRequest sent() {
            Batch batch = claimed();
            batch.close();
            dispatch.locked(() -> {
                partition.full(batch);
                return "";
            });
            ProduceRequest request = Objects.requireNonNull(next(null));
            assertThat(request.batch(0)).isSameAs(batch);
            assertThat(next(request)).isNull();
            return request;
        }

        private @Nullable ProduceRequest next(@Nullable ProduceRequest last) {
            return dispatch.next(link(), last);
        }

        private void answered(ProduceRequest request, Errors error) {
            dispatch.answered(request, 0, error.code(), "");
            dispatch.report();
        }
    }

    private Made make(String... changes) {
        DirectSettings settings = DirectFixtures.settings(changes);
        var routes = new Routes(1, new int[1], new byte[1][], false, List.of(Map.of()), false);
        var dispatch = new Dispatch(new DirectProducerTest.Cluster(), settings, "T", routes, 100, sends);
        var wire = new DirectFixtures.Written() {

            @Override
            public int read(ByteBuffer into) throws IOException {
                if (!answers.hasRemaining()) {
                    atEnd.run();
                    throw new IOException("over");
                }
                int count = answers.remaining();
                into.put(answers);
                return count;
            }
        };
        PartitionSends partition = dispatch.partitions[0];
        partition.identify(7, (short) 0);
        partition.link = new BrokerLink(1, dispatch, settings, ProduceRequest.beginning("test", (short) -1, 1000, "T"),
            new Greeting.Greeted(wire, new ResponseFrames(BrokerLink.LARGEST_ANSWER)));
        return new Made(dispatch, partition);
    }

    private void answer(int number) {
        var partitions = List.of(new ProduceResponseData.PartitionProduceResponse().setIndex(0));
        var topics = new ProduceResponseData.TopicProduceResponseCollection();
        topics.add(new ProduceResponseData.TopicProduceResponse().setName("T").setPartitionResponses(partitions));
        ByteBuffer body = MessageUtil.toByteBufferAccessor(new ProduceResponseData().setResponses(topics), ProduceRequest.VERSION).buffer();
        answers.putInt(Integer.BYTES + body.remaining()).putInt(number).put(body);
    }

    /** The reader has the answer in its hands when another thread ends the connection: the batch waits to be sent again, once. */
    @Test
    void takesNoAnswerAfterTheEndOfTheConnection() {
        var made = make();
        ProduceRequest request = made.sent();
        made.dispatch.broke(made.link(), new IOException("cut"));
        made.answered(request, Errors.NONE);
        assertThat(sends.reported()).isZero();
        assertThat(made.partition.backlog()).isEqualTo(1);
        assertThat(made.dispatch.pool.take(100)).isNotSameAs(request.batch(0));
    }

    /** One batch of a request is answered, and in use again, when the connection ends. */
    @Test
    void losesWithTheConnectionOnlyWhatIsUnanswered() {
        var made = make();
        ProduceRequest request = made.sent();
        made.answered(request, Errors.NONE);
        Batch again = made.claimed();
        assertThat(again).isSameAs(request.batch(0));
        made.dispatch.broke(made.link(), new IOException("cut"));
        assertThat(again.failure).isNull();
    }

    @Test
    void keepsTheNumberOfWhatMayBeStoredBeforeALaterBatch() {
        var made = make("retry.backoff.ms", "0");
        ProduceRequest first = made.sent();
        ProduceRequest second = made.sent();
        ProduceRequest third = made.sent();
        made.answered(first, Errors.REQUEST_TIMED_OUT);
        made.answered(second, Errors.NONE);
        made.answered(third, Errors.NOT_ENOUGH_REPLICAS);
        Batch kept = first.batch(0);
        Batch refused = third.batch(0);
        ProduceRequest again = Objects.requireNonNull(made.next(null));
        assertThat(again.batch(0)).isSameAs(kept);
        assertThat(kept.sequence).isZero();
        again = Objects.requireNonNull(made.next(again));
        assertThat(again.batch(0)).isSameAs(refused);
        assertThat(refused.sequence).isEqualTo(2);
    }

    /** The answers of two brokers, between which the leader moved, come in either order. */
    @Test
    void numbersNothingLikeWhatIsStored() {
        var made = make("retry.backoff.ms", "0");
        ProduceRequest first = made.sent();
        ProduceRequest second = made.sent();
        made.answered(second, Errors.NONE);
        made.answered(first, Errors.NONE);
        ProduceRequest third = made.sent();
        made.answered(third, Errors.NOT_ENOUGH_REPLICAS);
        Batch refused = Objects.requireNonNull(made.next(null)).batch(0);
        assertThat(refused.sequence).isEqualTo(2);
    }

    /** The pump leaves a due batch to the reader, and the reader finds the sending thread adding to it. */
    @Test
    void looksAgainForWhatIsDueAndClaimed() {
        var made = make("linger.ms", "1", "max.in.flight.requests.per.connection", "1");
        ProduceRequest request = made.sent();
        Batch claimed = made.claimed();
        while (System.nanoTime() - claimed.since() < TimeUnit.MILLISECONDS.toNanos(1)) {
            Thread.onSpinWait();
        }
        assertThat(made.dispatch.untilDue()).isGreaterThan(TimeUnit.MINUTES.toNanos(1));
        answer(request.number);
        answers.flip();
        var waits = new ArrayList<Long>();
        atEnd = () -> waits.add(made.dispatch.pumpUntil - System.nanoTime());
        made.link().work();
        assertThat(waits).singleElement(as(LONG)).isNotPositive();
    }

    /** Guards against a pump that wakes for each batch of a producer that sends all it can. */
    @Test
    void leavesTheTimeOfABatchToTheReaderOfAFullConnection() {
        var made = make("linger.ms", "1000", "max.in.flight.requests.per.connection", "2");
        made.sent();
        assertThat(made.dispatch.untilDue()).isGreaterThan(TimeUnit.MINUTES.toNanos(1));
        Batch batch = made.claimed();
        assertThat(made.dispatch.pumpUntil - System.nanoTime()).isNotPositive();
        batch.close();
        made.dispatch.locked(() -> {
            made.partition.full(batch);
            return "";
        });
        made.next(null);
        assertThat(made.dispatch.untilDue()).isGreaterThan(TimeUnit.MINUTES.toNanos(1));
        made.claimed();
        assertThat(made.dispatch.pumpUntil - System.nanoTime()).isGreaterThan(TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void reportsWhatWasConfirmedBeforeTheConnectionEnds() {
        var made = make();
        answer(made.sent().number);
        answer(made.sent().number + 7);
        answers.flip();
        made.link().work();
        assertThat(sends.confirmedTokens()).containsExactly(0L);
    }
}
