package io.brokermeter.contract;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A minimal broker with which {@link MiniDriver} fulfils the contract. Queues whose names begin with {@code full} hold 50 messages of at
 * most 4 KiB and refuse more. Messages that were delivered to a consumer and not acknowledged stay assigned to it until its connection
 * ends.
 */
final class MiniBroker implements AutoCloseable {

    static final byte CONNECT = 1;
    static final byte DECLARE = 2;
    static final byte DELETE = 3;
    static final byte DEPTH = 4;
    static final byte SEND = 5;
    static final byte SUBSCRIBE = 6;
    static final byte ACKNOWLEDGE = 7;
    static final byte UNSUBSCRIBE = 8;
    static final byte ANSWER = 20;
    static final byte CONFIRM = 21;
    static final byte REFUSE = 22;
    static final byte DELIVER = 23;

    private static final int FULL = 50;
    private static final int LARGEST = 4096;

    private final ServerSocket server;
    private final Map<String, Waiting> queues = new HashMap<>();
    private final List<Client> clients = new ArrayList<>();

    /** @param expires when the message expires, in milliseconds of the wall clock; 0 for never */
    private record Message(byte[] body, boolean redelivered, long expires) {}

    private static final class Waiting {
        final Deque<Message> messages = new ArrayDeque<>();
        final List<Subscription> subscriptions = new ArrayList<>();
        int turn;
    }

    private static final class Subscription {
        final Client client;
        final int number;
        final Waiting queue;
        final Map<Long, Message> held = new LinkedHashMap<>();
        long last;

        Subscription(Client client, int number, Waiting queue) {
            this.client = client;
            this.number = number;
            this.queue = queue;
        }
    }

    MiniBroker() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = new Client(server.accept());
                synchronized (this) {
                    clients.add(client);
                }
                Thread.ofVirtual().start(client::read);
                Thread.ofVirtual().start(client::write);
            } catch (IOException e) {
                return;
            }
        }
    }

    /** The content of a frame. */
    interface Content {
        void to(DataOutputStream out) throws IOException;
    }

    static byte[] frame(byte kind, Content content) {
        var bytes = new ByteArrayOutputStream();
        try {
            var out = new DataOutputStream(bytes);
            out.writeByte(kind);
            content.to(out);
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    private Waiting queue(String name) {
        return queues.computeIfAbsent(name, n -> new Waiting());
    }

    private static void hand(Waiting queue) {
        while (!queue.messages.isEmpty() && !queue.subscriptions.isEmpty()) {
            var message = queue.messages.remove();
            if (message.expires > 0 && message.expires <= System.currentTimeMillis()) {
                continue;
            }
            queue.turn = (queue.turn + 1) % queue.subscriptions.size();
            var to = queue.subscriptions.get(queue.turn);
            long id = ++to.last;
            to.held.put(id, message);
            to.client.put(frame(DELIVER, out -> {
                out.writeInt(to.number);
                out.writeLong(id);
                out.writeBoolean(message.redelivered);
                out.writeInt(message.body.length);
                out.write(message.body);
            }));
        }
    }

    private static void giveBack(Subscription subscription, long from, boolean redelivered) {
        var all = new ArrayList<>(subscription.held.keySet());
        for (long id : all.reversed()) {
            if (id >= from) {
                var message = subscription.held.remove(id);
                if (message != null) {
                    subscription.queue.messages.addFirst(new Message(message.body, message.redelivered || redelivered, message.expires));
                }
            }
        }
        hand(subscription.queue);
    }

    private final class Client {

        private final Socket socket;
        private final BlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
        private final Map<Integer, Subscription> subscriptions = new LinkedHashMap<>();

        Client(Socket socket) {
            this.socket = socket;
        }

        void put(byte[] frame) {
            outgoing.add(frame);
        }

        void write() {
            try (var out = new DataOutputStream(socket.getOutputStream())) {
                while (true) {
                    out.write(outgoing.take());
                }
            } catch (IOException | InterruptedException e) {
                // the reading thread notices
            }
        }

        void read() {
            try (var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()))) {
                while (true) {
                    frame(in.readByte(), in);
                }
            } catch (IOException e) {
                // the client is gone
            } finally {
                put(new byte[0]);
                synchronized (MiniBroker.this) {
                    clients.remove(this);
                    for (var subscription : subscriptions.values()) {
                        subscription.queue.subscriptions.remove(subscription);
                    }
                    for (var subscription : subscriptions.values()) {
                        giveBack(subscription, 0, true);
                    }
                }
            }
        }

        private void answer(int request, long value) {
            put(MiniBroker.frame(ANSWER, out -> {
                out.writeInt(request);
                out.writeLong(value);
            }));
        }

        private void frame(byte kind, DataInputStream in) throws IOException {
            switch (kind) {
                case CONNECT -> {
                    int request = in.readInt();
                    in.readUTF();
                    in.readUTF();
                    answer(request, 0);
                }
                case DECLARE -> {
                    int request = in.readInt();
                    var name = in.readUTF();
                    synchronized (MiniBroker.this) {
                        answer(request, queues.containsKey(name) ? 0 : 1);
                        queue(name);
                    }
                }
                case DELETE -> {
                    int request = in.readInt();
                    var name = in.readUTF();
                    synchronized (MiniBroker.this) {
                        answer(request, queues.remove(name) == null ? 0 : 1);
                    }
                }
                case DEPTH -> {
                    int request = in.readInt();
                    var name = in.readUTF();
                    synchronized (MiniBroker.this) {
                        var queue = queue(name);
                        answer(request, queue.messages.size() + clients.stream().flatMap(c -> c.subscriptions.values().stream())
                            .filter(s -> s.queue == queue).mapToLong(s -> s.held.size()).sum());
                    }
                }
                case SEND -> send(in);
                case SUBSCRIBE -> {
                    int request = in.readInt();
                    int number = in.readInt();
                    var name = in.readUTF();
                    synchronized (MiniBroker.this) {
                        var subscription = new Subscription(this, number, queue(name));
                        subscriptions.put(number, subscription);
                        subscription.queue.subscriptions.add(subscription);
                        answer(request, 0);
                        hand(subscription.queue);
                    }
                }
                case ACKNOWLEDGE -> {
                    int request = in.readInt();
                    int number = in.readInt();
                    long upTo = in.readLong();
                    synchronized (MiniBroker.this) {
                        subscriptions.get(number).held.keySet().removeIf(id -> id <= upTo);
                        answer(request, 0);
                    }
                }
                case UNSUBSCRIBE -> {
                    int request = in.readInt();
                    int number = in.readInt();
                    long from = in.readLong();
                    synchronized (MiniBroker.this) {
                        var subscription = subscriptions.get(number);
                        subscription.queue.subscriptions.remove(subscription);
                        giveBack(subscription, from, false);
                        answer(request, 0);
                    }
                }
                default -> throw new IOException("unknown kind " + kind);
            }
        }

        private void send(DataInputStream in) throws IOException {
            int producer = in.readInt();
            long token = in.readLong();
            long delay = in.readLong();
            long timeToLive = in.readLong();
            var name = in.readUTF();
            var body = new byte[in.readInt()];
            in.readFully(body);
            boolean refused;
            synchronized (MiniBroker.this) {
                var queue = queue(name);
                refused = name.startsWith("full") && (queue.messages.size() >= FULL || body.length > LARGEST);
                if (!refused && delay == 0) {
                    queue.messages.add(new Message(body, false, timeToLive == 0 ? 0 : System.currentTimeMillis() + timeToLive));
                    hand(queue);
                } else if (!refused) {
                    Thread.ofVirtual().start(() -> later(queue, body, delay));
                }
            }
            put(MiniBroker.frame(refused ? REFUSE : CONFIRM, out -> {
                out.writeInt(producer);
                out.writeLong(token);
            }));
        }

        private void later(Waiting queue, byte[] body, long delay) {
            try {
                Thread.sleep(delay + 1);
            } catch (InterruptedException e) {
                return;
            }
            synchronized (MiniBroker.this) {
                queue.messages.add(new Message(body, false, 0));
                hand(queue);
            }
        }
    }

    @Override
    public void close() {
        List<Client> all;
        synchronized (this) {
            all = List.copyOf(clients);
        }
        try {
            server.close();
            for (var client : all) {
                client.socket.close();
            }
        } catch (IOException e) {
            // the sockets end with this process
        }
    }
}
