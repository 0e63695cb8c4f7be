package io.brokermeter.bench;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Comparisons with raw STOMP by netcat, CERN's experiment of 2007: a prepared file of frames is piped into a connection, and what comes is
 * counted by its NUL bytes. Netcat understands no frame, so nothing is confirmed or acknowledged, and no time is measured; ours sends without
 * receipts and receives without acknowledgements, and keeps its ledger.
 */
final class NetcatStomp {

    static final String SEND = "stomp-send-1k-native";
    static final String RECEIVE = "stomp-receive-1k-native";

    /** Takes the messages that wait for a run of half a minute; half of it is the limit behind which the broker pages. */
    static final String HEAP = "-Xmx6g";

    private static final int SIZE = 1024;
    /** The frames of a prepared file, which the pipe takes several times. */
    private static final int FRAMES = 50_000;
    /** The files that take about a second. */
    private static final int FILES_PER_SECOND = 2;
    /** The messages that make a run about as long as requested. */
    private static final int RECEIVED_PER_SECOND = 40_000;
    private static final String END = "\0\n";
    private static final String CONNECT = "CONNECT\naccept-version:1.2\nhost:/\nheart-beat:0,0\n\n" + END;

    private final BenchLayout layout;
    private final String port;

    private NetcatStomp(BenchLayout layout, int port) {
        this.layout = layout;
        this.port = String.valueOf(port);
    }

    /** Returns the comparisons on a broker whose port takes STOMP. */
    static List<ToolComparison> on(BenchLayout layout, int port) {
        NetcatStomp netcat = new NetcatStomp(layout, port);
        return List.of(netcat.send(), netcat.receive());
    }

    /** To a topic without subscriptions. The broker confirms only the last frame, whose receipt has the number of those before. */
    private ToolComparison send() {
        int files = FILES_PER_SECOND * layout.seconds();
        String count = String.valueOf((long) FRAMES * files);
        ComparedTool theirs = new ComparedTool(topic -> {
            String frame = "SEND\ndestination:" + topic + "\ndestination-type:MULTICAST\ncontent-length:" + SIZE + "\n\n" + "x".repeat(SIZE)
                + END;
            List<String> frames = Collections.nCopies(files, layout.prepared("frames", frame, FRAMES));
            return BenchLayout.plus(BenchLayout.plus(List.of("sh", "-c", "cat \"$@\" | nc 127.0.0.1 " + port, "sh",
                layout.prepared("connect", CONNECT, 1)), frames.toArray(String[]::new)),
                layout.prepared("end", "DISCONNECT\nreceipt:" + count + "\n\n" + END, 1));
        }, lines -> new OutputReader.Outcome(OutputReader.number(lines, "receipt-id:(\\d+)"), Double.NaN, Map.of()));
        ComparedTool ours = new ComparedTool(topic -> layout.brokermeter("producer", "--url", url("receipts=false"), "--message-count",
            count, "--message-size", String.valueOf(SIZE), "topic://" + topic), OutputReader.producer());
        return new ToolComparison(SEND, "netcat with prepared STOMP frames, without receipts, " + SIZE + " B, " + count
            + " messages, without a ledger", false, theirs, ours);
    }

    private ToolComparison receive() {
        long messages = (long) RECEIVED_PER_SECOND * layout.seconds();
        String count = String.valueOf(messages);
        ComparedTool theirs = new ComparedTool(queue -> {
            fill(queue, count);
            String subscribe = "SUBSCRIBE\nid:1\ndestination:" + queue
                + "\nsubscription-type:ANYCAST\nack:auto\nconsumer-window-size:-1\n\n" + END;
            // The frame CONNECTED counts as well. Netcat would wait for more if its input did not end the connection.
            return List.of("sh", "-c", "mkfifo \"$1\" && { cat \"$2\"; read -r _ < \"$1\"; cat \"$3\"; } | nc 127.0.0.1 " + port
                + " | { head -z -n " + (messages + 1) + " > /dev/null; echo > \"$1\"; cat > /dev/null; }", "sh",
                layout.work().resolve(queue + ".fifo").toString(), layout.prepared("subscribe", CONNECT + subscribe, 1),
                layout.prepared("end", "DISCONNECT\nreceipt:1\n\n" + END, 1));
        }, OutputReader.counted(messages));
        ComparedTool ours = new ComparedTool(queue -> {
            fill(queue, count);
            return layout.brokermeter("consumer", "--url", url("ack=auto&consumer-window-size=-1"), "--message-count", count,
                "queue://" + queue);
        }, OutputReader.receiver());
        return new ToolComparison(RECEIVE, "netcat subscribed to a STOMP queue, without acknowledgements, " + SIZE + " B, a backlog of "
            + count + " messages, without a ledger", false, theirs, ours);
    }

    /** The bodies are without NUL bytes, by which the frames are counted, so their envelope is a header. */
    private void fill(String queue, String count) {
        layout.send("--url", url("receipts-every=100"), "--message-count", count, "--max-pending", "1000", "--body",
            "file:" + layout.prepared("body", "x".repeat(SIZE), 1), "queue://" + queue);
    }

    private String url(String settings) {
        return "stomp://127.0.0.1:" + port + "?" + settings;
    }
}
