package io.brokermeter.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.envelope.Envelope;

/**
 * Compares the times that a run measures with those of its packets: runs {@code brokermeter client} at a fixed rate, has tshark capture its
 * connections on the loopback interface meanwhile, finds each message in the capture by its envelope, and compares medians. The kernel
 * stamps a packet when the loopback interface takes it, in the middle of the writer's call. The time before that moment on the way out, and
 * after it on the way in, is not the broker's.
 *
 * <p>Requires tshark and the permission to capture on the loopback interface.
 */
public final class WireComparison {

    private static final int WARMUP_SECONDS = 5;
    /** The protocols whose broker can be identified by the port in its URL, and that transfer bodies unchanged. */
    static final Map<String, Where> PROTOCOLS = new TreeMap<>(Map.of(
        "STOMP", new Where("artemis", "queue://WIRE"), "MQTT", new Where("artemis", "topic://WIRE", "--property", "qos=1",
            "--property", "version=3.1.1"),
        "AMQP", new Where("artemis", "queue://WIRE"), "CORE", new Where("artemis", "queue://WIRE"),
        "AMQP091", new Where("rabbitmq", "queue://WIRE"), "OPENWIRE", new Where("activemq", "queue://WIRE"),
        "NATS", new Where("nats", "queue://WIRE"), "REDIS", new Where("redis", "queue://WIRE"),
        "BEANSTALKD", new Where("beanstalkd", "queue://WIRE"), "KAFKA", new Where("kafka", "queue://WIRE")));

    record Where(String broker, String destination, String... properties) {}

    /**
     * A packet with a payload.
     *
     * @param at time of the packet, in seconds since the epoch
     * @param from port of the sender
     * @param to port of the receiver
     */
    private record Packet(double at, int from, int to, byte[] payload) {}

    record Row(String protocol, int messages, double transfer, double wireTransfer, double ack, double wireAck, double toWire,
            double offset) {}

    /** Compares one run of a protocol with its capture. */
    interface Comparison {
        Row of(String protocol) throws Exception;
    }

    private WireComparison() {}

    /**
     * Runs the comparison, and ends with status 1 when a protocol could not be measured.
     *
     * @param args directory of the project, scratch directory, seconds of a run (default 20), messages per second (500), protocols (all)
     */
    public static void main(String[] args) throws Exception {
        Children.endWithThisProcess();
        Path root = Path.of(args[0]);
        Path work = Path.of(args[1]);
        int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 20;
        String rate = args.length > 3 ? args[3] : "500";
        List<String> protocols = args.length > 4 ? Arrays.asList(args).subList(4, args.length) : List.copyOf(PROTOCOLS.keySet());
        Map<String, Broker> brokers = new HashMap<>();
        int status;
        try {
            status = compare(protocols, protocol -> {
                Where where = where(protocol);
                Broker broker = brokers.get(where.broker);
                if (broker == null) {
                    broker = Broker.start(BrokerName.parse(where.broker));
                    brokers.put(where.broker, broker);
                }
                return compare(root, work, protocol, where, broker, seconds, rate);
            }, System.out, System.err);
        } finally {
            brokers.values().forEach(Broker::close);
        }
        System.exit(status);
    }

    private static Where where(String protocol) {
        Where where = PROTOCOLS.get(protocol);
        if (where == null) {
            throw new IllegalArgumentException("There is no protocol " + protocol + " here; those are " + PROTOCOLS.keySet());
        }
        return where;
    }

    /** Compares runs of protocols, prints the rows of those that could be measured, and names the others with the causes. Returns the status. */
    static int compare(List<String> protocols, Comparison comparison, PrintStream out, PrintStream err) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (String protocol : protocols) {
            try {
                Row row = comparison.of(protocol);
                rows.add(row);
                err.println(row);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                failures.add(protocol + " was not measured: " + (e.getMessage() == null ? e : e.getMessage().strip()));
                err.println(failures.getLast());
            }
        }
        if (!rows.isEmpty()) {
            print(rows, out);
        }
        failures.forEach(err::println);
        return failures.isEmpty() ? 0 : 1;
    }

    private static void print(List<Row> rows, PrintStream out) {
        out.println("| protocol | messages | transfer p50, us | on the wire | difference | send ack p50, us | on the wire | difference "
            + "| stamp to wire p50 | clock and wake-up p50 | transfer less that | send ack less that |");
        out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (Row r : rows) {
            out.printf(Locale.ROOT, "| %s | %,d | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f | %+.1f |%n", r.protocol,
                r.messages, r.transfer, r.wireTransfer, r.transfer - r.wireTransfer, r.ack, r.wireAck, r.ack - r.wireAck, r.toWire,
                r.offset, r.transfer - r.wireTransfer - r.offset, r.ack - r.wireAck - r.offset);
        }
    }

    private static Row compare(Path root, Path work, String protocol, Where where, Broker broker, int seconds,
            String rate) throws Exception {
        String url = String.valueOf(broker.urls().get(protocol));
        Matcher port = Pattern.compile("://[^:/]+:(\\d+)").matcher(url);
        if (!port.find()) {
            throw new IllegalStateException("No port in " + url);
        }
        int brokerPort = Integer.parseInt(port.group(1));
        Path capture = work.resolve(protocol + ".pcapng");
        Path json = work.resolve(protocol + ".jsonl");
        Process tshark = new ProcessBuilder("tshark", "-n", "-q", "-i", "lo", "-s", "600", "-B", "32", "-f", "tcp port " + brokerPort, "-w",
            capture.toString()).redirectErrorStream(true).redirectOutput(work.resolve(protocol + ".tshark.txt").toFile()).start();
        try {
            long deadline = System.nanoTime() + 20_000_000_000L;
            while ((Files.notExists(capture) || Files.size(capture) == 0) && tshark.isAlive() && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            if (!tshark.isAlive()) {
                throw new IOException("tshark does not capture: " + Files.readString(work.resolve(protocol + ".tshark.txt")));
            }
            List<String> command =
                new ArrayList<>(List.of(root.resolve("brokermeter").toString(), "client", "--protocol", protocol, "--url", url,
                    "--rate", rate, "--warmup", String.valueOf(WARMUP_SECONDS), "--duration", String.valueOf(WARMUP_SECONDS + seconds),
                    "--message-size", "200", "--silent", "--out", "none", "--broker-jmx", "none", "--json", json.toString()));
            command.addAll(List.of(where.properties));
            command.add(where.destination);
            Process run = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(work.resolve(protocol + ".txt").toFile()).start();
            if (!run.waitFor(WARMUP_SECONDS + seconds + 60L, TimeUnit.SECONDS) || run.exitValue() != 0) {
                run.destroyForcibly();
                throw new IOException("The run failed: " + Files.readString(work.resolve(protocol + ".txt")));
            }
        } finally {
            // On SIGTERM tshark writes the packets that it still holds.
            tshark.destroy();
            if (!tshark.waitFor(20, TimeUnit.SECONDS)) {
                tshark.destroyForcibly();
            }
        }
        String summary = Files.readAllLines(json).getLast();
        double measuredFrom = seconds(Instant.parse(text(summary, "\"start\" *: *\"([^\"]+)\""))) + WARMUP_SECONDS;
        List<Packet> packets = packets(capture);
        return measure(protocol, packets, brokerPort, measuredFrom, summary);
    }

    private static Row measure(String protocol, List<Packet> packets, int brokerPort, double measuredFrom, String summary) {
        Map<Long, Packet> published = new HashMap<>();
        Map<Long, Double> transfers = new HashMap<>();
        List<Double> acks = new ArrayList<>();
        List<Double> toWire = new ArrayList<>();
        Map<Integer, Double> unanswered = new HashMap<>();
        for (Packet packet : packets) {
            boolean toBroker = packet.to == brokerPort;
            List<ByteBuffer> envelopes = envelopes(packet.payload);
            if (!toBroker && envelopes.isEmpty()) {
                // The first answer of the broker on the connection on which a message was sent.
                Double sent = unanswered.remove(packet.to);
                if (sent != null) {
                    acks.add((packet.at - sent) * 1e6);
                }
            }
            for (ByteBuffer envelope : envelopes) {
                long sequence = Envelope.sequence(envelope);
                double intended = Envelope.intended(envelope) / 1e9;
                if (intended < measuredFrom) {
                    continue;
                }
                Packet before = published.get(sequence);
                if (toBroker && before == null) {
                    published.put(sequence, packet);
                    unanswered.put(packet.from, packet.at);
                    long stamp = Envelope.intended(envelope) + Envelope.delayUnits(envelope) * Envelope.DELAY_UNIT;
                    toWire.add(packet.at * 1e6 - stamp / 1e3);
                } else if (!toBroker && before != null) {
                    transfers.putIfAbsent(sequence, (packet.at - before.at) * 1e6);
                }
            }
        }
        return new Row(protocol, transfers.size(), number(summary, "totalTransferTime"), Figures.median(transfers.values()),
            number(summary, "totalSendTime"), Figures.median(acks), Figures.median(toWire), offset(summary));
    }

    /** Returns all envelopes in a payload. */
    static List<ByteBuffer> envelopes(byte[] payload) {
        List<ByteBuffer> found = new ArrayList<>();
        for (int i = 0; i + Envelope.SIZE <= payload.length; i++) {
            if (payload[i] == (byte) 0xB3 && (payload[i + 1] & 0xF0) == 0xE0) {
                ByteBuffer body = ByteBuffer.wrap(payload, i, payload.length - i).slice();
                if (Envelope.isIn(body)) {
                    found.add(body);
                    i += Envelope.SIZE;
                }
            }
        }
        return found;
    }

    private static List<Packet> packets(Path capture) throws Exception {
        Process read =
            new ProcessBuilder("tshark", "-n", "-r", capture.toString(), "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.time_epoch",
                "-e", "tcp.srcport", "-e", "tcp.dstport", "-e", "tcp.payload").redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<Packet> packets = new ArrayList<>();
        try (var lines = read.inputReader(StandardCharsets.US_ASCII)) {
            String line;
            while ((line = lines.readLine()) != null) {
                String[] fields = line.split("\t", -1);
                if (fields.length == 4 && !fields[3].isEmpty()) {
                    packets.add(new Packet(Double.parseDouble(fields[0]), Integer.parseInt(fields[1]), Integer.parseInt(fields[2]),
                        HexFormat.of().parseHex(fields[3].replace(":", ""))));
                }
            }
        }
        if (read.waitFor() != 0) {
            throw new IOException("tshark could not read " + capture);
        }
        return packets;
    }

    private static double seconds(Instant moment) {
        return moment.getEpochSecond() + moment.getNano() / 1e9;
    }

    private static double number(String json, String distribution) {
        return Double.parseDouble(text(json, '"' + distribution + "\" *: *\\{[^}]*\"50\" *: *([0-9.]+)"));
    }

    private static double offset(String json) {
        Matcher found = Pattern.compile("\"clockAndWakeMicros\" *: *([0-9.]+)").matcher(json);
        return found.find() ? Double.parseDouble(found.group(1)) : Double.NaN;
    }

    private static String text(String json, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("Nothing like " + pattern + " is in " + json);
        }
        return found.group(1);
    }
}
