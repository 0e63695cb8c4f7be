package io.brokermeter.contract;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;

/** A connection to a {@link MiniBroker}: one thread that reads, and one for each consumer. */
final class MiniConnection implements Connection {

    /** The length of a wait step, in milliseconds. Steps are counted, so that a stall of the machine uses up at most one of them. */
    private static final long STEP = 100;

    private final DriverFault fault;
    private final ConnectionListener listener;
    private final Duration limit;
    /** The number of steps for which a closing producer waits for the next confirmation. */
    private final int patience;
    private final Socket socket;
    private final OutputStream out;
    private final Thread reader;
    private final Map<Integer, CompletableFuture<Long>> requests = new ConcurrentHashMap<>();
    private final Map<Integer, MiniProducer> producers = new ConcurrentHashMap<>();
    private final Map<Integer, MiniConsumer> consumers = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private volatile boolean closing;
    private volatile boolean mute;
    private volatile @Nullable IOException dead;

    MiniConnection(DriverFault fault, ConnectionSettings settings, ConnectionListener listener) throws Exception {
        this.fault = fault;
        this.listener = listener;
        this.limit = settings.connectTimeout();
        this.patience = switch (fault) {
            case NONE -> 20;
            // enough to distinguish the sum for many producers from the time of one
            case CLOSES_ONE_AFTER_ANOTHER -> 10;
            default -> 5;
        };
        var url = URI.create(settings.url());
        socket = new Socket(url.getHost(), url.getPort());
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        reader = Thread.ofPlatform().daemon().name("mini-reader").start(this::read);
        var user = settings.user();
        var id = settings.clientId();
        ask(MiniBroker.CONNECT, Duration.ofSeconds(30), frame -> {
            frame.writeUTF(user == null || fault == DriverFault.IGNORES_LOGIN ? "" : user);
            frame.writeUTF(id == null || fault == DriverFault.IGNORES_CLIENT_ID ? "" : id);
        });
    }

    private void write(byte[] frame) throws IOException {
        var cause = dead;
        if (cause != null) {
            throw new IOException(cause.getMessage(), cause);
        }
        synchronized (out) {
            out.write(frame);
        }
    }

    private long ask(byte kind, Duration within, MiniBroker.Content content) throws Exception {
        int number = numbers.incrementAndGet();
        var answer = new CompletableFuture<Long>();
        requests.put(number, answer);
        write(MiniBroker.frame(kind, frame -> {
            frame.writeInt(number);
            content.to(frame);
        }));
        if (dead != null) {
            throw new IOException("the connection is lost");
        }
        try {
            return fault == DriverFault.ENDLESS_REQUESTS && kind != MiniBroker.UNSUBSCRIBE ? answer.get()
                : answer.get(mute ? 1 : within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            mute = true;
            throw new TimeoutException("The broker did not answer within " + within.toMillis() + " ms.");
        } catch (ExecutionException e) {
            throw new IOException("the connection is lost", e);
        } finally {
            requests.remove(number);
        }
    }

    private void read() {
        try (var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
            while (true) {
                byte kind = in.readByte();
                int number = in.readInt();
                switch (kind) {
                    case MiniBroker.ANSWER -> {
                        long value = in.readLong();
                        var request = requests.get(number);
                        if (request != null) {
                            request.complete(value);
                        }
                    }
                    case MiniBroker.CONFIRM, MiniBroker.REFUSE -> {
                        long token = in.readLong();
                        var producer = producers.get(number);
                        if (producer != null) {
                            producer.answered(token, kind == MiniBroker.REFUSE);
                        }
                    }
                    default -> {
                        long id = in.readLong();
                        boolean redelivered = in.readBoolean();
                        var body = new byte[in.readInt()];
                        in.readFully(body);
                        var consumer = consumers.get(number);
                        if (consumer != null) {
                            consumer.items.add(new Item(id, redelivered, body));
                        }
                    }
                }
            }
        } catch (IOException e) {
            ended(e instanceof EOFException ? new IOException("the broker closed the connection", e) : e);
        }
    }

    private void ended(IOException cause) {
        dead = cause;
        requests.values().forEach(request -> request.completeExceptionally(cause));
        boolean deaf = fault == DriverFault.DEAF_CONSUMER && producers.isEmpty();
        producers.values().forEach(producer -> producer.giveUp(cause));
        if ((!closing || fault == DriverFault.LOSS_AT_CLOSE) && !deaf) {
            listener.lost(cause);
        }
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return ask(MiniBroker.DECLARE, limit, frame -> frame.writeUTF(destination.name())) == 1;
    }

    @Override
    public void delete(Destination destination) throws Exception {
        if (fault != DriverFault.NO_DELETE) {
            long deleted = ask(MiniBroker.DELETE, limit, frame -> frame.writeUTF(destination.name()));
            if (deleted == 0 && fault == DriverFault.DELETES_ONLY_WHAT_IS_THERE) {
                throw new IOException("there is no " + destination);
            }
        }
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        return OptionalLong.of(ask(MiniBroker.DEPTH, limit, frame -> frame.writeUTF(destination.name())));
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener sends) throws Exception {
        declare(destination);
        int number = numbers.incrementAndGet();
        var producer = new MiniProducer(number, destination, settings, sends);
        producers.put(number, producer);
        return producer;
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener deliveries) throws Exception {
        int number = numbers.incrementAndGet();
        var consumer = new MiniConsumer(number, settings, deliveries);
        consumers.put(number, consumer);
        ask(MiniBroker.SUBSCRIBE, limit, frame -> {
            frame.writeInt(number);
            frame.writeUTF(destination.name());
        });
        return consumer;
    }

    @Override
    public void close() {
        for (var consumer : List.copyOf(consumers.values())) {
            consumer.close();
        }
        if (fault == DriverFault.FORGETS_PRODUCERS) {
            producers.clear();
        }
        for (var producer : List.copyOf(producers.values())) {
            producer.close();
        }
        closing = true;
        try {
            socket.close();
            if (Thread.currentThread() != reader) {
                reader.join(Duration.ofSeconds(60));
            }
        } catch (IOException | InterruptedException e) {
            // the connection is closed nevertheless
        }
    }

    private final class MiniProducer implements Producer {

        private final int number;
        private final Destination destination;
        private final long delay;
        private final long timeToLive;
        private final SendListener sends;
        private final TreeMap<Long, Boolean> pending = new TreeMap<>();

        MiniProducer(int number, Destination destination, ProducerSettings settings, SendListener sends) {
            this.number = number;
            this.destination = destination;
            this.sends = sends;
            this.timeToLive = fault == DriverFault.IGNORES_TIME_TO_LIVE ? 0 : settings.ttlMillis();
            this.delay = fault == DriverFault.DELAY_IN_SECONDS ? (settings.delayMillis() + 999) / 1000 * 1000 : settings.delayMillis();
        }

        @Override
        public void send(Payload payload, long token) throws IOException {
            synchronized (this) {
                if (dead != null) {
                    throw new IOException("the connection is lost", dead);
                }
                pending.put(token, true);
            }
            try {
                write(MiniBroker.frame(MiniBroker.SEND, frame -> {
                    frame.writeInt(number);
                    frame.writeLong(token);
                    frame.writeLong(delay);
                    frame.writeLong(timeToLive);
                    frame.writeUTF(destination.name());
                    frame.writeInt(payload.length());
                    frame.write(payload.bytes(), 0, payload.length());
                }));
            } catch (IOException e) {
                synchronized (this) {
                    if (pending.remove(token) != null) {
                        throw e;
                    }
                }
            }
        }

        synchronized void answered(long token, boolean refused) {
            if (pending.remove(token) == null) {
                return;
            }
            if (refused && fault != DriverFault.CONFIRMS_REFUSED) {
                sends.failed(token, new IOException("the queue is full"));
            } else {
                sends.confirmed(token);
            }
            notifyAll();
        }

        synchronized void giveUp(IOException cause) {
            for (long token : new ArrayList<>(pending.keySet())) {
                if (fault == DriverFault.FAILED_FOR_UNKNOWN) {
                    sends.failed(token, cause);
                } else {
                    sends.unknown(token, cause);
                }
                if (fault == DriverFault.UNKNOWN_TWICE) {
                    sends.unknown(token, cause);
                }
            }
            pending.clear();
            notifyAll();
        }

        @Override
        public void close() {
            synchronized (this) {
                int steps = 0;
                try {
                    while (!pending.isEmpty() && (!mute || fault == DriverFault.CLOSES_ONE_AFTER_ANOTHER)) {
                        if (steps == patience) {
                            mute = true;
                            break;
                        }
                        int before = pending.size();
                        wait(STEP);
                        steps = pending.size() < before ? 0 : steps + 1;
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            giveUp(new IOException("the producer was closed before the broker confirmed the message"));
            producers.remove(number);
        }
    }

    private record Item(long id, boolean redelivered, byte[] body) {}

    private final class MiniConsumer implements Consumer {

        private final int number;
        private final ConsumerSettings settings;
        private final DeliveryListener deliveries;
        private final BlockingQueue<Item> items = new LinkedBlockingQueue<>();
        private final Thread thread;
        private volatile boolean ending;
        private boolean closed;
        private boolean left;
        private long taken;
        private long acknowledged;

        MiniConsumer(int number, ConsumerSettings settings, DeliveryListener deliveries) {
            this.number = number;
            this.settings = settings;
            this.deliveries = deliveries;
            this.thread = Thread.ofPlatform().daemon().name("mini-consumer").start(this::work);
        }

        private void work() {
            try {
                while (!ending && !left) {
                    var item = items.poll(20, TimeUnit.MILLISECONDS);
                    if (item != null) {
                        deliver(item);
                    }
                }
            } catch (InterruptedException e) {
                // closed
            }
        }

        private void deliver(Item item) {
            if (fault == DriverFault.LAST_UNACKNOWLEDGED) {
                acknowledge(item.id - 1);
            }
            var answer = deliveries.delivered(ByteBuffer.wrap(item.body), item.redelivered);
            if (answer == Settlement.LEAVE && fault != DriverFault.ACKNOWLEDGES_WHAT_IS_LEFT) {
                left = true;
                return;
            }
            taken = item.id;
            if (fault != DriverFault.LAST_UNACKNOWLEDGED
                && (settings.ackMode() == AckMode.AUTO || taken - acknowledged >= settings.batch())) {
                acknowledge(taken);
            }
        }

        private void acknowledge(long upTo) {
            acknowledged = upTo;
            try {
                // where the failure is not reported, no test needs to wait for it
                ask(MiniBroker.ACKNOWLEDGE, fault == DriverFault.SWALLOWED_ACKNOWLEDGEMENT ? Duration.ofSeconds(1) : limit, frame -> {
                    frame.writeInt(number);
                    frame.writeLong(upTo);
                });
            } catch (Exception e) {
                if (fault != DriverFault.SWALLOWED_ACKNOWLEDGEMENT && dead == null) {
                    deliveries.failed(e);
                }
            }
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            ending = true;
            try {
                thread.join(Duration.ofSeconds(60));
                if (taken > acknowledged && fault != DriverFault.LAST_UNACKNOWLEDGED) {
                    acknowledge(taken);
                }
                ask(MiniBroker.UNSUBSCRIBE, limit, frame -> {
                    frame.writeInt(number);
                    frame.writeLong(taken + 1);
                });
            } catch (Exception e) {
                // a failed acknowledgement was reported, and the others were answered
            }
            consumers.remove(number);
        }

        @Override
        public String toString() {
            return Objects.toString(number);
        }
    }
}
