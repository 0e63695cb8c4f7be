package io.brokermeter.experiment.table;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;

/** The sections of a scenario file that stand in its groups, or in the file itself, and have none of {@link KeyTable} in them. */
public final class NestedSections {

    private static final String CONNECTION = "Connection";

    static final Section SOURCE = Section.of("source", "Where the experiment was published.", "document",
        Key.of("document", ValueSyntax.TEXT, "", "Its name."),
        Key.of("table", ValueSyntax.TEXT, "", "The table, section or row in it."),
        Key.of("machine", ValueSyntax.TEXT, "", "What the published figures were measured on."),
        Key.of("url", ValueSyntax.TEXT, "", "Where it can be read."));

    static final Section BROKER = Section.of("broker", "A broker to start for the trials.", "name", "Throwaway broker",
        Key.of("name", ValueSyntax.TEXT, "",
            "Which one: `artemis`, or with a version `artemis:2.44.0`. `brokermeter broker --help` lists them.")
            .hints("kind", "type")
            .option(2, "--broker", OptionSyntax.TEXT, "NAME[:VERSION]", null).help("Start this broker for the run, and end it afterwards, "
                + "whatever listens on localhost; 'brokermeter broker --help' lists them. Default: none.")
            .under(CONNECTION),
        Key.of("version", ValueSyntax.TEXT, "the one that is tested with this release", "Its version."),
        Key.of("topology", ValueSyntax.TEXT, "single", "Arrangement of its processes, such as `primary-backup` of artemis.")
            .option(1, "--broker-topology --topology", OptionSyntax.TEXT, "NAME", null),
        Key.of("heap", ValueSyntax.HEAP, "1g", "Greatest heap of each of its JVMs, as 512m or 2g.").hints("memory")
            .option(2, "--broker-heap", OptionSyntax.TEXT, "SIZE", null),
        Key.of("journal", ValueSyntax.TEXT, "the broker's own", "Type of its journal in its own words, such as `asyncio` of artemis.")
            .option(3, "--broker-journal", OptionSyntax.TEXT, "TYPE", null),
        Key.of("persistence", ValueSyntax.FLAG, "true", "Whether it stores anything.").hints("persistent")
            .option(4, "--broker-no-persistence", OptionSyntax.NO, "", null)
            .help("The broker stores nothing; messages are in its memory alone. Default: off."),
        Key.of("properties", ValueSyntax.TEXTS, "none", "Its own settings, under their own names.")
            .option(5, "--broker-property", OptionSyntax.NAMED, "NAME=VALUE", null),
        Key.of("address", ValueSyntax.TEXT, "loopback",
            "Numeric address of this machine on which the broker listens, for agents on other machines. The broker then has one "
                + "user, with a generated password that is printed nowhere.")
            .option(6, "--broker-address", OptionSyntax.TEXT, "ADDRESS", null).only(Option.Where.RUNS),
        Key.choice("fresh", "trial", "`trial` starts a new broker for each trial; `sweep` keeps it as long as the next trial "
            + "wants an equal one.", "trial", "sweep"),
        Key.of("warmup", ValueSyntax.TIME, "0", "How long each broker that was started serves unmeasured trials before the first one that "
            + "counts: that one runs before as well, as often as the time takes, whatever `scale` is."));

    static final Section DESTINATION = Section.of("destinations", "A queue or a topic, or several that are numbered.", "queue",
        "Destinations",
        Key.of("queue", ValueSyntax.TEXT, "", "Name of a queue: each message goes to one consumer."),
        Key.of("topic", ValueSyntax.TEXT, "", "Name of a topic: each message goes to every subscription."),
        Key.of("count", ValueSyntax.POSITIVE, "1", "Number of destinations; more than 1 makes NAME0 to NAME(N-1), without NAME itself.")
            .option(2, "--num-destinations", OptionSyntax.POSITIVE, "N"),
        Key.of("queues", ValueSyntax.POSITIVE, "the driver's", "RocketMQ's queues of the topic on each broker, the same as "
            + "`properties: {queues: N}`."),
        Key.of("partitions", ValueSyntax.POSITIVE, "the driver's", "Kafka's partitions of the topic, the same as "
            + "`properties: {partitions: N}`."));

    public static final Section MESSAGE = Section.of("message", "What messages are.", "size", "Messages",
        Key.of("size", ValueSyntax.SIZES, "1KiB", "Size of a body, the envelope included.").hints("bytes", "messageSize")
            .option(1, "-s --message-size --size", OptionSyntax.SIZES, "BYTES", "1024")
            .sets(Messages.Values.class, Sizes::parse, (its, sizes) -> its.sizes = sizes),
        Key.of("body", ValueSyntax.CONTENT, "random", "What bodies consist of. Bodies from files and templates have a size of their "
            + "own, and their envelope travels as a property.").hints("content", "payload")
            .option(2, "--body", OptionSyntax.CONTENT, "CONTENT"),
        Key.of("bare", ValueSyntax.FLAG, "false", "Bodies without the 28-byte envelope: any size, but no transfer time and no ledger.")
            .option(3, "--bare", OptionSyntax.FLAG, "", null)
            .sets(Messages.Values.class, ValueSyntax::flag, (its, bare) -> its.bare = bare),
        Key.of("persistent", ValueSyntax.FLAG, "false", "Persistent messages.").hints("durable")
            .option(4, "--persistent", OptionSyntax.FLAG, "", null)
            .sets(Messages.Values.class, ValueSyntax::flag, (its, persistent) -> its.persistent = persistent),
        Key.of("ttl", ValueSyntax.FINE_TIME, "for ever", "Time to live; 0 is for ever.").hints("timeToLive", "expiration")
            .option(5, "--ttl", OptionSyntax.MILLIS, "TIME", "0")
            .sets(Messages.Values.class, ValueSyntax::ttl, (its, millis) -> its.ttlMillis = millis),
        Key.of("deliveryDelay", ValueSyntax.FINE_TIME, "0",
            "How long the broker keeps each message back, in whole milliseconds; how late it "
                + "delivers then is measured.")
            .hints("delay")
            .option(6, "--delivery-delay", OptionSyntax.SECONDS, "TIME")
            .sets(Messages.Values.class, ValueSyntax::fineTime, (its, delay) -> its.deliveryDelay = delay),
        Key.of("keys", ValueSyntax.KEYS, "none", "Groups or keys of messages: one for all, or several and how messages are spread over "
            + "them.").hints("group", "groups", "key")
            .option(9, "--keys", OptionSyntax.KEYS, "KEYS", null)
            .option(8, "--group", OptionSyntax.GROUP, "NAME", null).help("Message group of all messages. Default: none.")
            .sets(Messages.Values.class, Keys::parse, (its, keys) -> its.keys = keys),
        Key.of("priority", ValueSyntax.PRIORITIES, "the protocol's own", "Priority from 0 to 9, or several with their shares, 4:90%,9:10%.")
            .option(7, "--priority", OptionSyntax.TEXT, "N", null)
            .sets(Messages.Values.class, Messages::priorities, (its, priorities) -> its.priorities = priorities),
        Key.of("headers", ValueSyntax.HEADERS, "none", "Properties of messages, which selectors can read.").hints("header", "properties")
            .option(10, "--header", OptionSyntax.NAMED, "NAME=VALUE", null).help("A property of the messages, which selectors can read: "
                + "one value for all, or several with their shares, region={eu:30%,us:70%}. May be given more than once. Default: none."),
        Key.of("ids", ValueSyntax.FLAG, "false", "Messages with message ids.").option(11, "--enable-msg-id", OptionSyntax.FLAG, "", null)
            .sets(Messages.Values.class, ValueSyntax::flag, (its, ids) -> its.messageIds = ids),
        Key.of("timestamps", ValueSyntax.FLAG, "false", "Messages with timestamps.")
            .option(12, "--enable-timestamp", OptionSyntax.FLAG, "", null)
            .sets(Messages.Values.class, ValueSyntax::flag, (its, stamped) -> its.timestamps = stamped));

    public static final Section LOAD = Section.of("load", "How much is sent when, over all producers of a group together.", "rate", "Load",
        Key.of("rate", ValueSyntax.LOAD, "unlimited", "A rate, `unlimited`, `none`, or a shape.").hints("shape", "target")
            .option(1, "-r --rate", OptionSyntax.RATE, "RATE", null).help("Messages a second over all producers together: 500, 37k, 0.5, "
                + "90/m. Default: as fast as --max-pending allows.")
            .option(3, "--load", OptionSyntax.TEXT, "SHAPE", null).help("A load that changes, instead of --rate: steps:1k@10s,1k..5k@30s "
                + "(a step, a ramp; the last rate holds), sine:5k,4k@30s (mean, amplitude, period), bursts:10k@1s/4s (rate, burst, "
                + "silence), poisson:5k (random arrivals), trace:FILE (the time stamps of a log's lines).\nDefault: none."),
        Key.of("ratePerProducer", ValueSyntax.LOAD, "", "The same for each producer, in place of `rate`.")
            .option(2, "--rate-per-producer", OptionSyntax.RATE, "RATE", null)
            .help("Messages a second of each producer, instead of --rate. Default: none."),
        Key.of("messages", ValueSyntax.COUNT, "0", "Messages to send over all producers together; 0 is no limit.")
            .hints("count", "messageCount")
            .option(5, "-C --message-count --pmessages", OptionSyntax.COUNT, "N")
            .sets(ProducerGroupSpec.Draft.class, Units::count, (side, messages) -> side.messageCount = messages));

    static final Section REQUEST = Section.of("request", "Makes producers requesters, which wait for replies.", "timeout",
        "Requests and replies",
        Key.of("timeout", ValueSyntax.TIME, "10s", "After how long a request counts as not answered and makes room for the next.")
            .option(2, "--reply-timeout", OptionSyntax.SECONDS, "TIME"))
        .orSwitched();

    static final Section SUMMARIZE = Section.of("summarize", "Makes consumers publish how many messages they get.", "to",
        Key.of("to", ValueSyntax.DESTINATION, "", "Where the counts go."),
        Key.of("every", ValueSyntax.TIME, "1s", "The length of the stretches of time that are counted."),
        Key.of("sum", ValueSyntax.TEXT, "none",
            "A text: in place of messages, the whole numbers that follow it in each message are added up."));

    static final Section PHASE = Section.of("phases", "A part of the run with a load and results of its own.", "",
        Key.of("name", ValueSyntax.TEXT, "", "Its name."),
        Key.of("duration", ValueSyntax.TIME, "", "How long it takes.").hints("length"),
        Key.of("load", ValueSyntax.LOADS, "each group's own", "Its load; or the loads of groups by their names.").hints("rate"));

    static final Section THRESHOLD = Section.of("thresholds", "A limit that a figure of the run must keep; a run that passes otherwise "
        + "ends with exit code 99 where it does not. docs/scenarios.md lists the figures.", "check",
        Key.of("check", ValueSyntax.THRESHOLD, "", "The figure, a comparison, and the limit with its unit."),
        Key.of("abort", ValueSyntax.FLAG, "false", "Look at it after each interval, and end the run as soon as the limit is not kept."));

    public static final Section AGENTS = Section.of("agents",
        "Agents that run it together, each some of its producers and consumers.", "hosts", "Agents",
        Key.of("hosts", ValueSyntax.AGENTS, "none", "A number of agents to start on this machine for the run, or the hosts on which agents "
            + "run, `host1,host2:7801`, or `dns:NAME` for all addresses that a name has, as in Kubernetes.")
            .hints("who", "members", "names")
            .option(1, "--agents", OptionSyntax.AGENTS, "N|HOST[:PORT],...|dns:NAME", null),
        Key.of("keyFile", ValueSyntax.PATH, "none", "File with the key of the cluster, which agents on other machines need.")
            .hints("key").option(2, "--key", OptionSyntax.PATH, "FILE", null),
        Key.of("expect", ValueSyntax.POSITIVE, "all that are named; one of those behind dns:NAME",
            "How many agents must be there before the run begins.")
            .option(5, "--expect", OptionSyntax.POSITIVE, "N", null),
        Key.of("within", ValueSyntax.TIME, "60s", "How long to wait for the agents. Then the run ends and says which are missing.")
            .hints("timeout")
            .option(6, "--within", OptionSyntax.SECONDS, "TIME"),
        Key.choice("onLoss", "end", "What the run does when an agent is lost: it ends with a summary of what is known, or goes "
            + "on with the other agents.", "end", "continue")
            .option(7, "--on-agent-loss", OptionSyntax.TEXT, "end|continue"),
        Key.choice("deploy", "none",
            "How agents get to hosts on which none runs: `ssh` copies this installation there if it is missing, starts an agent "
                + "with the user's own ssh, and ends the agent with the run.",
            "none", "ssh")
            .option(8, "--deploy", OptionSyntax.TEXT, "none|ssh"));

    private static final String[] ENDS = {Fault.CONNECTION, Fault.PRODUCERS, Fault.CONSUMERS};

    static final Section FAULT = Section.of("faults",
        "Something that is done on purpose at a moment of the run. It has one of the keys from "
            + "`kill` to `delay`, whose value says to whom: `broker`, `node 2`, the role of a process of its topology, as `slave`; a broker that "
            + "was not started for the run needs --i-own-this-broker, and may be `pid 4711` or `port 61616` as well. docs/failover.md has more.",
        "fault",
        Key.of("fault", ValueSyntax.FAULT, "", "All of it as a text, in place of the other keys."),
        Key.of("at", ValueSyntax.TIME, "", "When, since the start of the load, warm-up included."),
        Key.of("kill", ValueSyntax.TEXT, "", action(Fault.Action.KILL)),
        Key.of("stop", ValueSyntax.TEXT, "", action(Fault.Action.STOP)),
        Key.of("pause", ValueSyntax.TEXT, "", action(Fault.Action.PAUSE)).hints("freeze", "suspend"),
        Key.of("restart", ValueSyntax.TEXT, "", action(Fault.Action.RESTART)),
        Key.of("fill", ValueSyntax.TEXT, "", action(Fault.Action.FILL)).hints("full", "diskFull", "quota"),
        Key.of("run", ValueSyntax.TEXT, "", action(Fault.Action.RUN)).hints("command", "exec"),
        Key.choice("cut", "", action(Fault.Action.CUT), ENDS),
        Key.choice("reset", "", action(Fault.Action.RESET), ENDS),
        Key.choice("blackhole", "", action(Fault.Action.BLACKHOLE), ENDS).hints("partition", "blackHole", "drop"),
        Key.choice("delay", "", action(Fault.Action.DELAY), ENDS),
        Key.of("by", ValueSyntax.FINE_TIME, "", "What `delay` adds each way."),
        Key.of("for", ValueSyntax.TIME, "up to the end of the load; a process that was ended is not started again", "How long.")
            .hints("duration", "length"));

    private NestedSections() {}

    private static String action(Fault.Action action) {
        return Character.toUpperCase(action.doc().charAt(0)) + action.doc().substring(1) + ".";
    }
}
