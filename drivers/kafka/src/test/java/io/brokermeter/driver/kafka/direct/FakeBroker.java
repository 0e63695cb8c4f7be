package io.brokermeter.driver.kafka.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.driver.kafka.link.FakeServer;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * A broker that speaks through Kafka's own classes, keeps to the rules of idempotent producers, and answers batches as a test scripts it.
 * The log is shared by all brokers of a test.
 */
final class FakeBroker extends FakeServer {

    /** What becomes of a batch. */
    enum Fate {
        STORE(Errors.NONE), NOT_LEADER(Errors.NOT_LEADER_OR_FOLLOWER), TOO_LARGE(Errors.MESSAGE_TOO_LARGE),
        TOO_FEW(Errors.NOT_ENOUGH_REPLICAS),
        /** The batch is stored, and the answer does not say so. */
        STORE_AND_TIME_OUT(Errors.REQUEST_TIMED_OUT),
        FORGOTTEN(Errors.UNKNOWN_PRODUCER_ID), INTERNAL(Errors.UNKNOWN_SERVER_ERROR),
        /** The batch is stored, and the connection ends before the answer. */
        STORE_AND_CUT(Errors.NONE),
        /** No answer ever comes. */
        SILENCE(Errors.NONE);

        private final Errors error;

        Fate(Errors error) {
            this.error = error;
        }
    }

    /** Decides about the batch number {@code number} of all, from 0. Called by one thread at a time. */
    interface Script {

        Fate fate(int broker, int number, int partition, String first);
    }

    /** What the brokers of a test store. */
    static final class Log {

        private static final int REMEMBERED = 5;

        private record Key(int partition, long producer) {}

        private final Script script;
        private final Map<Integer, List<String>> stored = new HashMap<>();
        private final Map<Key, Integer> next = new HashMap<>();
        /** The numbers of the last five batches. */
        private final Map<Key, Deque<Integer>> last = new HashMap<>();
        private int batches;
        private long producers = 100;
        final List<String> trouble = new CopyOnWriteArrayList<>();

        Log(Script script) {
            this.script = script;
        }

        synchronized List<String> stored(int partition) {
            return List.copyOf(stored.getOrDefault(partition, List.of()));
        }

        synchronized long identities() {
            return producers - 100;
        }

        synchronized int batches() {
            return batches;
        }

        private synchronized long identity() {
            return producers++;
        }

        private synchronized Fate add(int broker, int partition, MemoryRecords records) {
            MutableRecordBatch batch = records.batches().iterator().next();
            batch.ensureValid();
            List<String> texts = new ArrayList<>();
            records.records().forEach(record -> texts.add(StandardCharsets.UTF_8.decode(record.value()).toString()));
            Fate fate = script.fate(broker, batches++, partition, texts.getFirst());
            if (fate != Fate.STORE && fate != Fate.STORE_AND_CUT && fate != Fate.STORE_AND_TIME_OUT) {
                return fate;
            }
            if (batch.producerId() >= 0) {
                Key key = new Key(partition, batch.producerId());
                Deque<Integer> known = last.computeIfAbsent(key, _ -> new ArrayDeque<>());
                if (known.contains(batch.baseSequence())) {
                    return fate; // a duplicate, which a broker says is stored
                }
                int wanted = next.getOrDefault(key, batch.baseSequence());
                if (batch.baseSequence() != wanted) {
                    return null;
                }
                known.add(wanted);
                if (known.size() > REMEMBERED) {
                    known.remove();
                }
                next.put(key, wanted + texts.size());
            }
            stored.computeIfAbsent(partition, _ -> new ArrayList<>()).addAll(texts);
            return fate;
        }
    }

    private final Log log;

    FakeBroker(int id, Log log) throws IOException {
        super(id);
        this.log = log;
    }

    @Override
    protected void trouble(RuntimeException what) {
        log.trouble.add(what.toString());
    }

    @Override
    protected @Nullable ApiMessage answer(RequestHeader header, ByteBuffer request) throws IOException {
        return switch (header.apiKey()) {
            case API_VERSIONS -> versions(ApiKeys.PRODUCE, ApiKeys.INIT_PRODUCER_ID);
            case INIT_PRODUCER_ID -> new InitProducerIdResponseData().setProducerId(log.identity()).setProducerEpoch((short) 0);
            case PRODUCE -> produce(new ProduceRequestData(new ByteBufferAccessor(request), header.apiVersion()));
            default -> throw new IllegalStateException("an unexpected request: " + header.apiKey());
        };
    }

    private @Nullable ApiMessage produce(ProduceRequestData request) throws IOException {
        var topics = new ProduceResponseData.TopicProduceResponseCollection();
        boolean silent = request.acks() == 0;
        for (var topic : request.topicData()) {
            List<ProduceResponseData.PartitionProduceResponse> partitions = new ArrayList<>();
            for (var data : topic.partitionData()) {
                Fate fate = log.add(id(), data.index(), (MemoryRecords) data.records());
                if (fate == Fate.STORE_AND_CUT) {
                    throw new IOException("cut");
                }
                silent |= fate == Fate.SILENCE;
                Errors error = fate == null ? Errors.OUT_OF_ORDER_SEQUENCE_NUMBER : fate.error;
                partitions.add(new ProduceResponseData.PartitionProduceResponse().setIndex(data.index()).setErrorCode(error.code())
                    .setErrorMessage(error == Errors.NONE ? null : error.message()));
            }
            topics.add(new ProduceResponseData.TopicProduceResponse().setName(topic.name()).setPartitionResponses(partitions));
        }
        return silent ? null : new ProduceResponseData().setResponses(topics);
    }
}
