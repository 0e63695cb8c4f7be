package io.brokermeter.experiment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Header;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Weighted;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.UrlLogin;
import org.jspecify.annotations.Nullable;

/** Writes a workload as a scenario file that reads back to the same. */
public final class WorkloadWriter {

    private static final Place NOWHERE = new Place("", 0, 0);

    private WorkloadWriter() {}

    /**
     * The text of a scenario file. No password is in it: where one stood among the parameters of a client, {@code ***} stands.
     *
     * @param name of the experiment
     * @param broker the broker to start for it, or null for none
     */
    public static String write(String name, Workload workload, @Nullable BrokerChoice broker) {
        return TreeWriter.write(Redaction.of(tree(name, workload, broker)));
    }

    private static Tree.Fields tree(String name, Workload workload, @Nullable BrokerChoice broker) {
        Scenario scenario = workload.scenario();
        Writing file = new Writing();
        file.text("name", name);
        if (broker != null) {
            file.put("broker", broker(broker));
        }
        List<Tree> producers = new ArrayList<>();
        for (int i = 0; i < scenario.producers().size(); i++) {
            producers.add(producers(scenario.producers().get(i), workload.producers().get(i)));
        }
        file.list("producers", producers);
        List<Tree> consumers = new ArrayList<>();
        for (int i = 0; i < scenario.consumers().size(); i++) {
            consumers.add(consumers(scenario.consumers().get(i), workload.consumers().get(i)));
        }
        file.list("consumers", consumers);
        file.list("phases", scenario.phases().stream().map(WorkloadWriter::phase).toList());
        Limits limits = scenario.limits();
        file.time("warmup", limits.warmup());
        file.time("duration", limits.duration());
        file.plain("drainTimeout", Texts.time(limits.drainTimeout()));
        file.plain("interval", Texts.time(limits.interval()));
        file.flag("allowLoss", limits.allowLoss());
        if (scenario.pacing() != Pacing.AUTO) {
            file.plain("pacing", scenario.pacing().name().toLowerCase(Locale.ROOT));
        }
        file.flag("realtime", scenario.realtime());
        file.plain("seed", Long.toString(scenario.seed()));
        return file.fields;
    }

    private static Tree.Fields broker(BrokerChoice broker) {
        Writing out = new Writing();
        out.text("name", broker.name().name());
        broker.name().version().ifPresent(version -> out.text("version", version));
        BrokerChoice plain = BrokerChoice.of(broker.name());
        out.textUnless("topology", broker.topology(), plain.topology());
        out.textUnless("heap", broker.heap(), plain.heap());
        if (broker.journal() != null) {
            out.text("journal", broker.journal());
        }
        if (!broker.persistence()) {
            out.plain("persistence", "false");
        }
        out.texts("properties", broker.properties());
        if (broker.fresh() != BrokerChoice.Fresh.TRIAL) {
            out.plain("fresh", broker.fresh().name().toLowerCase(Locale.ROOT));
        }
        return out.fields;
    }

    private static void access(Writing out, Access access) {
        out.textOrNone("protocol", access.protocol());
        UrlLogin login = access.url() == null ? null : UrlLogin.of(access.url());
        out.textOrNone("url", login == null ? access.url() : login.url());
        out.textOrNone("user", access.who());
        Path secret = access.passwordFile();
        out.textOrNone("passwordFile", secret == null ? null : secret.toAbsolutePath().normalize().toString());
        out.textOrNone("passwordEnv", login != null && login.password() != null ? Access.PASSWORD_VARIABLE
                : access.passwordVariable());
        out.textOrNone("clientId", access.clientId());
        if (!access.connectTimeout().equals(Access.CONNECT_TIMEOUT)) {
            out.plain("connectTimeout", Texts.time(access.connectTimeout()));
        }
        out.texts("properties", access.properties());
    }

    private static Tree.Fields producers(ProducerSide side, Access access) {
        Writing out = new Writing();
        out.text("name", side.name());
        access(out, access);
        out.list("destinations", destinations(side.destinations()));
        out.plain("count", Integer.toString(side.perDestination()));
        out.number("threads", side.threads(), 1);
        out.flag("sharedConnections", side.sharedConnections());
        out.plain("maxPending", Integer.toString(side.maxPending()));
        Writing load = new Writing();
        load.plain("rate", Texts.load(side.load()));
        load.number("messages", side.messageCount(), 0);
        out.put("load", load.fields);
        out.number("batch", side.batch(), 1);
        if (!side.thinkTime().isNone()) {
            out.plain("thinkTime", Texts.processing(side.thinkTime()));
        }
        start(out, side.start());
        out.put("message", message(side.messages()));
        out.number("commitInterval", side.commitInterval(), 0);
        out.share("rollback", side.rollbackShare());
        if (side.request() != null) {
            Writing request = new Writing();
            request.plain("timeout", Texts.time(side.request().timeout()));
            out.put("request", request.fields);
        }
        return out.fields;
    }

    private static void start(Writing out, Start start) {
        if (!start.isWithRun()) {
            out.plain("start", Texts.start(start));
        }
        out.time("ramp", start.ramp());
    }

    private static Tree.Fields message(Messages messages) {
        Writing out = new Writing();
        if (!messages.content().verbatim()) {
            out.plain("size", Texts.sizes(messages.sizes()));
        }
        if (!(messages.content() instanceof Content.Random)) {
            out.text("body", Texts.content(messages.content()));
        }
        out.flag("bare", messages.bare());
        out.flag("persistent", messages.persistent());
        out.time("ttl", Duration.ofMillis(messages.ttlMillis()));
        out.time("deliveryDelay", messages.deliveryDelay());
        if (messages.keys() != null) {
            out.text("keys", Texts.keys(messages.keys()));
        }
        if (!messages.priorities().isEmpty()) {
            out.plain("priority", messages.priorities().size() == 1 ? Integer.toString(messages.priorities().getFirst().value())
                    : Texts.weighted(messages.priorities(), ":", priority -> Integer.toString(priority)));
        }
        if (!messages.headers().isEmpty()) {
            Writing headers = new Writing();
            for (Header header : messages.headers()) {
                headers.put(header.name(), header(header));
            }
            out.put("headers", headers.fields);
        }
        out.flag("ids", messages.messageIds());
        out.flag("timestamps", messages.timestamps());
        return out.fields;
    }

    private static Tree header(Header header) {
        if (header.values().size() == 1) {
            return new Tree.Leaf(header.values().getFirst().value(), true, NOWHERE);
        }
        Writing shares = new Writing();
        for (Weighted<String> value : header.values()) {
            shares.plain(value.value(), Texts.number(value.share()));
        }
        return shares.fields;
    }

    private static Tree.Fields consumers(ConsumerSide side, Access access) {
        Writing out = new Writing();
        out.text("name", side.name());
        access(out, access);
        out.list("destinations", destinations(side.destinations()));
        out.plain("count", Integer.toString(side.perDestination()));
        out.number("shared", side.sharedSubscriptions(), 0);
        out.flag("durable", side.durable());
        out.flag("keepSubscriptions", side.keepSubscriptions());
        if (side.ackMode() != AckMode.AUTO) {
            out.plain("ackMode", side.ackMode().name().toLowerCase(Locale.ROOT));
        }
        out.number("batch", side.batch(), 1);
        out.number("connections", side.connections(), 0);
        out.number("prefetch", side.prefetch(), -1);
        out.flag("polling", side.polling());
        if (!side.processing().isNone()) {
            out.plain("processing", Texts.processing(side.processing()));
        }
        if (side.rate() != null) {
            out.plain("rate", Texts.rate(side.rate()));
        }
        out.share("requeue", side.requeueShare());
        out.share("reject", side.rejectShare());
        start(out, side.start());
        out.number("messages", side.messageCount(), 0);
        out.textOrNone("selector", side.selector());
        out.flag("reply", side.replies());
        if (side.summarizer() != null) {
            Writing counts = new Writing();
            counts.text("to", side.summarizer().to().toString());
            counts.plain("every", Texts.time(side.summarizer().every()));
            if (side.summarizer().sum() != null) {
                counts.text("sum", side.summarizer().sum());
            }
            out.put("summarize", counts.fields);
        }
        return out.fields;
    }

    private static Tree phase(Phase phase) {
        Writing out = new Writing();
        out.text("name", phase.name());
        out.plain("duration", Texts.time(phase.length()));
        Load all = phase.loads().get("");
        if (all != null) {
            out.plain("load", Texts.load(all));
        } else if (!phase.loads().isEmpty()) {
            Writing loads = new Writing();
            phase.loads().forEach((group, load) -> loads.plain(group, Texts.load(load)));
            out.put("load", loads.fields);
        }
        return out.fields;
    }

    /** Destinations that only differ by their number go on one line. */
    private static List<Tree> destinations(List<Destination> all) {
        List<Tree> list = new ArrayList<>();
        int i = 0;
        while (i < all.size()) {
            Destination first = all.get(i);
            int run = 0;
            if (first.name().length() > 1 && first.name().endsWith("0")) {
                Destination stem = new Destination(first.kind(), first.name().substring(0, first.name().length() - 1));
                while (i + run < all.size() && all.get(i + run).equals(stem.withSuffix(Integer.toString(run)))) {
                    run++;
                }
            }
            if (run > 1) {
                Writing out = new Writing();
                out.text(first.isTopic() ? "topic" : "queue", first.name().substring(0, first.name().length() - 1));
                out.plain("count", Integer.toString(run));
                list.add(out.fields);
                i += run;
            } else {
                list.add(new Tree.Leaf(first.toString(), true, NOWHERE));
                i++;
            }
        }
        return list;
    }

    /** A section that is being written. What is as it would be without the key is left out. */
    private static final class Writing {

        private Tree.Fields fields = Tree.Fields.none(NOWHERE);

        void put(String name, Tree value) {
            fields = fields.with(name, value, NOWHERE);
        }

        void plain(String name, String text) {
            put(name, new Tree.Leaf(text, false, NOWHERE));
        }

        void text(String name, String text) {
            put(name, new Tree.Leaf(text, true, NOWHERE));
        }

        void textOrNone(String name, @Nullable String text) {
            if (text != null) {
                text(name, text);
            }
        }

        void textUnless(String name, String text, String otherwise) {
            if (!text.equals(otherwise)) {
                text(name, text);
            }
        }

        void flag(String name, boolean value) {
            if (value) {
                plain(name, "true");
            }
        }

        void number(String name, long value, long otherwise) {
            if (value != otherwise) {
                plain(name, Long.toString(value));
            }
        }

        void share(String name, double value) {
            if (value != 0) {
                plain(name, Texts.share(value));
            }
        }

        void time(String name, Duration value) {
            if (!value.isZero()) {
                plain(name, Texts.time(value));
            }
        }

        void list(String name, List<Tree> items) {
            if (!items.isEmpty()) {
                put(name, new Tree.Items(items, NOWHERE));
            }
        }

        void texts(String name, Map<String, String> texts) {
            if (!texts.isEmpty()) {
                Writing all = new Writing();
                texts.forEach(all::text);
                put(name, all.fields);
            }
        }
    }
}
