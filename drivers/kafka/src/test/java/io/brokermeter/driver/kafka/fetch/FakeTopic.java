package io.brokermeter.driver.kafka.fetch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.driver.kafka.link.FakeServer;
import io.brokermeter.driver.kafka.link.Leaders;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** A topic and its brokers, which give its batches by Kafka's rules, in Kafka's own encoding. Guarded by this. */
final class FakeTopic implements Leaders, AutoCloseable {

    /** Decides whether the connection ends in place of an answer, by the number of the question, from 0. */
    interface Script {

        boolean cuts(int broker, int question);
    }

    private static final class Partition {

        int leader;
        long begin;
        long end;
        /** The batches by their last offsets. */
        final TreeMap<Long, byte[]> batches = new TreeMap<>();
        final List<FetchResponseData.AbortedTransaction> aborted = new ArrayList<>();
        Errors error = Errors.NONE;
    }

    private final List<Partition> partitions = new ArrayList<>();
    private final List<Broker> brokers = new ArrayList<>();
    final List<FetchRequestData> questions = new CopyOnWriteArrayList<>();
    final List<String> trouble = new CopyOnWriteArrayList<>();
    volatile Script script = (_, _) -> false;

    /** Creates a topic whose partitions the brokers lead in turn. */
    FakeTopic(int partitions, int brokers) throws IOException {
        for (int i = 0; i < brokers; i++) {
            this.brokers.add(new Broker(i));
        }
        for (int i = 0; i < partitions; i++) {
            Partition each = new Partition();
            each.leader = i % brokers;
            this.partitions.add(each);
        }
    }

    private final class Broker extends FakeServer {

        Broker(int id) throws IOException {
            super(id);
        }

        @Override
        protected @Nullable ApiMessage answer(RequestHeader header, ByteBuffer request) throws IOException {
            return switch (header.apiKey()) {
                case API_VERSIONS -> versions(ApiKeys.FETCH);
                case FETCH -> fetch(id(), new FetchRequestData(new ByteBufferAccessor(request), header.apiVersion()));
                default -> throw new IllegalStateException("an unexpected request: " + header.apiKey());
            };
        }

        @Override
        protected void trouble(RuntimeException what) {
            trouble.add(what.toString());
        }
    }

    @Override
    public synchronized List<@Nullable Node> leaders(String topic) {
        return partitions.stream().<@Nullable Node>map(each -> brokers.get(each.leader).node()).toList();
    }

    // ---- what a test does

    private static SimpleRecord[] records(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(1000L + i, new byte[] {1}, values[i].getBytes(StandardCharsets.UTF_8));
        }
        return records;
    }

    /** Adds messages as one batch. */
    void add(int partition, String... values) {
        add(partition, Compression.NONE, values);
    }

    void add(int partition, Compression compression, String... values) {
        append(partition, at -> MemoryRecords.withRecords(at, compression, records(values)));
    }

    void addTransacted(int partition, long producer, String... values) {
        append(partition, at -> MemoryRecords.withTransactionalRecords(at, Compression.NONE, producer, (short) 0, 0, 0, records(values)));
    }

    /** Adds the end of a transaction. */
    void end(int partition, long producer, boolean commit, long first) {
        if (!commit) {
            synchronized (this) {
                partitions.get(partition).aborted
                    .add(new FetchResponseData.AbortedTransaction().setProducerId(producer).setFirstOffset(first));
            }
        }
        append(partition, at -> MemoryRecords.withEndTransactionMarker(at, 1000, 0, producer, (short) 0,
            new EndTransactionMarker(commit ? ControlRecordType.COMMIT : ControlRecordType.ABORT, 0)));
    }

    /** Adds what a cleaner leaves of the end of a transaction. */
    void endEmptied(int partition, long producer) {
        append(partition, at -> {
            ByteBuffer bytes = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
            DefaultRecordBatch.writeEmptyHeader(bytes, RecordBatch.MAGIC_VALUE_V2, producer, (short) 0, 0, at, at, 0,
                TimestampType.CREATE_TIME, 1000, true, true);
            return MemoryRecords.readableRecords(bytes.flip());
        });
    }

    private interface Making {

        MemoryRecords at(long offset);
    }

    private synchronized void append(int partition, Making making) {
        Partition to = partitions.get(partition);
        MemoryRecords made = making.at(to.end);
        byte[] bytes = new byte[made.sizeInBytes()];
        made.buffer().duplicate().get(bytes);
        long last = made.batches().iterator().next().lastOffset();
        to.batches.put(last, bytes);
        to.end = last + 1;
        notifyAll();
    }

    /** Changes a byte of the body of the newest batch. */
    synchronized void spoil(int partition) {
        byte[] newest = partitions.get(partition).batches.lastEntry().getValue();
        newest[newest.length - 2] ^= 1;
    }

    synchronized void lead(int partition, int broker) {
        partitions.get(partition).leader = broker;
        notifyAll();
    }

    synchronized void refuse(int partition, Errors error) {
        partitions.get(partition).error = error;
        notifyAll();
    }

    /** Makes the log of a partition begin at an offset. */
    synchronized void cutBefore(int partition, long begin) {
        partitions.get(partition).begin = begin;
    }

    // ---- what brokers do

    private ApiMessage fetch(int broker, FetchRequestData asked) throws IOException {
        synchronized (this) {
            questions.add(asked);
            if (script.cuts(broker, questions.size() - 1)) {
                throw new IOException("cut");
            }
            long until = System.nanoTime() + asked.maxWaitMs() * 1_000_000L;
            while (true) {
                boolean[] any = {false};
                FetchResponseData answer = look(broker, asked, any);
                long left = (until - System.nanoTime()) / 1_000_000;
                if (any[0] || left <= 0) {
                    return answer;
                }
                pause(left);
            }
        }
    }

    private synchronized void pause(long millis) throws IOException {
        try {
            wait(millis);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private synchronized FetchResponseData look(int broker, FetchRequestData asked, boolean[] any) {
        List<FetchResponseData.PartitionData> answers = new ArrayList<>();
        for (var each : asked.topics().getFirst().partitions()) {
            Partition from = partitions.get(each.partition());
            var answer = new FetchResponseData.PartitionData().setPartitionIndex(each.partition()).setHighWatermark(from.end)
                .setAbortedTransactions(asked.isolationLevel() == 1 ? from.aborted : null);
            long at = each.fetchOffset();
            Errors error = from.leader != broker ? Errors.NOT_LEADER_OR_FOLLOWER
                : from.error != Errors.NONE ? from.error : at < from.begin || at > from.end ? Errors.OFFSET_OUT_OF_RANGE : Errors.NONE;
            byte[] bytes = error == Errors.NONE ? bytes(from, at, each.partitionMaxBytes(), !any[0]) : new byte[0];
            answer.setErrorCode(error.code()).setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)));
            any[0] |= bytes.length > 0 || error != Errors.NONE;
            answers.add(answer);
        }
        return new FetchResponseData().setResponses(List.of(
            new FetchResponseData.FetchableTopicResponse().setTopic(asked.topics().getFirst().topic()).setPartitions(answers)));
    }

    /** Returns batches from the one with an offset on: whole ones, and the beginning of the one that exceeds the most bytes. */
    private static byte[] bytes(Partition of, long offset, int most, boolean one) {
        ByteBuffer out = ByteBuffer.allocate(1 << 22);
        boolean whole = one;
        for (Map.Entry<Long, byte[]> each : of.batches.tailMap(offset, true).entrySet()) {
            byte[] batch = each.getValue();
            int length = whole ? batch.length : Math.min(batch.length, most - out.position());
            out.put(batch, 0, length);
            if (out.position() >= most) {
                break;
            }
            whole = false;
        }
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    /** Ends all connections to a broker. */
    void cut(int broker) throws IOException {
        brokers.get(broker).cut();
    }

    @Override
    public void close() throws IOException {
        for (Broker each : brokers) {
            each.close();
        }
    }
}
