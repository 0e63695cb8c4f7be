package io.brokermeter.experiment.table;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.experiment.Search;
import org.jspecify.annotations.Nullable;

/**
 * The table of all settings: the keys of a scenario file, and the options of the commands. The validation of files, the JSON Schema, the
 * tables of the documentation, and the commands' options, help, completion and environment variables are derived from it.
 */
public final class KeyTable {

    private static final String CONNECTION = "Connection";
    private static final String OF_CONSUMERS = "Connection of the consumers";

    private static final Key PROTOCOL = Key.of("protocol", ValueSyntax.TEXT, "by the scheme of the URL, else the broker's first",
        "Protocol; `brokermeter drivers` lists them.");
    private static final Key URL =
        Key.of("url", ValueSyntax.TEXT, "that of the broker that is started", "Broker URL; `#2` is the second broker "
            + "of a topology that is started, such as `network` of activemq.").hints("brokerUrl");
    private static final Key USER = Key.of("user", ValueSyntax.TEXT, "none", "User name.").hints("username", "login");
    private static final Key PASSWORD_FILE = Key.of("passwordFile", ValueSyntax.PATH, "none", "File whose first line is the password.");
    private static final Key PASSWORD_ENV = Key.of("passwordEnv", ValueSyntax.TEXT, "none", "Environment variable that has the password.");
    private static final Key CLIENT_ID =
        Key.of("clientId", ValueSyntax.TEXT, "none", "Prefix of the client ids of the consumers' connections; "
            + "durable subscriptions need it.").hints("clientID");
    private static final Key CONNECT_TIMEOUT =
        Key.of("connectTimeout", ValueSyntax.TIME, "10s", "How long making one connection may take.");
    private static final Key PROPERTIES =
        Key.of("properties", ValueSyntax.TEXTS, "none", "Parameters of the protocol's driver or client, as in the "
            + "URL; `brokermeter drivers NAME` lists them.").hints("parameters");

    private static final Key NETWORK =
        Key.of("network", ValueSyntax.NETWORK, "none", "What lies between the endpoints and the broker: a round trip, "
            + "its jitter, a bandwidth, lost packets.").hints("latency", "distance", "delay");

    private static final Key ON =
        Key.of("on", ValueSyntax.AGENT_CHOICE, "`spread`", "Which agents it may be on: `spread` for all, names of agents or "
            + "hosts, labels as `{label: near}`, or a list of these.").hints("agents", "agent", "host", "hosts", "place");

    private static final Key DESTINATIONS = Key.section("destinations", NestedSections.DESTINATION, "", "Queues and topics: `queue://A`, "
        + "`topic://B`, or with keys.").inList().hints("destination", "queues", "topics", "queue", "topic");

    private static final Key OWN_MESSAGE = Key.section("message", NestedSections.MESSAGE, "",
        "What its messages are, where that differs from `message` of the whole.");

    static final Section PRODUCERS = Section.of("producers", "A group of producers that are alike.", "count", "Load",
        Key.of("name", ValueSyntax.TEXT, "`producers`", "Name of the group."),
        Key.of("count", ValueSyntax.POSITIVE, "1",
            "Producers on each destination. With agents and without a client id the default gives each "
                + "agent on which the group may be one at least.")
            .hints("producers")
            .option(12, "-x --producers", OptionSyntax.POSITIVE, "N"),
        DESTINATIONS, OWN_MESSAGE,
        Key.section("load", NestedSections.LOAD, "", "Its load, in place of `load` of the whole.").hints("rate"),
        Key.of("threads", ValueSyntax.POSITIVE, "1", "Sending threads.").option(13, "--threads", OptionSyntax.POSITIVE, "N")
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::whole, (side, threads) -> side.threads = threads),
        Key.of("sharedConnections", ValueSyntax.FLAG, "false", "One connection for each sending thread, not for each producer.")
            .option(14, "--shared-connections", OptionSyntax.FLAG, "", null)
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::flag, (side, shared) -> side.sharedConnections = shared),
        Key.of("maxPending", ValueSyntax.NUMBER, "1", "Sends of one producer that may be unconfirmed, or requests without a reply; "
            + "1 is synchronous, 0 is 1,048,576, less with more than 4 producers.").hints("maxInFlight", "window", "inFlight")
            .option(6, "-c --max-pending --max-in-flight --confirm", OptionSyntax.NUMBER, "N")
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::whole, (side, sends) -> side.maxPending = sends),
        Key.of("batch", ValueSyntax.POSITIVE, "1", "Messages of a producer that are due together.")
            .option(7, "--batch", OptionSyntax.POSITIVE, "N")
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::whole, (side, batch) -> side.batch = batch),
        Key.of("thinkTime", ValueSyntax.PROCESSING, "0",
            "How long a producer pauses when its message, or all of its batch, is confirmed or "
                + "answered; within a transaction, when it is sent.")
            .option(8, "--think-time", OptionSyntax.SECONDS_LAW, "TIME")
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::processing, (side, time) -> side.thinkTime = time),
        Key.of("start", ValueSyntax.START, "0", "How long after the run's start they begin; shorter than the duration of the load.")
            .hints("delay", "startDelay")
            .option(10, "--producer-startup-delay", OptionSyntax.SECONDS, "TIME")
            .help("How long after the run's start the producers start, in seconds or with a unit; shorter than the duration of the load."),
        Key.of("ramp", ValueSyntax.TIME, "0", "Time over which their connections are made, evenly spread; 0 makes all at once.")
            .option(11, "--producer-ramp", OptionSyntax.SECONDS, "TIME")
            .help("Time over which the producers' connections are made, evenly spread; 0 makes all at once."),
        Key.of("commitInterval", ValueSyntax.NUMBER, "0", "Messages in a transaction; 0 is no transaction.").hints("transaction", "txSize")
            .option(1, "--commit-interval --tx-size", OptionSyntax.NUMBER, "N").help("Messages in a transaction of a producer, and of "
                + "a consumer that is transacted; 0 is no transaction.")
            .under("Transactions")
            .sets(ProducerGroupSpec.Draft.class, ValueSyntax::whole, (side, messages) -> side.commitInterval = messages),
        Key.of("rollback", ValueSyntax.SHARE, "0%", "The part of the transactions that is rolled back.")
            .option(9, "--rollback", OptionSyntax.SHARE, "SHARE", "0")
            .sets(ProducerGroupSpec.Draft.class, Units::share, (side, share) -> side.rollbackShare = share),
        Key.section("request", NestedSections.REQUEST, "off", "Each message asks for a reply, whose time is measured.")
            .option(1, "--request-reply", OptionSyntax.FLAG, "", null).help("Messages are requests, which the consumers answer, and round "
                + "trips are measured; --max-pending limits the requests without a reply. Default: off.")
            .under("Requests and replies"),
        PROTOCOL, URL, USER, PASSWORD_FILE, PASSWORD_ENV, CLIENT_ID, CONNECT_TIMEOUT, PROPERTIES,
        ON.option(3, "--producer-agents", OptionSyntax.AGENT_CHOICE, "NAME,...", null).only(Option.Where.PAIRED)
            .help("Agents that the producers may be on: names of agents or hosts, label:NEAR, or spread for all. Default: spread.")
            .under("Agents"),
        NETWORK.option(2, "--producer-network", OptionSyntax.NETWORK, "RULE", null).only(Option.Where.PAIRED)
            .help("What lies between the producers and the broker, as --network. Default: as --network.")
            .under("Network"));

    static final Section CONSUMERS = Section.of("consumers", "A group of consumers that are alike.", "count", "Consumers",
        Key.of("name", ValueSyntax.TEXT, "`consumers`", "Name of the group."),
        Key.of("count", ValueSyntax.POSITIVE, "1",
            "Consumers on each destination, or on each shared subscription. With agents and without a "
                + "client id, the default on queues and shared subscriptions gives each agent on which the group may be one at least.")
            .hints("consumers")
            .option(1, "-y --consumers", OptionSyntax.POSITIVE, "N"),
        DESTINATIONS,
        Key.of("shared", ValueSyntax.NUMBER, "0", "Shared subscriptions on each topic; 0 is none.")
            .option(3, "--shared", OptionSyntax.NUMBER, "N")
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::whole, (side, subscriptions) -> side.sharedSubscriptions = subscriptions),
        Key.of("durable", ValueSyntax.FLAG, "false", "Durable subscriptions, removed at the end.")
            .option(4, "--durable", OptionSyntax.FLAG, "", null)
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::flag, (side, durable) -> side.durable = durable),
        Key.of("keepSubscriptions", ValueSyntax.FLAG, "false", "Leave durable subscriptions in place at the end.")
            .option(5, "--keep-subscriptions", OptionSyntax.FLAG, "", null)
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::flag, (side, keep) -> side.keepSubscriptions = keep),
        Key.choice("ackMode", "auto, or batch when `batch` is above 1", "`auto` acknowledges each message, `batch` several at "
            + "once, `transacted` in transactions.", "auto", "batch", "transacted")
            .option(6, "--tx", OptionSyntax.FLAG, "", null).help("Transacted acknowledgement, committed after --commit-interval messages, "
                + "or after each. Default: off."),
        Key.of("batch", ValueSyntax.POSITIVE, "1", "Messages in an acknowledgement or transaction.")
            .option(7, "-A --multi-ack-every", OptionSyntax.POSITIVE, "N").help("Number of messages that are acknowledged at once."),
        Key.of("connections", ValueSyntax.NUMBER, "0", "Connections over all consumers; 0 chooses: one for each consumer, but one for each "
            + "shared subscription that has a client id.")
            .option(2, "--consumer-connections --num-connections", OptionSyntax.NUMBER, "N")
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::whole, (side, connections) -> side.connections = connections),
        Key.of("prefetch", ValueSyntax.NUMBER, "the client's own, at most 16 MiB of the run's messages",
            "Messages that the client may hold unprocessed.").hints("credit")
            .option(8, "-q --prefetch --credit", OptionSyntax.NUMBER, "N", null)
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::whole, (side, messages) -> side.prefetch = messages),
        Key.of("polling", ValueSyntax.FLAG, "false", "Consumers ask for messages instead of having them pushed to a listener.")
            .option(13, "--polling", OptionSyntax.FLAG, "", null)
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::flag, (side, polling) -> side.polling = polling),
        Key.of("processing", ValueSyntax.PROCESSING, "0", "Simulated processing time of each message.").hints("latency", "processingTime")
            .option(10, "-L --consumer-latency", OptionSyntax.MICROS, "TIME")
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::processing, (side, time) -> side.processing = time),
        Key.of("rate", ValueSyntax.RATE, "no limit", "The most messages a second that each consumer takes.")
            .option(9, "-R --consumer-rate", OptionSyntax.RATE, "RATE", null)
            .sets(ConsumerGroupSpec.Draft.class, Rate::parse, (side, rate) -> side.rate = rate),
        Key.of("requeue", ValueSyntax.SHARE, "0%", "The part of the deliveries that consumers give back to be delivered again.")
            .hints("nack")
            .option(14, "--requeue", OptionSyntax.SHARE, "SHARE", "0")
            .sets(ConsumerGroupSpec.Draft.class, Units::share, (side, share) -> side.requeueShare = share),
        Key.of("reject", ValueSyntax.SHARE, "0%", "The part of the deliveries that consumers refuse for good.")
            .option(15, "--reject", OptionSyntax.SHARE, "SHARE", "0")
            .sets(ConsumerGroupSpec.Draft.class, Units::share, (side, share) -> side.rejectShare = share),
        Key.of("start", ValueSyntax.START, "0",
            "How long after the run's start they begin, shorter than the duration of the load; or `after-producers`, with a "
                + "backlog.")
            .hints("delay", "startDelay")
            .option(11, "--consumer-startup-delay", OptionSyntax.START, "TIME").help("How long after the run's start the consumers "
                + "start, in seconds or with a unit, shorter than the duration of the load; or after-producers, when these have ended and a backlog is there, or "
                + "after-producers:5s."),
        Key.of("ramp", ValueSyntax.TIME, "0", "Time over which their connections are made, evenly spread; 0 makes all at once.")
            .option(12, "--consumer-ramp", OptionSyntax.SECONDS, "TIME")
            .help("Time over which the consumers' connections are made, evenly spread; 0 makes all at once."),
        Key.of("messages", ValueSyntax.COUNT, "0", "Messages to receive over all consumers together; 0 is no limit.").hints("messageCount")
            .option(0, "-D --message-count --cmessages", OptionSyntax.COUNT, "N").only(Option.Where.LONE)
            .option(17, "-D --cmessages", OptionSyntax.COUNT, "N").only(Option.Where.PAIRED)
            .sets(ConsumerGroupSpec.Draft.class, Units::count, (side, messages) -> side.messageCount = messages),
        Key.of("selector", ValueSyntax.TEXT, "none", "The condition that messages must meet, in the broker's own language.").hints("filter")
            .option(16, "--selector --filter", OptionSyntax.TEXT, "CONDITION", null)
            .help("Receive only messages whose properties meet this "
                + "condition, in the broker's own language. The ledger knows which messages to expect where it is like colour = "
                + "'red' AND size = 'big'; with any other condition it expects what is delivered. Default: none.")
            .sets(ConsumerGroupSpec.Draft.class, Function.identity(), (side, condition) -> side.selector = condition),
        Key.of("reply", ValueSyntax.FLAG, "false", "Consumers answer each message; requesters wait for the answers.").hints("replies")
            .sets(ConsumerGroupSpec.Draft.class, ValueSyntax::flag, (side, reply) -> side.replies = reply),
        Key.section("summarize", NestedSections.SUMMARIZE, "off", "Consumers publish how many messages they get in each second.")
            .hints("summarizer"),
        PROTOCOL.option(2, "--consumer-protocol", OptionSyntax.TEXT, "NAME", null).only(Option.Where.PAIRED)
            .help("Protocol of the consumers. Default: by the scheme of --consumer-url, else as the producers'.").under(OF_CONSUMERS),
        URL.option(1, "--consumer-url", OptionSyntax.TEXT, "URL", null).only(Option.Where.PAIRED)
            .help("Broker URL of the consumers. Default: as --url.").under(OF_CONSUMERS),
        USER.option(3, "--consumer-user", OptionSyntax.TEXT, "NAME", null).only(Option.Where.PAIRED)
            .help("User name of the consumers. Default: as --user.").under(OF_CONSUMERS),
        PASSWORD_FILE.option(5, "--consumer-password-file", OptionSyntax.PATH, "FILE", null).only(Option.Where.PAIRED)
            .help("File whose first line is the password of the consumers. Default: none.").under(OF_CONSUMERS),
        PASSWORD_ENV, CLIENT_ID, CONNECT_TIMEOUT,
        PROPERTIES.option(6, "--consumer-property", OptionSyntax.NAMED, "NAME=VALUE", null).only(Option.Where.PAIRED)
            .help("A parameter of the "
                + "consumers' driver or client, in addition to those of --property, which count here, too, when the consumers' protocol is the "
                + "same; may be given more than once. Default: none.")
            .under(OF_CONSUMERS),
        ON.option(4, "--consumer-agents", OptionSyntax.AGENT_CHOICE, "NAME,...", null).only(Option.Where.PAIRED)
            .help("Agents that the consumers may be on, as --producer-agents. Default: spread.").under("Agents"),
        NETWORK.option(3, "--consumer-network", OptionSyntax.NETWORK, "RULE", null).only(Option.Where.PAIRED)
            .help("What lies between the consumers and the broker, as --network. Default: as --network.")
            .under("Network"));

    /** The keys of the whole file. */
    public static final Section FILE = Section.of("", "An experiment: what it is, what varies, and what runs.", "", "Duration and end",
        Key.of("name", ValueSyntax.TEXT, "the file's", "Short name of the experiment."),
        Key.of("title", ValueSyntax.TEXT, "", "One line about it."),
        Key.of("description", ValueSyntax.TEXT, "", "What it is about."),
        Key.section("source", NestedSections.SOURCE, "", "Where it was published."),
        Key.of("labels", ValueSyntax.TEXTS, "none",
            "Labels by which its runs are found later, as by `brokermeter runs --label NAME=VALUE`.")
            .hints("tags")
            .option(6, "--label", OptionSyntax.NAMED, "NAME=VALUE", null)
            .help("A label of the run, by which 'brokermeter runs --label' finds it "
                + "again; may be given more than once. Default: none.")
            .under("Output"),
        Key.choice("columns", "default", "The columns of the table that comes out: those of this tool, or of a document.",
            "default", "rocketmq", "cern", "artemis"),
        Key.section("broker", NestedSections.BROKER, "as for `client`: the one on localhost, else artemis",
            "A broker to start; `url` names one that runs.").hints("brokers"),
        Key.of("sweep", ValueSyntax.SWEEP, "none", "What varies: paths of keys with lists of values, in every combination, or with "
            + "`mode: zip` the first of each, then the second of each. A list of these runs every combination of them."),
        Key.section("search", Search.SECTION, "off", "A search for the highest load, which takes the place of `sweep` and `repeat`."),
        Key.of("repeat", ValueSyntax.POSITIVE, "1", "How often each point is measured.").hints("repetitions", "rounds"),
        Key.choice("order", "interleaved", "`interleaved` measures every point once in each round, each round in another "
            + "random order; `listed` goes point by point.", "interleaved", "listed"),
        Key.of("freshDestinations", ValueSyntax.FLAG, "true", "Where trials share a broker, each gets destinations of its own, by a "
            + "suffix."),
        Key.of("published", ValueSyntax.PUBLISHED, "none", "Rows of published figures, each for the points that its paths name."),
        Key.of("scale", ValueSyntax.FACTOR, "1", "Factor for numbers of messages and for durations; `--scale` says the same."),
        Key.of("directory", ValueSyntax.PATH, "that of the file", "Where relative paths start from."),
        Key.section("agents", NestedSections.AGENTS, "none: one process runs all of it",
            "Agents that run it together: a number, hosts, `dns:NAME`, or keys with values."),
        DESTINATIONS,
        Key.section("message", NestedSections.MESSAGE, "", "What messages are."),
        Key.section("producers", PRODUCERS, "none", "Who sends: one group, or a list of groups.").inList()
            .hints("producer"),
        Key.section("consumers", CONSUMERS, "none", "Who receives: one group, or a list of groups.").inList()
            .hints("consumer"),
        Key.section("load", NestedSections.LOAD, "", "The load of each group of producers that has none of its own."),
        Key.section("phases", NestedSections.PHASE, "one",
            "Parts of the run, one after the other, after the warm-up; they take the place of "
                + "`duration`.")
            .inList().hints("phase"),
        Key.of("duration", ValueSyntax.TIME, "0", "How long, warm-up included; 0 is no limit.")
            .option(1, "-z --duration --time", OptionSyntax.SECONDS, "TIME")
            .sets(Limits.Values.class, ValueSyntax::time, (its, time) -> its.duration = time),
        Key.of("warmup", ValueSyntax.WARMUP, "0",
            "How much of the beginning is warm-up and stays out of the results; auto is a tenth of the duration, at most 10 s, and once or "
                + "twice as much again while the run has not settled.")
            .hints("warmUp")
            .option(2, "--warmup", OptionSyntax.WARMUP, "TIME|auto")
            .sets(Limits.Values.class, ValueSyntax::warmup, (its, time) -> {
                its.settles = time.isEmpty();
                its.warmup = time.orElse(Duration.ZERO);
            }),
        Key.of("drainTimeout", ValueSyntax.TIME, "10s",
            "How long to wait at the end for confirmations and deliveries that are still due; what "
                + "has not come then is reported as lost, left in the broker, or not in time.")
            .option(3, "--drain-timeout", OptionSyntax.SECONDS, "TIME")
            .sets(Limits.Values.class, ValueSyntax::time, (its, time) -> its.drainTimeout = time),
        Key.of("interval", ValueSyntax.TIME, "1s", "Length of a reporting interval.")
            .option(5, "-i --interval", OptionSyntax.SECONDS, "TIME").under("Output")
            .sets(Limits.Values.class, ValueSyntax::interval, (its, time) -> its.interval = time),
        Key.of("allowLoss", ValueSyntax.FLAG, "false",
            "Lost messages are counted and do not fail the run: for QoS 0, one-way sends, messages "
                + "that expire.")
            .option(4, "--allow-loss", OptionSyntax.FLAG, "", null)
            .sets(Limits.Values.class, ValueSyntax::flag, (its, allowed) -> its.allowLoss = allowed),
        Key.of("allowOverload", ValueSyntax.FLAG, "false",
            "The load may be more than broker or consumers take: what the broker refuses is counted, and neither that nor a backlog that "
                + "grows as long as the load lasts fails the run.")
            .option(5, "--allow-overload", OptionSyntax.FLAG, "", null)
            .sets(Limits.Values.class, ValueSyntax::flag, (its, allowed) -> its.allowOverload = allowed),
        Key.of("reconnect", ValueSyntax.TIME, "off: a lost connection ends the run",
            "Time between two attempts to restore a lost connection. "
                + "Without this key the loss of a connection ends the run; with it, sends that the loss leaves failed or of unknown fate do not fail the run.")
            .hints("recovery")
            .option(7, "--reconnect", OptionSyntax.SECONDS, "TIME", null)
            .help("Restore connections that the client has given up, with this "
                + "time between two attempts, in seconds or with a unit. Sends that a loss leaves failed or of unknown fate are counted and do not "
                + "fail the run. Default: a lost connection ends the run."),
        Key.of("reconnectLimit", ValueSyntax.TIME, "60s", "How long the attempts to restore a connection go on before the run ends.")
            .option(8, "--reconnect-limit", OptionSyntax.SECONDS, "TIME"),
        Key.section("thresholds", NestedSections.THRESHOLD, "none", "Limits that figures of the run must keep.").inList()
            .hints("threshold", "limits", "goals")
            .option(6, "--threshold", OptionSyntax.LIST, "LIMIT", null).help("A limit that a figure must keep, like 'response.p99 < 10ms', "
                + "'lost == 0', 'received.rate >= 5k/s' or 'phase(burst).send.max < 1s'; with ', abort' behind it the run ends as soon as "
                + "it is not kept. May be given more than once. A run that passes otherwise ends with exit status 99. Default: none."),
        Key.section("faults", NestedSections.FAULT, "none", "What is done to the broker, its connections or the machine, and when.")
            .inList()
            .hints("fault", "failures", "chaos")
            .option(1, "--fault", OptionSyntax.LIST, "FAULT", null)
            .help("What is done to the broker on purpose, and when: 'kill broker at 20s for "
                + "10s' (kill -9, and a start 10 s later), 'stop', 'pause' (SIGSTOP), 'restart' or 'fill' (its disk is full, by its own limit) instead, 'node 2' or a role of the topology "
                + "instead of broker, or 'run ./script at 20s'; 'cut connection at 20s for "
                + "10s', 'reset', 'blackhole' or 'delay connection by 50ms', of producers or consumers alone, too. Times count from the start of the load. May be given more than once. "
                + "Default: none.")
            .under("Faults"),
        Key.of("pacing", ValueSyntax.PACING, "auto",
            "How a sending thread waits for its next message: park, spin, hybrid (park, then spin), auto (spin only where cores are "
                + "free for it), or tick=500us (park to the end of a tick and send what is due by then: less CPU, later by half a tick).")
            .option(15, "--pacing", OptionSyntax.PACING, "HOW").under("Load")
            .sets(Scenario.Values.class, ValueSyntax::pacing, (its, paced) -> paced.set(its)),
        Key.of("realtime", ValueSyntax.FLAG, "false",
            "Ask the kernel for real-time scheduling of the sending threads, where it is permitted.")
            .option(16, "--realtime", OptionSyntax.FLAG, "", null).under("Load")
            .sets(Scenario.Values.class, ValueSyntax::flag, (its, realtime) -> its.realtime = realtime),
        Key.of("seed", ValueSyntax.SEED, "another one each time", "Seed of everything random: of the order of trials, and of the "
            + "first round; each later round has the next number.")
            .option(4, "--seed", OptionSyntax.SEED, "N", null).help("Seed of everything that is random in the run. Default: another one "
                + "each time, which the result has.")
            .under("Load"),
        PROTOCOL.option(3, "--protocol", OptionSyntax.TEXT, "NAME", null).under(CONNECTION),
        URL.option(1, "--url", OptionSyntax.TEXT, "URL", null).help("Broker URL. Several brokers, failover, TLS and the client's own "
            + "parameters go into it as the client understands them.\n"
            + "Default: tcp://localhost:61616 when something listens there, else a broker started for this run.").under(CONNECTION),
        USER.option(4, "--user", OptionSyntax.TEXT, "NAME", null).under(CONNECTION),
        PASSWORD_FILE.option(6, "--password-file", OptionSyntax.PATH, "FILE", null).under(CONNECTION), PASSWORD_ENV,
        CLIENT_ID.option(7, "--clientID --client-id", OptionSyntax.TEXT, "TEXT", null).under(CONNECTION),
        CONNECT_TIMEOUT.option(10, "--connect-timeout", OptionSyntax.SECONDS, "TIME").under(CONNECTION),
        Key.of("connectRate", ValueSyntax.RATE, "one after the other",
            "Rate at which connections are begun, at most 256 at a time; the result "
                + "has their times. A failed attempt is made again while the connect timeout lasts.")
            .option(12, "--connect-rate", OptionSyntax.RATE, "RATE", null).under(CONNECTION)
            .sets(Scenario.Values.class, Rate::parse, (its, rate) -> its.connecting = its.connecting.at(rate)),
        Key.of("sourceAddresses", ValueSyntax.ADDRESSES, "the system's choice",
            "Addresses of this machine that connections have in turn, as "
                + "127.0.0.2,127.0.0.5-127.0.0.9; each allows about 28,000 connections to one port.")
            .option(13, "--source-address", OptionSyntax.ADDRESSES, "ADDRESS[,ADDRESS]", null).under(CONNECTION)
            .sets(Scenario.Values.class, ValueSyntax::addresses, (its, sources) -> its.connecting = its.connecting.from(sources)),
        PROPERTIES.option(8, "--property", OptionSyntax.NAMED, "NAME=VALUE", null).under(CONNECTION),
        NETWORK.option(1, "--network", OptionSyntax.NETWORK, "RULE", null).under("Network"));

    /** The options without a key in a file, by their heading in the help. */
    static final Map<String, List<Key>> COMMANDS = Map.of(
        CONNECTION, List.of(
            Key.option("--password", 5, OptionSyntax.TEXT, "TEXT", "none",
                "Password; an empty one asks for it on the terminal. Everyone on "
                    + "this machine can read a command line: better BROKERMETER_PASSWORD or --password-file."),
            Key.option("--client-jars", 9, OptionSyntax.TEXT, "PATH[,PATH]", "none", "Jars, or directories of jars, of the provider that "
                + "--protocol JMS uses."),
            Key.option("--acceptor", 11, OptionSyntax.TEXT, "NAME", "none",
                "Accepted for command lines of Artemis, with a warning: there is "
                    + "no broker.xml here whose acceptor it could name, so it has no effect.")),
        OF_CONSUMERS, List.of(
            Key.option("--consumer-password", 4, OptionSyntax.TEXT, "TEXT", "as --password", "Password of the consumers, as --password.")),
        "Login", List.of(
            Key.option("--password", 1, OptionSyntax.TEXT, "TEXT", "none", "Password for every user name in the files that has none of its "
                + "own there (passwordFile, passwordEnv); an empty one asks for it on the terminal. Everyone on this machine can "
                + "read a command line: better BROKERMETER_PASSWORD or --password-file."),
            Key.option("--password-file", 2, OptionSyntax.PATH, "FILE", "none", "File whose first line is that password.")),
        "Throwaway broker", List.of(
            Key.option("--broker-directory", 6, OptionSyntax.PATH, "DIR", "a new one, deleted at the end",
                "Where its files go. A directory that "
                    + "exists is used with what it contains, and kept."),
            Key.option("--keep-broker", 7, OptionSyntax.FLAG, "", "", "Keep its directory, with data and logs, at the end.")),
        "Broker under test", List.of(
            Key.option("--broker-pid", 1, OptionSyntax.TEXT, "N[,N]", "those that listen on the ports of the URL, or that were started for "
                + "this run", "Its processes on this machine."),
            Key.option("--broker-jmx", 2, OptionSyntax.TEXT, "URL", "none; a broker that is started for the run reports its heap by itself",
                "JMX service for heap and garbage collection, as [user:password@]host:port or service:jmx:...; attach starts an "
                    + "agent, on loopback, in each of its JVMs on this machine; none asks no JVM."),
            Key.option("--broker-metrics", 3, OptionSyntax.TEXT, "URL", "none",
                "Prometheus endpoint of the broker; its URL may contain a login."),
            Key.option("--broker-metric", 4, OptionSyntax.LIST, "NAME", "none", "Further metric of that endpoint to keep, as name or "
                + "name{label=\"value\"}."),
            Key.option("--i-own-this-broker", 6, OptionSyntax.FLAG, "", "",
                "Faults may end and stop processes of a broker on this machine that "
                    + "was not started for the run."),
            Key.option("--show-broker", 5, OptionSyntax.FLAG, "", "",
                "Show a line about the broker in the live output; the summary always has its CPU and "
                    + "memory.")),
        "Destinations", List.of(
            Key.option("-u --queue", 1, OptionSyntax.LIST, "NAME", "none", "A destination, as the argument DESTINATION.")),
        "Output", List.of(
            Key.option("--show-latency", 1, OptionSyntax.FLAG, "", "", "Latency lines in the live output; the summary always has them."),
            Key.option("--json", 2, OptionSyntax.PATH, "FILE|-", "none", "Report in JSON: an array, or one object a line in a file named "
                + "*.jsonl; - is standard output, and all other output goes to standard error then."),
            Key.option("--hdr", 3, OptionSyntax.PATH, "FILE", "none", "Report as an HdrHistogram interval log."),
            Key.option("--junit", 3, OptionSyntax.PATH, "FILE", "none", "The result as JUnit XML: a test case for the run and one for each "
                + "threshold."),
            Key.option("--summary", 3, OptionSyntax.PATH, "FILE", "none", "The result in Markdown, added to what the file has, as "
                + "$GITHUB_STEP_SUMMARY."),
            Key.option("--metrics", 3, OptionSyntax.TEXT, "[ADDRESS:]PORT", "none", "Where Prometheus may scrape the run, at /metrics."),
            Key.option("--otlp", 3, OptionSyntax.TEXT, "URL", "none",
                "The receiver of OpenTelemetry (OTLP over HTTP) to which the same metrics are "
                    + "pushed; OTEL_EXPORTER_OTLP_HEADERS has its headers."),
            Key.option("--serve", 3, OptionSyntax.PLACE, "[[ADDRESS:]PORT]", "none; without a value a free port of the loopback interface",
                "Serve the page of the run while it lasts, at a URL that is printed; who knows it may watch the run, change its rate, make its "
                    + "next fault and end it."),
            Key.option("--live", 3, OptionSyntax.FLAG, "", "",
                "Show the run on the whole screen of a terminal while it lasts; q ends it cleanly, a space holds the picture, + and - change the "
                    + "rate, f makes the next fault."),
            Key.option("--out", 4, OptionSyntax.TEXT, "DIR|none", "a new one in ~/.local/state/brokermeter/runs", "Where the files of the "
                + "run go, a new directory: scenario, environment, intervals, times, events, result; none leaves none."),
            Key.option("--id", 6, OptionSyntax.TEXT, "TEXT", "made from the time", "Name of the run in the JSON report."),
            Key.option("--format", 8, OptionSyntax.TEXT, "perf|screen", "screen on a terminal, else perf",
                "How the run is shown: perf has the "
                    + "lines of Artemis perf, screen one live line and a summary on one screen."),
            Key.option("--silent", 8, OptionSyntax.FLAG, "", "", "No live output; the summary is printed all the same."),
            Key.option("--verdict-fails", 8, OptionSyntax.FLAG, "", "", "Exit status 3 for a run that measured the generator and not the "
                + "broker, as with a threshold; else such a run passes or fails like any other."),
            Key.option("--verbose", 9, OptionSyntax.FLAG, "", "", "What the clients log, and the stack trace behind an error.")));

    /** The settings that exclude each other: in files and commands where they are given by keys, in commands alone where by options. */
    static final List<Exclusion> EXCLUSIONS = List.of(
        new Exclusion("broker.name", "url", "one starts a broker for this run, the other names one that runs"),
        new Exclusion("--broker", "--consumer-url", "one starts a broker for this run, the other names one that runs"),
        new Exclusion("load.rate", "load.ratePerProducer", "both set the rate"),
        new Exclusion("--rate", "--load", "both set the rate"),
        new Exclusion("--tx", "--multi-ack-every", "a transaction acknowledges with its commit, every --commit-interval messages"),
        new Exclusion("--group", "--keys", "a group is the one key of all messages"),
        new Exclusion("passwordFile", "passwordEnv", "both set the password"),
        new Exclusion("--password", "--password-file", "both set the password"),
        new Exclusion("--consumer-password", "--consumer-password-file", "both set the password"),
        new Exclusion("--queue", Exclusion.DESTINATION, "both name the destination"));

    private KeyTable() {}

    /** Returns the sections by the shortest path that leads to each, the whole file first. What is in them would take long to compare. */
    static Map<String, Section> sections() {
        Map<String, Section> all = new LinkedHashMap<>(Map.of("", FILE));
        Map<Section, Boolean> seen = new IdentityHashMap<>(Map.of(FILE, true));
        Map<String, Section> level = all;
        while (!level.isEmpty()) {
            Map<String, Section> next = new LinkedHashMap<>();
            level.forEach((path, section) -> section.keys().stream().filter(key -> key.section() != null).forEach(key -> {
                if (seen.put(key.below(), true) == null) {
                    next.put(path.isEmpty() ? key.name() : path + "." + key.name(), key.below());
                }
            }));
            all.putAll(next);
            level = next;
        }
        return all;
    }

    /** Returns the path of the key with a name; several paths are joined by {@code ' or '}. Null when there is no such key. */
    static @Nullable String home(String name) {
        List<String> found = new ArrayList<>();
        sections().forEach((path, section) -> {
            if (section.find(name) != null) {
                found.add(path.isEmpty() ? name : path + "." + name);
            }
        });
        return found.isEmpty() ? null : String.join("' or '", found);
    }
}
