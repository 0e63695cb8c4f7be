package io.brokermeter.driver.kafka.direct;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * A broker that speaks through Kafka's own classes, keeps to the rules of idempotent producers, and answers batches as a test scripts it.
 * The log is shared by all brokers of a test.
 */
final class FakeBroker implements AutoCloseable {

    /** What becomes of a batch. */
    enum Fate {
        STORE(Errors.NONE), NOT_LEADER(Errors.NOT_LEADER_OR_FOLLOWER), TOO_LARGE(Errors.MESSAGE_TOO_LARGE),
        TOO_FEW(Errors.NOT_ENOUGH_REPLICAS),
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

        private record Key(int partition, long producer) {}

        private final Script script;
        private final Map<Integer, List<String>> stored = new HashMap<>();
        private final Map<Key, Integer> next = new HashMap<>();
        private final Map<Key, Integer> last = new HashMap<>();
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
            if (fate != Fate.STORE && fate != Fate.STORE_AND_CUT) {
                return fate;
            }
            if (batch.producerId() >= 0) {
                Key key = new Key(partition, batch.producerId());
                if (batch.baseSequence() == last.getOrDefault(key, -1)) {
                    return fate; // a duplicate, which a broker says is stored
                }
                int wanted = next.getOrDefault(key, batch.baseSequence());
                if (batch.baseSequence() != wanted) {
                    return null;
                }
                last.put(key, wanted);
                next.put(key, wanted + texts.size());
            }
            stored.computeIfAbsent(partition, _ -> new ArrayList<>()).addAll(texts);
            return fate;
        }
    }

    private final int id;
    private final Log log;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    FakeBroker(int id, Log log) throws IOException {
        this.id = id;
        this.log = log;
        Thread.ofVirtual().start(this::accept);
    }

    Node node() {
        return new Node(id, "127.0.0.1", server.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new DataInputStream(socket.getInputStream());
            var out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                ByteBuffer request = ByteBuffer.wrap(frame);
                RequestHeader header = RequestHeader.parse(request);
                ApiMessage answer = answer(header, request);
                if (answer == null) {
                    continue;
                }
                ByteBuffer body = MessageUtil.toByteBufferAccessor(answer, header.apiVersion()).buffer();
                out.writeInt(Integer.BYTES + body.remaining());
                out.writeInt(header.correlationId());
                out.write(body.array(), body.arrayOffset() + body.position(), body.remaining());
                out.flush();
            }
        } catch (IOException e) {
            // the end of the connection
        } catch (RuntimeException e) {
            log.trouble.add(e.toString());
        }
    }

    private org.apache.kafka.common.protocol.ApiMessage answer(RequestHeader header, ByteBuffer request) throws IOException {
        return switch (header.apiKey()) {
            case API_VERSIONS -> {
                var known = new ApiVersionsResponseData.ApiVersionCollection();
                for (ApiKeys key : List.of(ApiKeys.PRODUCE, ApiKeys.INIT_PRODUCER_ID)) {
                    known.add(new ApiVersionsResponseData.ApiVersion().setApiKey(key.id).setMinVersion((short) 0).setMaxVersion((short) 9));
                }
                yield new ApiVersionsResponseData().setApiKeys(known);
            }
            case INIT_PRODUCER_ID -> new InitProducerIdResponseData().setProducerId(log.identity()).setProducerEpoch((short) 0);
            case PRODUCE -> produce(new ProduceRequestData(new ByteBufferAccessor(request), header.apiVersion()));
            default -> throw new IllegalStateException("an unexpected request: " + header.apiKey());
        };
    }

    private ApiMessage produce(ProduceRequestData request) throws IOException {
        var topics = new ProduceResponseData.TopicProduceResponseCollection();
        boolean silent = request.acks() == 0;
        for (var topic : request.topicData()) {
            List<ProduceResponseData.PartitionProduceResponse> partitions = new ArrayList<>();
            for (var data : topic.partitionData()) {
                Fate fate = log.add(id, data.index(), (MemoryRecords) data.records());
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

    /** Ends all connections. */
    void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
