package io.brokermeter.experiment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.experiment.access.AccessReader;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.AgentReader;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.BrokerReader;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.access.RunFile;
import io.brokermeter.experiment.table.Exclusion;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.KeyTable;
import io.brokermeter.experiment.table.NestedSections;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** Creates a workload and a broker from a file that was validated and has no sweep. */
public final class Binder {

    private static final String LABEL = "[A-Za-z0-9][A-Za-z0-9._/-]{0,62}";
    private static final int MOST_DESTINATIONS = 100_000;
    /** The distance between the seeds of two groups; large, so that groups of runs with neighbouring seeds have nothing in common. */
    static final long SEEDS_APART = 0x9E3779B97F4A7C15L;

    private final SectionValues file;
    private final Path base;
    private final FileErrors errors;
    private final long seed;
    /** The file, completed by the numbers of producers and consumers that follow from its agents. */
    private Tree.Fields counted;

    Binder(Tree.Fields file, Path base, long seed, FileErrors errors) {
        this.file = new SectionValues(KeyTable.FILE, file, "", base, errors);
        this.counted = file;
        this.base = base;
        this.errors = errors;
        this.seed = seed;
    }

    /** The destinations of a group, and the parameters of its client that follow from them. */
    private record Places(List<Destination> all, Map<String, String> properties) {}

    /** Returns the workload, or null when there were errors. */
    @Nullable Workload workload() {
        EndpointChoice shared = AccessReader.read(file, EndpointChoice.OPEN);
        Agents agents = AgentReader.agents(file);
        List<AgentChoice> on = new ArrayList<>();
        List<ProducerGroupSpec> producers = new ArrayList<>();
        List<EndpointChoice> producerAccess = new ArrayList<>();
        for (SectionValues group : groups("producers")) {
            Places places = places(group);
            EndpointChoice access = AccessReader.read(group, shared, places.properties());
            AgentChoice choice = AgentReader.choice(group, file, agents);
            boolean apart = access.clientId() == null && (queues(places.all()) || !loopback(access) && !subscribesLate());
            int count = count(group, "producers." + producers.size(), places.all(), apart ? choice.count(agents.named()) : 1);
            ProducerGroupSpec side = places.all().isEmpty() ? null : producer(group, places.all(), access, producers.size(), count);
            if (side != null) {
                producers.add(side);
                producerAccess.add(access);
                on.add(apart && !group.has("count") ? choice.left() : choice);
            }
        }
        List<ConsumerGroupSpec> consumers = new ArrayList<>();
        List<EndpointChoice> consumerAccess = new ArrayList<>();
        for (SectionValues group : groups("consumers")) {
            Places places = places(group);
            EndpointChoice access = AccessReader.read(group, shared, places.properties());
            AgentChoice choice = AgentReader.choice(group, file, agents);
            boolean apart = access.clientId() == null && !group.has("summarize") && !group.has("messages")
                && (queues(places.all()) || group.number("shared", 0) > 0 && !loopback(access));
            int count = count(group, "consumers." + consumers.size(), places.all(), apart ? choice.count(agents.named()) : 1);
            ConsumerGroupSpec side = places.all().isEmpty() ? null : consumer(group, places.all(), access, count);
            if (side != null) {
                consumers.add(side);
                consumerAccess.add(access);
                on.add(apart && !group.has("count") ? choice.left() : choice);
            }
        }
        unique(producers.stream().map(ProducerGroupSpec::name).toList(), "producers", "groups");
        unique(consumers.stream().map(ConsumerGroupSpec::name).toList(), "consumers", "groups");
        TimesReader times = new TimesReader(file, base, seed, errors);
        List<Phase> phases = times.phases(producers);
        unique(phases.stream().map(Phase::name).toList(), "phases", "phases");
        Limits limits = times.limits(phases);
        if (errors.isEmpty() && producers.isEmpty() && consumers.isEmpty()) {
            file.wrong("it has neither 'producers' nor 'consumers', so nothing would happen.");
        }
        labels();
        if (!errors.isEmpty()) {
            return null;
        }
        try {
            Scenario scenario = Scenario.of(file.text("name", "scenario"), limits, its -> {
                its.producers = producers;
                its.consumers = consumers;
                its.phases = phases;
                file.fill(its);
                its.seed = seed;
            });
            List<Threshold> thresholds = thresholds(scenario);
            List<Fault> faults = FaultReader.read(file, groups("faults"), scenario);
            SectionValues broker = file.below("broker");
            if (broker != null && !faults.isEmpty() && !broker.read("warmup", Duration.ZERO, ValueSyntax::time).isZero()) {
                broker.wrong("warmup", "the unmeasured trials would have the faults, too; leave it or 'faults' out.");
            }
            if (!errors.isEmpty()) {
                return null;
            }
            return new Workload(scenario.with(thresholds).withFaults(faults), producerAccess, consumerAccess, agents, on,
                RunFile.of(counted, base, seed));
        } catch (UsageException e) {
            file.wrong(errors.named(e));
            return null;
        }
    }

    /**
     * Returns the number of producers or consumers that a group has on each destination: where the group does not set it, enough for one on
     * each agent on which the group may be placed. Such a number is added to the file.
     *
     * @param agents number of these agents; 1 where more producers or consumers would change the load, or would be refused
     */
    private int count(SectionValues group, String path, List<Destination> destinations, int agents) {
        if (group.has("count") || agents <= destinations.size() || destinations.isEmpty()) {
            return group.number("count", 1);
        }
        int count = Math.ceilDiv(agents, destinations.size());
        counted = KeyPath.set(counted, path + ".count", RunFile.leaf(Integer.toString(count)), group.fields().location());
        return count;
    }

    /** Returns whether there are only queues: on a topic each consumer gets all messages, so another consumer changes the load. */
    private static boolean queues(List<Destination> destinations) {
        return destinations.stream().noneMatch(Destination::isTopic);
    }

    private static boolean loopback(EndpointChoice access) {
        return "LOOPBACK".equals(access.protocol());
    }

    /** Returns whether consumers subscribe after the start: only the agent of all producers knows which messages they miss on a topic. */
    private boolean subscribesLate() {
        return groups("consumers").stream().anyMatch(group -> group.has("start") && !group.flag("durable"));
    }

    private void labels() {
        file.texts("labels").forEach((name, value) -> {
            if (!name.matches(LABEL) || name.startsWith("git.")) {
                file.wrong("labels", "'" + name + "' cannot be the name of a label: letters, digits, '.', '_', '-' and '/', not beginning "
                    + "with 'git.', which stands for the commit of the current directory.");
            } else if (value.chars().anyMatch(Character::isISOControl)) {
                file.wrong("labels", "the value of '" + name + "' has a control character; a label is one line.");
            }
        });
    }

    /** Returns the broker to start, or null for none. */
    @Nullable BrokerChoice broker() {
        List<SectionValues> groups = new ArrayList<>(groups("producers"));
        groups.addAll(groups("consumers"));
        return BrokerReader.read(file, groups);
    }

    private List<SectionValues> groups(String name) {
        Tree tree = file.fields().get(name);
        List<SectionValues> all = new ArrayList<>();
        if (tree instanceof Tree.Items list) {
            for (int i = 0; i < list.items().size(); i++) {
                SectionValues one = file.of(name, list.items().get(i), name + "." + i);
                if (one != null) {
                    all.add(one);
                }
            }
        } else if (tree != null && file.has(name)) {
            SectionValues one = file.of(name, tree, name);
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    /** Returns the name of a group that the file gives none, by its path: {@code producers}, or {@code producers-2} at {@code producers.1}. */
    static String defaultName(String path) {
        int dot = path.indexOf('.');
        return dot < 0 ? path : path.substring(0, dot) + "-" + (1 + Integer.parseInt(path.substring(dot + 1)));
    }

    private void unique(List<String> names, String which, String what) {
        Set<String> seen = new LinkedHashSet<>();
        for (String name : names) {
            if (!seen.add(name)) {
                file.wrong(which, "two " + what + " are called '" + name + "'; give each a name of its own.");
            }
        }
    }

    private Places places(SectionValues group) {
        SectionValues from = group.has("destinations") ? group : file;
        Tree tree = from.fields().get("destinations");
        if (tree == null || !from.has("destinations")) {
            group.wrong("it has no destinations; say 'destinations: [queue://NAME]' here or for the whole file.");
            return new Places(List.of(), Map.of());
        }
        List<Tree> items = Tree.items(tree);
        Set<Destination> all = new LinkedHashSet<>();
        Map<String, String> properties = null;
        for (int i = 0; i < items.size(); i++) {
            SectionValues one = from.of("destinations", items.get(i), tree instanceof Tree.Items ? "destinations." + i : "destinations");
            if (one == null) {
                continue;
            }
            numbered(one, all);
            Map<String, String> own = new LinkedHashMap<>();
            for (String name : List.of("queues", "partitions")) {
                String text = one.text(name);
                if (text != null) {
                    own.put(name, Integer.toString(ValueSyntax.number(text, 1)));
                }
            }
            if (properties != null && !properties.equals(own)) {
                one.wrong("its queues or partitions differ from those of the others; destinations that differ so need groups "
                    + "of their own.");
            }
            properties = own;
        }
        return new Places(List.copyOf(all), properties == null ? Map.of() : properties);
    }

    private static void numbered(SectionValues one, Set<Destination> all) {
        String queue = one.text("queue");
        String topic = one.text("topic");
        if ((queue == null) == (topic == null)) {
            one.wrong("a destination has either a 'queue' or a 'topic' with its name.");
            return;
        }
        String name = queue != null ? queue : topic;
        Destination.Kind kind = queue != null ? Destination.Kind.QUEUE : Destination.Kind.TOPIC;
        for (String scheme : List.of("queue", "topic")) {
            if (String.valueOf(name).startsWith(scheme + "://")) {
                one.wrong(queue != null ? "queue" : "topic", "a name has no '" + scheme + "://' before it; write '" + scheme + ": "
                    + String.valueOf(name).substring(scheme.length() + 3) + "'.");
                return;
            }
        }
        int count = one.number("count", 1);
        if (count > MOST_DESTINATIONS) {
            one.wrong("count", count + " are more than 100,000 destinations.");
            return;
        }
        try {
            Destination first = new Destination(kind, String.valueOf(name));
            for (int i = 0; i < count; i++) {
                Destination next = one.has("count") && count > 1 ? first.withSuffix(Integer.toString(i)) : first;
                if (!all.add(next)) {
                    one.wrong("Destination " + next + " is named twice.");
                    return;
                }
            }
        } catch (IllegalArgumentException e) {
            one.wrong(Validator.sentence(e));
        }
    }

    private @Nullable ProducerGroupSpec producer(SectionValues group, List<Destination> destinations, EndpointChoice access, int number,
            int count) {
        String name = group.text("name", defaultName(group.path()));
        SectionValues load = group.has("load") ? group.below("load") : file.below("load");
        SectionValues requesting = group.below("request");
        RequestReply request = requesting == null ? null : requesting.read("timeout", text -> new RequestReply(ValueSyntax.time(text)));
        Messages messages = messages(group);
        if (messages == null) {
            return null;
        }
        return built(group, () -> ProducerGroupSpec.plain(access.placeholder(), destinations, 1, messages).with(side -> {
            group.fill(side);
            side.name = name;
            side.perDestination = count;
            side.load = load(load, seed + number * SEEDS_APART, Math.multiplyExact(count, destinations.size()));
            side.start = start(group);
            if (load != null) {
                load.fill(side);
            }
            side.request = request;
        }));
    }

    private Load load(@Nullable SectionValues load, long ownSeed, int producers) {
        if (load == null) {
            return new Load.AllOut();
        }
        if (load.text("rate") != null && load.text("ratePerProducer") != null) {
            load.wrong("ratePerProducer", Exclusion.inFile("load.rate", "load.ratePerProducer"));
        }
        Load each = load.read("ratePerProducer", new Load.AllOut(), text -> ValueSyntax.load(text, ownSeed, base).times(producers));
        return load.read("rate", each, text -> ValueSyntax.load(text, ownSeed, base));
    }

    private @Nullable Messages messages(SectionValues group) {
        SectionValues shared = file.below("message");
        SectionValues own = group.below("message");
        Tree.Fields none = Tree.Fields.none(group.fields().location());
        Tree.Fields merged = GroupMessage.merged(shared == null ? none : shared.fields(), own == null ? none : own.fields());
        SectionValues message = new SectionValues(NestedSections.MESSAGE, merged, own == null ? "message" : group.path() + ".message", base,
            errors);
        List<Header> headers = new ArrayList<>();
        if (message.fields().get("headers") instanceof Tree.Fields written) {
            written.fields().forEach((name, field) -> {
                if (!Tree.isNothing(field.value())) {
                    headers.add(Header.parse(name, field.value() instanceof Tree.Fields shares ? Validator.headerText(shares)
                        : field.value().flow()));
                }
            });
        }
        Content content = message.read("body", (Content) new Content.Random(), text -> Content.parse(text, base));
        if (content.verbatim() && message.text("size") != null) {
            message.wrong("size", "it has no effect with a " + message.name("body") + " of a file or a template, which decides the size "
                + "itself; leave one out.");
        }
        return built(message, () -> Messages.of(its -> {
            message.fill(its);
            its.content = content;
            its.headers = headers;
        }));
    }

    private @Nullable ConsumerGroupSpec consumer(SectionValues group, List<Destination> destinations, EndpointChoice access, int count) {
        int batch = group.number("batch", 1);
        AckMode mode = group.read("ackMode", batch > 1 ? AckMode.BATCH : AckMode.AUTO,
            text -> AckMode.valueOf(text.toUpperCase(Locale.ROOT)));
        if (mode == AckMode.AUTO && batch > 1) {
            group.wrong("ackMode", "'auto' acknowledges each message by itself; leave out 'batch', or say batch.");
        }
        if (group.flag("keepSubscriptions") && !group.flag("durable")) {
            group.wrong("keepSubscriptions", "it needs " + group.name("durable") + ": other subscriptions end with the run.");
        }
        SectionValues counting = group.below("summarize");
        Summarizer summarizer = counting == null ? null : summarizer(counting);
        return built(group, () -> ConsumerGroupSpec.plain(access.placeholder(), destinations).with(side -> {
            group.fill(side);
            side.name = group.text("name", defaultName(group.path()));
            side.perDestination = count;
            side.ackMode = mode;
            side.batch = batch;
            side.start = start(group);
            side.summarizer = summarizer;
        }));
    }

    private static @Nullable Summarizer summarizer(SectionValues counting) {
        String to = counting.text("to");
        if (to == null) {
            counting.wrong("it needs 'to', the destination of the counts.");
            return null;
        }
        return built(counting, () -> new Summarizer(ValueSyntax.destination(to),
            counting.read("every", ValueSyntax::time), counting.text("sum")));
    }

    private static Start start(SectionValues group) {
        return group.read("start", Start.AT_ONCE, Start::parse)
            .withRamp(group.read("ramp", ValueSyntax::time));
    }

    private List<Threshold> thresholds(Scenario scenario) {
        List<Threshold> all = new ArrayList<>();
        for (SectionValues one : groups("thresholds")) {
            String text = one.text("check");
            if (text == null) {
                one.wrong("a threshold needs a 'check', like response.p99 < 10ms.");
                continue;
            }
            try {
                Threshold threshold = Threshold.parse(text);
                Threshold whole = one.flag("abort") ? threshold.aborting() : threshold;
                whole.requireIn(scenario);
                all.add(whole);
            } catch (UsageException e) {
                one.wrong("check", Validator.sentence(e));
            }
        }
        return all;
    }

    interface Maker<T> {
        T make();
    }

    static <T> @Nullable T built(SectionValues values, Maker<T> maker) {
        try {
            return maker.make();
        } catch (UsageException e) {
            values.wrong(values.complaints().named(e));
        } catch (ArithmeticException e) {
            values.wrong("it is too many: the number of producers is out of range.");
        }
        return null;
    }
}
