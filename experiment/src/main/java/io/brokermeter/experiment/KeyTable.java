package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Every key of a scenario file. The check of a file, the JSON Schema and the table of the documentation are made from it.
 */
final class KeyTable {

    static final Section SOURCE = Section.of("source", "Where the experiment was published.", "document",
            Key.of("document", Form.TEXT, "", "Its name."),
            Key.of("table", Form.TEXT, "", "The table, section or row in it."),
            Key.of("machine", Form.TEXT, "", "What the published figures were measured on."),
            Key.of("url", Form.TEXT, "", "Where it can be read."));

    static final Section BROKER = Section.of("broker", "A broker to start for the trials.", "name",
            Key.of("name", Form.TEXT, "", "Which one: `artemis`, or with a version `artemis:2.44.0`. `brokermeter broker --help` "
                    + "lists them.").option("--broker").hints("kind", "type"),
            Key.of("version", Form.TEXT, "the one that is tested with this release", "Its version."),
            Key.of("topology", Form.TEXT, "single", "Arrangement of its processes, such as `primary-backup` of artemis.")
                    .option("--broker-topology"),
            Key.of("heap", Form.HEAP, "1g", "Greatest heap of each of its JVMs.").option("--broker-heap").hints("memory"),
            Key.of("journal", Form.TEXT, "the broker's own", "Type of its journal in its own words, such as `asyncio` of artemis.")
                    .option("--broker-journal"),
            Key.of("persistence", Form.FLAG, "true", "Whether it stores anything.").option("--broker-no-persistence")
                    .hints("persistent"),
            Key.of("properties", Form.TEXTS, "none", "Its own settings, under their own names.").option("--broker-property"),
            Key.choice("fresh", "trial", "`trial` starts a new broker for each trial; `sweep` keeps it as long as the next trial "
                    + "wants an equal one.", "trial", "sweep"));

    static final Section DESTINATION = Section.of("destinations", "A queue or a topic, or several that are numbered.", "queue",
            Key.of("queue", Form.TEXT, "", "Name of a queue: each message goes to one consumer."),
            Key.of("topic", Form.TEXT, "", "Name of a topic: each message goes to every subscription."),
            Key.of("count", Form.POSITIVE, "1", "So many destinations, with numbers from 0 behind their names.")
                    .option("--num-destinations"),
            Key.of("queues", Form.POSITIVE, "the driver's", "RocketMQ's queues of the topic on each broker, the same as "
                    + "`properties: {queues: N}`."),
            Key.of("partitions", Form.POSITIVE, "the driver's", "Kafka's partitions of the topic, the same as "
                    + "`properties: {partitions: N}`."));

    static final Section MESSAGE = Section.of("message", "What messages are.", "size",
            Key.of("size", Form.SIZES, "1KiB", "Size of a body, the envelope included.").hints("bytes", "messageSize")
                    .option(1, "-s --message-size --size", Reading.SIZES, "BYTES", "1024",
                            "Body size in bytes, or 4KiB, 1MiB; or sizes that vary: list:100,1KiB (in turn), uniform:100..2KiB, "
                                    + "lognormal:1KiB,0.8 (median, sigma; a largest size may follow), empirical:100=70%%,10KiB=30%%. "
                                    + "Default: ${DEFAULT-VALUE}."),
            Key.of("body", Form.CONTENT, "random", "What bodies consist of. Bodies from files and templates have a size of their "
                    + "own, and their envelope travels as a property.").hints("content", "payload")
                    .option(2, "--body", Reading.CONTENT, "CONTENT", "random",
                            "What bodies are: random, compressible:50%%, constant:x, file:PATH, lines:PATH (one message for each "
                                    + "line of it), template:PATH, or a template itself, json:{\"n\":{{counter}}} or text:TEXT. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("bare", Form.FLAG, "false", "Bodies without the 28-byte envelope: any size, but no transfer time and no ledger.")
                    .option(3, "--bare", Reading.FLAG, "", null,
                            "Send bodies without the 28-byte envelope: any size, but no transfer time and no ledger. Default: "
                                    + "off."),
            Key.of("persistent", Form.FLAG, "false", "Whether messages are persistent.").hints("durable")
                    .option(4, "--persistent", Reading.FLAG, "", null, "Persistent messages. Default: off."),
            Key.of("ttl", Form.FINE_TIME, "for ever", "Time to live.").hints("timeToLive", "expiration")
                    .option(5, "--ttl", Reading.MILLIS, "TIME", "0",
                            "Time to live in milliseconds or with a unit; 0 is for ever. Default: ${DEFAULT-VALUE}."),
            Key.of("deliveryDelay", Form.FINE_TIME, "0", "How long the broker holds each message back.").hints("delay")
                    .option(6, "--delivery-delay", Reading.SECONDS, "TIME", "0",
                            "How long the broker keeps each message back, in seconds or with a unit; how late it delivers then is"
                                    + " measured. Default: ${DEFAULT-VALUE}."),
            Key.of("keys", Form.KEYS, "none", "Keys or groups: one for all messages, or several and how messages are spread over "
                    + "them.").hints("group", "groups", "key")
                    .option(9, "--keys", Reading.KEYS, "KEYS", null,
                            "Groups or keys of messages: NAME for one, round-robin:10, uniform:1000, or zipf:1000,1.1 (number, "
                                    + "exponent), which are called key-0, key-1... Default: none.")
                    .option(8, "--group", Reading.GROUP, "NAME", null, "Message group of all messages. Default: none."),
            Key.of("priority", Form.PRIORITIES, "the protocol's", "Priority, or several with their shares.")
                    .option(7, "--priority", Reading.TEXT, "N", null,
                            "Priority from 0 to 9, or several with their shares, 4:90%%,9:10%%. Default: the protocol's own."),
            Key.of("headers", Form.HEADERS, "none", "Properties of messages, which selectors can read.").hints("header", "properties")
                    .option(10, "--header", Reading.NAMED, "NAME=VALUE", null,
                            "A property of the messages, which selectors can read: one value for all, or several with their "
                                    + "shares, region={eu:30%%,us:70%%}; may be given more than once. Default: none."),
            Key.of("ids", Form.FLAG, "false", "Messages with message ids.")
                    .option(11, "--enable-msg-id", Reading.FLAG, "", null, "Messages with message ids. Default: off."),
            Key.of("timestamps", Form.FLAG, "false", "Messages with timestamps.")
                    .option(12, "--enable-timestamp", Reading.FLAG, "", null, "Messages with timestamps. Default: off."));

    static final Section LOAD = Section.of("load", "How much is sent when, over all producers of a group together.", "rate",
            Key.of("rate", Form.LOAD, "unlimited", "A rate, `unlimited`, `none`, or a shape.").hints("shape", "target")
                    .option(1, "-r --rate", Reading.RATE, "RATE", null,
                            "Messages a second over all producers together: 500, 37k, 0.5, 90/m. Default: as fast as "
                                    + "--max-pending allows.")
                    .option(3, "--load", Reading.TEXT, "SHAPE", null,
                            "A load that changes, instead of --rate: steps:1k@10s,1k..5k@30s (a step, a ramp; the last rate "
                                    + "holds), sine:5k,4k@30s (mean, amplitude, period), bursts:10k@1s/4s (rate, burst, silence), "
                                    + "poisson:5k (random arrivals), trace:FILE (the time stamps of a log's lines).\nDefault: none."),
            Key.of("ratePerProducer", Form.LOAD, "", "The same for each producer, in place of `rate`.")
                    .option(2, "--rate-per-producer", Reading.RATE, "RATE", null,
                            "Messages a second of each producer, instead of --rate. Default: none."),
            Key.of("messages", Form.COUNT, "0", "Messages to send; 0 is no limit.").hints("count", "messageCount")
                    .option(5, "-C --message-count --pmessages", Reading.COUNT, "N", "0",
                            "Messages to send over all producers together; 0 is no limit. Default: ${DEFAULT-VALUE}."));

    static final Section REQUEST = Section.of("request", "Makes producers requesters, which wait for replies.", "timeout",
            Key.of("timeout", Form.TIME, "10s", "After which a request counts as not answered.")
                    .option(2, "--reply-timeout", Reading.SECONDS, "TIME", "10s",
                            "After how long a request counts as not answered and makes room for the next. Default: "
                                    + "${DEFAULT-VALUE}.")).orSwitched();

    static final Section SUMMARIZE = Section.of("summarize", "Makes consumers publish how many messages they get.", "to",
            Key.of("to", Form.DESTINATION, "", "Where the counts go."),
            Key.of("every", Form.TIME, "1s", "The length of the stretches of time that are counted."),
            Key.of("sum", Form.TEXT, "none", "A text: in place of messages, the whole numbers that follow it in each message are added up."));

    static final Section PHASE = Section.of("phases", "A part of the run with a load and results of its own.", "",
            Key.of("name", Form.TEXT, "", "Its name."),
            Key.of("duration", Form.TIME, "", "How long it takes.").hints("length"),
            Key.of("load", Form.LOADS, "each group's own", "Its load; or the loads of groups by their names.").hints("rate"));

    private static final List<Key> ACCESS = List.of(
            Key.of("protocol", Form.TEXT, "by the URL, else the broker's first", "Protocol; `brokermeter drivers` lists them.")
                    .option("--protocol"),
            Key.of("url", Form.TEXT, "that of the broker that is started", "Broker URL; `#2` is the second broker of a topology "
                    + "that is started, such as `network` of activemq.").option("--url").hints("brokerUrl"),
            Key.of("user", Form.TEXT, "none", "User name.").option("--user").hints("username", "login"),
            Key.of("passwordFile", Form.PATH, "none", "File whose first line is the password.").option("--password-file"),
            Key.of("passwordEnv", Form.TEXT, "none", "Environment variable that has the password."),
            Key.of("clientId", Form.TEXT, "none", "Prefix of the client ids of the consumers' connections; durable subscriptions "
                    + "need it.").option("--clientID").hints("clientID"),
            Key.of("connectTimeout", Form.TIME, "10s", "The longest that one connection may take.").option("--connect-timeout"),
            Key.of("properties", Form.TEXTS, "none", "Parameters of the protocol's driver or client; `brokermeter drivers NAME` "
                    + "lists them.").option("--property").hints("parameters"));

    private static final Key DESTINATIONS = Key.section("destinations", DESTINATION, "", "Queues and topics: `queue://A`, "
            + "`topic://B`, or with keys.").inList().hints("destination", "queues", "topics", "queue", "topic");

    private static final Key OWN_MESSAGE = Key.section("message", MESSAGE, "",
            "What its messages are, where that differs from `message` of the whole.");

    static final Section PRODUCERS = Section.of("producers", "A group of producers that are alike.", "count",
            Key.of("name", Form.TEXT, "`producers`", "Name of the group."),
            Key.of("count", Form.POSITIVE, "1", "Producers on each destination.").hints("producers")
                    .option(12, "-x --producers", Reading.POSITIVE, "N", "1", "Producers on each destination. Default: ${DEFAULT-VALUE}."),
            DESTINATIONS, OWN_MESSAGE,
            Key.section("load", LOAD, "", "Its load, in place of `load` of the whole.").hints("rate"),
            Key.of("threads", Form.POSITIVE, "1", "Sending threads.")
                    .option(13, "--threads", Reading.POSITIVE, "N", "1", "Sending threads. Default: ${DEFAULT-VALUE}."),
            Key.of("sharedConnections", Form.FLAG, "false", "One connection for each sending thread, not for each producer.")
                    .option(14, "--shared-connections", Reading.FLAG, "", null,
                            "One connection for each sending thread. Default: one for each producer."),
            Key.of("maxPending", Form.NUMBER, "1", "Sends of one producer that may be unconfirmed, or requests without a reply; "
                    + "1 is synchronous, 0 is no limit.").hints("maxInFlight", "window", "inFlight")
                    .option(6, "-c --max-pending --max-in-flight --confirm", Reading.NUMBER, "N", "1",
                            "Sends of one producer that may be unconfirmed; 0 is no limit. Default: ${DEFAULT-VALUE}."),
            Key.of("batch", Form.POSITIVE, "1", "Messages that are due together.")
                    .option(7, "--batch", Reading.POSITIVE, "N", "1",
                            "Messages of a producer that are due together. Default: ${DEFAULT-VALUE}."),
            Key.of("thinkTime", Form.PROCESSING, "0", "How long a producer pauses after each message is confirmed or answered.")
                    .option(8, "--think-time", Reading.SECONDS_LAW, "TIME", "0",
                            "How long a producer pauses when its message, or all of its --batch, is confirmed or answered: a time"
                                    + " in seconds or with a unit, uniform:1ms..5ms, exponential:3ms. Default: ${DEFAULT-VALUE}."),
            Key.of("start", Form.START, "0", "How long after the run's start they begin.").hints("delay", "startDelay")
                    .option(10, "--producer-startup-delay", Reading.SECONDS, "TIME", "0",
                            "How long after the run's start the producers start, in seconds or with a unit. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("ramp", Form.TIME, "0", "Over how long their connections are made, evenly.")
                    .option(11, "--producer-ramp", Reading.SECONDS, "TIME", "0",
                            "Over how long the producers' connections are made, evenly; 0 is all at once. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("commitInterval", Form.NUMBER, "0", "Messages in a transaction; 0 is no transaction.").hints("transaction", "txSize")
                    .option(1, "--commit-interval --tx-size", Reading.NUMBER, "N", "0",
                            "Messages in a transaction of a producer, and of a consumer that is transacted; 0 is no transaction. "
                                    + "Default: ${DEFAULT-VALUE}."),
            Key.of("rollback", Form.SHARE, "0%", "The part of the transactions that are rolled back.")
                    .option(9, "--rollback", Reading.SHARE, "SHARE", "0",
                            "The part of the transactions that is rolled back, as 5%% or 0.05; needs --commit-interval. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.section("request", REQUEST, "off", "Each message asks for a reply, whose time is measured.")
                    .option(1, "--request-reply", Reading.FLAG, "", null,
                            "Messages are requests, which the consumers answer, and round trips are measured; --max-pending "
                                    + "limits the requests without a reply. Default: off."))
            .and(ACCESS);

    static final Section CONSUMERS = Section.of("consumers", "A group of consumers that are alike.", "count",
            Key.of("name", Form.TEXT, "`consumers`", "Name of the group."),
            Key.of("count", Form.POSITIVE, "1", "Consumers on each destination, or on each shared subscription.").hints("consumers")
                    .option(1, "-y --consumers", Reading.POSITIVE, "N", "1",
                            "Consumers on each destination, or on each shared subscription. Default: ${DEFAULT-VALUE}."),
            DESTINATIONS,
            Key.of("shared", Form.NUMBER, "0", "Shared subscriptions on each topic; 0 is none.")
                    .option(3, "--shared", Reading.NUMBER, "N", "0",
                            "Shared subscriptions on each topic; 0 is none. Default: ${DEFAULT-VALUE}."),
            Key.of("durable", Form.FLAG, "false", "Durable subscriptions, removed at the end.")
                    .option(4, "--durable", Reading.FLAG, "", null, "Durable subscriptions, removed at the end. Default: off."),
            Key.of("keepSubscriptions", Form.FLAG, "false", "Leave durable subscriptions in place at the end.")
                    .option(5, "--keep-subscriptions", Reading.FLAG, "", null,
                            "Leave durable subscriptions in place at the end. Default: off."),
            Key.choice("ackMode", "auto, or batch when `batch` is above 1", "`auto` acknowledges each message, `batch` several at "
                    + "once, `transacted` in transactions.", "auto", "batch", "transacted")
                    .option(6, "--tx", Reading.FLAG, "", null,
                            "Transacted acknowledgement, committed after --commit-interval messages, or after each. Default: off."),
            Key.of("batch", Form.POSITIVE, "1", "Messages in an acknowledgement or transaction.")
                    .option(7, "-A --multi-ack-every", Reading.POSITIVE, "N", "1",
                            "Acknowledge so many messages at once. Default: ${DEFAULT-VALUE}."),
            Key.of("connections", Form.NUMBER, "0", "Connections over all of them; 0 chooses.")
                    .option(2, "--consumer-connections --num-connections", Reading.NUMBER, "N", "0",
                            "Connections over all consumers; 0 chooses: one for each consumer, but with --shared and --clientID "
                                    + "one for each subscription. Default: ${DEFAULT-VALUE}."),
            Key.of("prefetch", Form.NUMBER, "the client's", "Messages that the client may hold unprocessed.").hints("credit")
                    .option(8, "-q --prefetch --credit", Reading.NUMBER, "N", null,
                            "Messages that the client may hold unprocessed. Default: the client's own."),
            Key.of("polling", Form.FLAG, "false", "They ask for messages instead of having them pushed.")
                    .option(13, "--polling", Reading.FLAG, "", null,
                            "Consumers ask for messages instead of having them pushed to a listener. Default: off."),
            Key.of("processing", Form.PROCESSING, "0", "Simulated processing time of each message.").hints("latency", "processingTime")
                    .option(10, "-L --consumer-latency", Reading.MICROS, "TIME", "0",
                            "Simulated processing time of each message, in microseconds or with a unit; or times that vary: "
                                    + "uniform:1ms..5ms, exponential:3ms. Default: ${DEFAULT-VALUE}."),
            Key.of("rate", Form.RATE, "no limit", "The most messages a second that each takes.")
                    .option(9, "-R --consumer-rate", Reading.RATE, "RATE", null,
                            "The most messages a second that each consumer takes. Default: no limit."),
            Key.of("requeue", Form.SHARE, "0%", "The part of the messages that are given back to be delivered again.").hints("nack")
                    .option(14, "--requeue", Reading.SHARE, "SHARE", "0",
                            "The part of the deliveries that consumers give back to be delivered again, as 5%% or 0.05. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("reject", Form.SHARE, "0%", "The part of the messages that are refused for good.")
                    .option(15, "--reject", Reading.SHARE, "SHARE", "0",
                            "The part of the deliveries that consumers refuse for good, as 5%% or 0.05. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("start", Form.START, "0", "How long after the run's start they begin, or `after-producers`, with a backlog.")
                    .hints("delay", "startDelay")
                    .option(11, "--consumer-startup-delay", Reading.START, "TIME", "0",
                            "How long after the run's start the consumers start, in seconds or with a unit; or after-producers, "
                                    + "when these have ended and a backlog is there, or after-producers:5s. Default: ${DEFAULT-VALUE}."),
            Key.of("ramp", Form.TIME, "0", "Over how long their connections are made, evenly.")
                    .option(12, "--consumer-ramp", Reading.SECONDS, "TIME", "0",
                            "Over how long the consumers' connections are made, evenly; 0 is all at once. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("messages", Form.COUNT, "0", "Messages to receive; 0 is no limit.").hints("messageCount")
                    .option(0, "-D --message-count --cmessages", Reading.COUNT, "N", "0",
                            "Messages to receive over all consumers together; 0 is no limit. Default: ${DEFAULT-VALUE}.").only(Option.Where.LONE)
                    .option(17, "-D --cmessages", Reading.COUNT, "N", "0",
                            "Messages to receive over all consumers together; 0 is no limit. Default: ${DEFAULT-VALUE}.").only(Option.Where.PAIRED),
            Key.of("selector", Form.TEXT, "none", "The condition that messages must meet, in the broker's own language.").hints("filter")
                    .option(16, "--selector --filter", Reading.TEXT, "CONDITION", null,
                            "Receive only messages whose properties meet this condition, in the broker's own language. The ledger"
                                    + " expects what it lets through where it is like colour = 'red' AND size = 'big'; of any other "
                                    + "condition it takes what comes. Default: none."),
            Key.of("reply", Form.FLAG, "false", "Each message is answered, which requesters wait for.").option("--reply")
                    .hints("replies"),
            Key.section("summarize", SUMMARIZE, "off", "They publish how many messages they get in each second.")
                    .option("--summarize").hints("summarizer"))
            .and(ACCESS);

    /** The whole file. */
    static final Section FILE = Section.of("", "An experiment: what it is, what varies, and what runs.", "",
            Key.of("name", Form.TEXT, "the file's", "Short name of the experiment."),
            Key.of("title", Form.TEXT, "", "One line about it."),
            Key.of("description", Form.TEXT, "", "What it is about."),
            Key.section("source", SOURCE, "", "Where it was published."),
            Key.choice("columns", "default", "The columns of the table that comes out: those of this tool, or of a document.",
                    "default", "rocketmq", "cern", "artemis"),
            Key.section("broker", BROKER, "as for `client`: the one on localhost, else artemis",
                    "A broker to start; `url` names one that runs.").hints("brokers"),
            Key.of("sweep", Form.SWEEP, "none", "What varies: paths of keys with lists of values, in every combination, or with "
                    + "`mode: zip` the first of each, then the second of each. A list of such is their product."),
            Key.of("repeat", Form.POSITIVE, "1", "How often each point is measured.").hints("repetitions", "rounds"),
            Key.choice("order", "interleaved", "`interleaved` measures every point once in each round, each round in another "
                    + "random order; `listed` goes point by point.", "interleaved", "listed"),
            Key.of("freshDestinations", Form.FLAG, "true", "Where trials share a broker, each gets destinations of its own, by a "
                    + "suffix."),
            Key.of("published", Form.PUBLISHED, "none", "Rows of published figures, each for the points that its paths name."),
            Key.of("scale", Form.FACTOR, "1", "Factor for numbers of messages and for durations; `--scale` says the same."),
            Key.of("directory", Form.PATH, "that of the file", "Where relative paths start from."),
            DESTINATIONS,
            Key.section("message", MESSAGE, "", "What messages are."),
            Key.section("producers", PRODUCERS, "none", "Who sends: one group, or a list of groups.").inList()
                    .hints("producer"),
            Key.section("consumers", CONSUMERS, "none", "Who receives: one group, or a list of groups.").inList()
                    .hints("consumer"),
            Key.section("load", LOAD, "", "The load of each group of producers that has none of its own."),
            Key.section("phases", PHASE, "one", "Parts of the run, one after the other, after the warm-up; they take the place of "
                    + "`duration`.").inList().hints("phase"),
            Key.of("duration", Form.TIME, "0", "How long, warm-up included; 0 is no limit.")
                    .option(1, "-z --duration --time", Reading.SECONDS, "TIME", "0",
                            "How long, warm-up included, in seconds or with a unit (30s, 5m); 0 is no limit. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("warmup", Form.TIME, "0", "How much of the beginning stays out of the results.").hints("warmUp")
                    .option(2, "--warmup", Reading.SECONDS, "TIME", "0",
                            "How much of the beginning is warm-up and stays out of the aggregated times. Default: "
                                    + "${DEFAULT-VALUE}."),
            Key.of("drainTimeout", Form.TIME, "10s", "How long to wait at the end for what is still due.")
                    .option(3, "--drain-timeout", Reading.SECONDS, "TIME", "10s",
                            "How long to wait at the end for confirmations and deliveries that are still due; what has not come "
                                    + "then is reported as lost, left in the broker, or not in time. Default: ${DEFAULT-VALUE}."),
            Key.of("interval", Form.TIME, "1s", "Length of a reporting interval.").option("--interval"),
            Key.of("allowLoss", Form.FLAG, "false", "Lost messages do not fail a run.")
                    .option(4, "--allow-loss", Reading.FLAG, "", null,
                            "Lost messages are counted and do not fail the run: for QoS 0, one-way sends, messages that expire. "
                                    + "Default: off."),
            Key.choice("pacing", "auto", "How a sending thread waits for its next message.", "auto", "park", "hybrid", "spin")
                    .option(15, "--pacing", Reading.PACING, "HOW", "auto",
                            "How a sending thread waits for its next message: park, spin, hybrid (park, then spin), or auto (spin"
                                    + " only where cores are free for it). Default: ${DEFAULT-VALUE}."),
            Key.of("realtime", Form.FLAG, "false", "Ask the kernel for real-time scheduling of the sending threads.")
                    .option(16, "--realtime", Reading.FLAG, "", null,
                            "Ask the kernel for real-time scheduling of the sending threads, where it is permitted. Default: off."),
            Key.of("seed", Form.SEED, "another one each time", "Seed of everything random: of the order of trials, and of the "
                    + "first round; each later round has the next number.")
                    .option(4, "--seed", Reading.SEED, "N", null,
                            "Seed of everything that is random in the run. Default: another one each time, told in the result."))
            .and(ACCESS);

    private static final Pattern OPTION = Pattern.compile("--[a-zA-Z][a-zA-Z-]*");

    private KeyTable() {}

    /** The sections by the shortest path that leads to each, the whole file first. */
    static Map<String, Section> sections() {
        Map<String, Section> all = new LinkedHashMap<>();
        all.put("", FILE);
        Map<String, Section> level = all;
        while (!level.isEmpty()) {
            Map<String, Section> next = new LinkedHashMap<>();
            level.forEach((path, section) -> section.keys().stream().filter(key -> key.section() != null).forEach(key -> {
                if (!all.containsValue(key.below()) && !next.containsValue(key.below())) {
                    next.put(path.isEmpty() ? key.name() : path + "." + key.name(), key.below());
                }
            }));
            all.putAll(next);
            level = next;
        }
        return all;
    }

    /** The path of the key of that name, wherever it is, or null when there is none or it is in several places. */
    static @Nullable String home(String name) {
        List<String> found = new ArrayList<>();
        sections().forEach((path, section) -> {
            if (section.find(name) != null) {
                found.add(path.isEmpty() ? name : path + "." + name);
            }
        });
        return found.isEmpty() ? null : String.join("' or '", found);
    }

    /** The same sentence with keys in place of the options that say the same. */
    static String inKeys(String sentence) {
        Map<String, String> keys = new LinkedHashMap<>();
        sections().forEach((path, section) -> section.keys().stream().filter(key -> !key.option().isEmpty())
                .forEach(key -> keys.putIfAbsent(key.option(), path.isEmpty() ? key.name() : path + "." + key.name())));
        return OPTION.matcher(sentence).replaceAll(match -> {
            String path = keys.get(match.group());
            return Matcher.quoteReplacement(path == null ? match.group() : "key '" + path + "'");
        });
    }
}
