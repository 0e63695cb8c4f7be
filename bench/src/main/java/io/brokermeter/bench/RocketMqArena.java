package io.brokermeter.bench;

import java.util.List;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import org.jspecify.annotations.Nullable;

/**
 * Against RocketMQ's own benchmark, its Producer and its Consumer together, on a RocketMQ broker. The topic is created by
 * brokermeter before either side starts.
 */
final class RocketMqArena implements Arena {

    private static final String VERSION = "5.5.0";
    private static final int SYNC_PER_SECOND = 6_000;
    private static final int ASYNC_PER_SECOND = 15_000;

    private final Site site;
    private @Nullable Broker broker;

    RocketMqArena(Site site) {
        this.site = site;
    }

    @Override
    public List<String> names() {
        return List.of("rocketmq-sync", "rocketmq-async");
    }

    @Override
    public List<Contest> open() throws Exception {
        String jars = site.jars("rocketmq-example-" + VERSION, "<groupId>org.apache.rocketmq</groupId>"
                + "<artifactId>rocketmq-example</artifactId><version>" + VERSION + "</version>");
        Broker started = Broker.start(BrokerName.parse("rocketmq"));
        broker = started;
        String url = started.url();
        String nameServer = url.substring(url.indexOf("://") + 3);
        return List.of(
                contest(jars, url, nameServer, "rocketmq-sync", "4 synchronous threads", SYNC_PER_SECOND,
                        List.of("-w", "4"), List.of("--property", "send=sync", "--property", "queue-selection=round-robin", "--producers", "4", "--threads", "4")),
                contest(jars, url, nameServer, "rocketmq-async", "asynchronous", ASYNC_PER_SECOND,
                        List.of("-y", "true"), List.of("--property", "send=async", "--property", "queue-selection=round-robin", "--max-pending", "1000")));
    }

    private Contest contest(String jars, String url, String nameServer, String name, String title, int perSecond,
                            List<String> theirFlags, List<String> ourFlags) {
        String count = String.valueOf((long) perSecond * site.seconds());
        String home = "-Duser.home=" + site.work();
        List<String> java = List.of(site.java(), "-Xmx512m", home, "-cp", jars);
        Tool theirs = new Tool(topic -> Site.plus(Site.plus(java, "org.apache.rocketmq.example.benchmark.Producer", "-n", nameServer,
                "-t", topic, "-s", "128", "-q", count), theirFlags.toArray(String[]::new)),
                topic -> {
                    create(url, topic);
                    return List.of(Site.plus(java, "org.apache.rocketmq.example.benchmark.Consumer", "-n", nameServer, "-t", topic));
                }, RocketMqArena::read);
        Tool ours = new Tool(topic -> Site.plus(Site.plus(site.brokermeter("client", "--url", url, "--property", "queues=8",
                "--message-size", "128", "--message-count", count), ourFlags.toArray(String[]::new)), "topic://" + topic),
                OutputReader.receiver());
        return new Contest(name, "RocketMQ benchmark " + VERSION + ", Producer and Consumer, 128 B, 8 queues, " + title + ", " + count
                + " messages", false, theirs, ours);
    }

    private void create(String url, String topic) {
        try {
            Process process = new ProcessBuilder(site.brokermeter("producer", "--url", url, "--property", "queues=8",
                    "--message-count", "1", "topic://" + topic)).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("Topic " + topic + " could not be created.");
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static OutputReader.Outcome read(List<String> lines) {
        return new OutputReader.Outcome(OutputReader.number(lines, "\\[Complete] Send Total: (\\d+).*"),
                OutputReader.number(lines, "\\[Complete] Send Total: .*Send TPS: (\\d+).*"),
                Map.of("failed sends", OutputReader.number(lines, "\\[Complete] .*Send Failed: (\\d+).*")));
    }

    @Override
    public void close() {
        if (broker != null) {
            broker.close();
        }
    }
}
