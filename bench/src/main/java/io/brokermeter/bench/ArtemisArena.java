package io.brokermeter.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.hosts.FreePort;
import org.jspecify.annotations.Nullable;

/** Comparisons with {@code artemis perf} of Apache Artemis, on a broker from its own distribution. */
final class ArtemisArena implements BenchBroker {

    private static final String VERSION = "2.56.0";
    private static final String WARMUP = "5";

    private final BenchLayout layout;
    private final String name;
    private @Nullable Process broker;

    private ArtemisArena(BenchLayout layout, String name) {
        this.layout = layout;
        this.name = name;
    }

    /** Returns an arena for each comparison, since a broker that has served millions of messages no longer behaves like a new one. */
    static List<BenchBroker> all(BenchLayout layout) {
        return Stream
            .of("core", "core-10k", "core-10k-realtime", "core-1m", "core-10m", "amqp", "amqp-10k", "bare", "stomp", "stomp-10k", "mqtt",
                "mqtt-10k", NetcatStomp.SEND, NetcatStomp.RECEIVE)
            .<BenchBroker>map(name -> new ArtemisArena(layout, name)).toList();
    }

    @Override
    public List<String> names() {
        return List.of(name);
    }

    @Override
    public List<ToolComparison> open() throws Exception {
        Path home = fetch();
        int port = FreePort.find();
        broker = start(home, port);
        String artemis = home.resolve("bin/artemis").toString();
        String core = "tcp://127.0.0.1:" + port;
        String amqp = "amqp://127.0.0.1:" + port;
        List<String> flags = flags("100");
        List<String> theirTool =
            List.of(artemis, "perf", "client", "--url", core + "?confirmationWindowSize=20000", "--consumer-url", core);
        List<String> ourTool = layout.brokermeter("client", "--url", core);
        List<String> theirs = all(theirTool, flags);
        List<String> theirAmqp = all(List.of(artemis, "perf", "client", "--protocol", "AMQP", "--url", amqp), flags);
        List<String> ours = all(ourTool, flags);
        List<String> tens = BenchLayout.plus(flags("10"), "--message-size", String.valueOf(1 << 20));
        List<String> fours = BenchLayout.plus(flags("4"), "--message-size", String.valueOf(10 << 20));
        List<String> ourAmqp = all(layout.brokermeter("client", "--url", amqp), flags);
        List<String> stomp = all(layout.brokermeter("client", "--url", "stomp://127.0.0.1:" + port), flags);
        List<String> mqtt = all(
            layout.brokermeter("client", "--url", "mqtt://127.0.0.1:" + port, "--property", "qos=1", "--property", "version=3.1.1"), flags);
        ComparedTool bare = new ComparedTool(name -> List.of(layout.java(), "-Xmx512m", "-XX:+UseSerialGC", "-cp",
            System.getProperty("java.class.path"), BareLoop.class.getName(), core, WARMUP, String.valueOf(layout.seconds())),
            OutputReader.perfClient());
        String[] rate = {"--rate", "10000"};
        return Stream.concat(NetcatStomp.on(layout, port).stream(), Stream.of(
            new ToolComparison("core", "CORE, all-out, max-pending 100", true, queue(theirs), queue(ours)),
            new ToolComparison("core-10k", "CORE, --rate 10000", true, queue(BenchLayout.plus(theirs, rate)),
                queue(BenchLayout.plus(ours, rate))),
            new ToolComparison("core-10k-realtime", "CORE, --rate 10000, ours with --realtime", true, queue(BenchLayout.plus(theirs, rate)),
                queue(BenchLayout.plus(BenchLayout.plus(ours, rate), "--realtime"))),
            new ToolComparison("core-1m", "CORE, 1 MiB, max-pending 10", true, queue(all(theirTool, tens)), queue(all(ourTool, tens))),
            new ToolComparison("core-10m", "CORE, 10 MiB, max-pending 4", true, queue(all(theirTool, fours)), queue(all(ourTool, fours))),
            new ToolComparison("amqp", "AMQP 1.0, all-out, max-pending 100", true, queue(theirAmqp), queue(ourAmqp)),
            new ToolComparison("amqp-10k", "AMQP 1.0, --rate 10000", true, queue(BenchLayout.plus(theirAmqp, rate)),
                queue(BenchLayout.plus(ourAmqp, rate))),
            new ToolComparison("bare", "CORE, all-out, against a bare loop over the same client", true, bare, queue(ours)),
            new ToolComparison("stomp", "STOMP with receipts against CORE, all-out, max-pending 100", true, queue(theirs), queue(stomp)),
            new ToolComparison("stomp-10k", "STOMP with receipts against CORE, --rate 10000", true, queue(BenchLayout.plus(theirs, rate)),
                queue(BenchLayout.plus(stomp, rate))),
            new ToolComparison("mqtt", "MQTT QoS 1 against CORE, all-out, max-pending 100", true, topic(theirs), topic(mqtt)),
            new ToolComparison("mqtt-10k", "MQTT QoS 1 against CORE, --rate 10000", true, topic(BenchLayout.plus(theirs, rate)),
                topic(BenchLayout.plus(mqtt, rate)))))
            .filter(comparison -> comparison.name().equals(name)).toList();
    }

    private List<String> flags(String pending) {
        return List.of("--warmup", WARMUP, "--duration", String.valueOf(layout.seconds()), "--max-pending", pending, "--show-latency");
    }

    private static ComparedTool queue(List<String> command) {
        return tool(command, name -> "queue://" + name);
    }

    /** MQTT has only topics, so both sides use one. */
    private static ComparedTool topic(List<String> command) {
        return tool(command, name -> "topic://" + name);
    }

    private static ComparedTool tool(List<String> command, Function<String, String> destination) {
        return new ComparedTool(name -> BenchLayout.plus(command, destination.apply(name)), OutputReader.perfClient());
    }

    private static List<String> all(List<String> command, List<String> flags) {
        return BenchLayout.plus(command, flags.toArray(String[]::new));
    }

    private Path fetch() throws Exception {
        Path home = layout.cache().resolve("apache-artemis-" + VERSION);
        if (Files.notExists(home.resolve("bin/artemis"))) {
            System.err.println("Fetching Apache Artemis " + VERSION + " ...");
            BenchLayout.run("mvn", "-q", "-B", "-N", "-f", layout.root().resolve("pom.xml").toString(),
                "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
                "-Dartifact=org.apache.artemis:apache-artemis:" + VERSION + ":tar.gz:bin", "-DoutputDirectory=" + layout.cache());
            BenchLayout.run("tar", "-xzf", layout.cache().resolve("apache-artemis-" + VERSION + "-bin.tar.gz").toString(), "-C",
                layout.cache().toString());
        }
        return home;
    }

    private Process start(Path home, int port) throws Exception {
        Path instance = layout.work().resolve("broker-" + port);
        String heap = name.equals(NetcatStomp.RECEIVE) ? NetcatStomp.HEAP : "-Xmx1g";
        Process creating = javaHome(new ProcessBuilder(home.resolve("bin/artemis").toString(), "create", "--silent", "--user",
            "admin", "--password", "admin", "--allow-anonymous", "--no-web", "--nio", "--java-options", heap, "--host",
            "127.0.0.1", "--default-port", String.valueOf(port), "--no-hornetq-acceptor", "--no-mqtt-acceptor",
            "--no-stomp-acceptor", "--no-amqp-acceptor", instance.toString())).redirectErrorStream(true)
            .redirectOutput(layout.work().resolve("create.txt").toFile()).start();
        if (creating.waitFor() != 0) {
            throw new IllegalStateException("The broker could not be created: "
                + Files.readString(layout.work().resolve("create.txt")));
        }
        Path etc = instance.resolve("etc/broker.xml");
        // Every send would block on a partition that is fuller than the limit of the broker.
        Files.writeString(etc, Files.readString(etc).replaceAll("<max-disk-usage>[^<]*</max-disk-usage>",
            "<max-disk-usage>-1</max-disk-usage>"));
        Process started = javaHome(new ProcessBuilder(instance.resolve("bin/artemis").toString(), "run")).redirectErrorStream(true)
            .redirectOutput(layout.work().resolve("broker.txt").toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            started.descendants().forEach(ProcessHandle::destroyForcibly);
            started.destroyForcibly();
        }));
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
                return started;
            } catch (IOException e) {
                if (System.nanoTime() > deadline || !started.isAlive()) {
                    throw new IllegalStateException("The broker did not start: "
                        + Files.readString(layout.work().resolve("broker.txt")), e);
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
    }

    private static ProcessBuilder javaHome(ProcessBuilder builder) {
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }

    @Override
    public Stream<ProcessHandle> processes() {
        Process running = broker;
        return running == null ? Stream.empty() : Stream.concat(Stream.of(running.toHandle()), running.descendants());
    }

    @Override
    public void close() throws InterruptedException {
        Process running = broker;
        if (running != null) {
            running.descendants().forEach(ProcessHandle::destroy);
            running.destroy();
            if (!running.waitFor(20, TimeUnit.SECONDS)) {
                running.destroyForcibly();
            }
        }
    }
}
