package io.brokermeter.cli;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * A broker for STOMP 1.2 over a real socket, with topics only and a window of a known size, which limits the messages in flight of a
 * subscription by the bytes of their frames. Messages that exceed the backlog are dropped, and messages of transactions
 * are not delivered.
 */
final class WindowBroker implements AutoCloseable {

    private static final int BACKLOG = 2_000;
    private static final Set<String> OF_THE_HOP = Set.of("receipt", "content-length", "destination");

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Client> clients = new CopyOnWriteArrayList<>();
    private final long window;
    private double disturbance;

    WindowBroker(long window) throws IOException {
        this.window = window;
        Thread.ofVirtual().start(() -> {
            while (!listener.isClosed()) {
                try {
                    Client client = new Client(listener.accept());
                    clients.add(client);
                    Thread.ofVirtual().start(client::serve);
                } catch (IOException e) {
                    // the listener was closed, or the client has disconnected
                }
            }
        });
    }

    String url() {
        return "stomp://127.0.0.1:" + listener.getLocalPort();
    }

    /**
     * Returns the largest part of its throughput that a subscription has lost so far because of the machine itself, compared to a full
     * window in each of its quickest round trips: by longer round trips, and by times without a message to send. All clients must have
     * disconnected, or be about to.
     */
    double disturbance() throws Exception {
        // A client that has ended is told only when its thread has read the end of its stream.
        Waiting.until("all clients have disconnected", clients::isEmpty);
        synchronized (this) {
            return disturbance;
        }
    }

    private synchronized void disturbed(double part) {
        disturbance = Math.max(disturbance, part);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Client client : clients) {
            client.socket.close();
        }
    }

    private record OnItsWay(int cost, long sent) {}

    private record Frame(String command, Map<String, String> headers, byte[] body) {

        /** Reads the next frame; throws an exception at the end of the stream. */
        static Frame read(DataInputStream in) throws IOException {
            String command = "";
            while (command.isEmpty()) {
                command = line(in);
            }
            Map<String, String> headers = new LinkedHashMap<>();
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                headers.putIfAbsent(line.substring(0, colon), line.substring(colon + 1));
            }
            byte[] body = new byte[Integer.parseInt(headers.getOrDefault("content-length", "0"))];
            in.readFully(body);
            if (in.read() != 0) {
                throw new IOException("A frame does not end where its length says.");
            }
            return new Frame(command, headers, body);
        }

        private static String line(DataInputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
                line.append((char) c);
            }
            return line.toString();
        }

        byte[] encoded() {
            byte[] head = (command + "\n" + headers.entrySet().stream().map(header -> header.getKey() + ":" + header.getValue() + "\n")
                .collect(Collectors.joining()) + "content-length:" + body.length + "\n\n").getBytes(StandardCharsets.ISO_8859_1);
            byte[] all = new byte[head.length + body.length + 1];
            System.arraycopy(head, 0, all, 0, head.length);
            System.arraycopy(body, 0, all, head.length, body.length);
            return all;
        }
    }

    /** A connection; its monitor guards the output and the state of the subscription. */
    private final class Client {

        final Socket socket;
        private final OutputStream out;
        private final ArrayDeque<Frame> waiting = new ArrayDeque<>();
        private final TreeMap<Long, OnItsWay> onTheirWay = new TreeMap<>();
        private String subscription = "";
        private String destination = "";
        private boolean cumulative;
        private long used;
        private long number;
        private boolean hasRoom;
        private long begun;
        private long emptySince;
        private long empty;
        private long quickest = Long.MAX_VALUE;
        private double all;
        private long acknowledged;

        Client(Socket socket) throws IOException {
            this.socket = socket;
            this.out = socket.getOutputStream();
            socket.setTcpNoDelay(true);
        }

        void serve() {
            try (socket; DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 65_536))) {
                boolean goesOn = true;
                while (goesOn) {
                    goesOn = handle(Frame.read(in));
                }
            } catch (IOException e) {
                // the client has disconnected
            }
            tell();
            clients.remove(this);
        }

        private synchronized void tell() {
            if (acknowledged > 1) {
                // Messages that are not acknowledged at the end were in flight when the consumer left.
                disturbed(all / acknowledged / quickest - 1 + (double) empty / (emptySince - begun));
            }
        }

        private boolean handle(Frame frame) throws IOException {
            Map<String, String> headers = frame.headers();
            switch (frame.command()) {
                case "CONNECT", "STOMP" -> write(new Frame("CONNECTED", Map.of("version", "1.2", "server", "window/1"), new byte[0]));
                case "SUBSCRIBE" -> subscribe(headers);
                case "UNSUBSCRIBE" -> unsubscribe();
                case "ACK" -> acknowledge(Long.parseLong(headers.get("id")));
                case "SEND" -> {
                    if (!headers.containsKey("transaction")) {
                        for (Client client : clients) {
                            client.offer(frame);
                        }
                    }
                }
                default -> {} // the beginning and the end of transactions, and DISCONNECT
            }
            if (headers.containsKey("receipt")) {
                write(new Frame("RECEIPT", Map.of("receipt-id", headers.get("receipt")), new byte[0]));
            }
            return !frame.command().equals("DISCONNECT");
        }

        private synchronized void write(Frame frame) throws IOException {
            out.write(frame.encoded());
        }

        private synchronized void subscribe(Map<String, String> headers) {
            subscription = headers.get("id");
            destination = headers.get("destination");
            cumulative = "client".equals(headers.get("ack"));
        }

        private synchronized void unsubscribe() {
            destination = "";
            waiting.clear();
        }

        private synchronized void offer(Frame sent) throws IOException {
            if (sent.headers().get("destination").equals(destination) && waiting.size() < BACKLOG) {
                long now = System.nanoTime();
                if (begun == 0) {
                    begun = now;
                } else if (waiting.isEmpty() && hasRoom) {
                    empty += now - emptySince;
                }
                waiting.add(sent);
                deliver();
            }
        }

        private synchronized void acknowledge(long id) throws IOException {
            long now = System.nanoTime();
            Map<Long, OnItsWay> come = cumulative ? onTheirWay.headMap(id, true) : onTheirWay.subMap(id, true, id, true);
            for (OnItsWay one : come.values()) {
                used -= one.cost();
                quickest = Math.min(quickest, now - one.sent());
                all += now - one.sent();
                acknowledged++;
            }
            come.clear();
            deliver();
        }

        private void deliver() throws IOException {
            hasRoom = true;
            while (hasRoom && !waiting.isEmpty()) {
                byte[] message = message(waiting.getFirst());
                int cost = message.length;
                hasRoom = used + cost <= window;
                if (hasRoom) {
                    waiting.removeFirst();
                    onTheirWay.put(number++, new OnItsWay(cost, System.nanoTime()));
                    used += cost;
                    out.write(message);
                }
            }
            emptySince = System.nanoTime();
        }

        private byte[] message(Frame sent) {
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("subscription", subscription);
            // A fixed width, so that all messages of a size have frames of one length.
            headers.put("message-id", String.format("%09d", number));
            headers.put("ack", String.format("%09d", number));
            headers.put("destination", destination);
            sent.headers().forEach((name, value) -> {
                if (!OF_THE_HOP.contains(name)) {
                    headers.put(name, value);
                }
            });
            return new Frame("MESSAGE", headers, sent.body()).encoded();
        }
    }
}
