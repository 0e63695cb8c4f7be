package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.published.Figure;
import io.brokermeter.experiment.published.Published;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials of a scenario file and their order, overrides, scale, and files that are written and read back. */
class ExperimentTest {

    private static final String SWEPT = """
        seed: 7
        destinations: [{topic: T, queues: 4}]
        producers: {maxPending: 1000}
        load: {rate: 37k/s, messages: 100000}
        sweep: {destinations.0.queues: [4, 8], load.rate: [37k/s, unlimited]}
        repeat: 3
        published: [{destinations.0.queues: 4, load.rate: 37k/s, sent: 29922.20/s, success: 100%}, {note: elsewhere}]
        """;

    private static final String RICH = """
        name: rich
        broker: {name: artemis, version: 2.44.0, heap: 2g, persistence: false, properties: {a.b: "1"}, fresh: sweep}
        protocol: core
        user: me
        passwordEnv: SECRET
        clientId: id
        properties: {p: q}
        destinations: [{queue: Q, count: 3}, topic://B]
        message:
          size: lognormal:1KiB,0.8
          persistent: true
          ttl: 90ms
          deliveryDelay: 2s
          keys: zipf:1000,1.1
          priority: 4:90%,9:10%
          headers: {colour: "7", region: {eu: 30%, us: 70%}}
          ids: true
        producers:
          - {name: fast, count: 2, threads: 2, sharedConnections: true, maxPending: 100, load: "steps:1k@10s,1k..5k@30s", batch: 4,
             thinkTime: "uniform:1ms..5ms", start: 5s, ramp: 2s, commitInterval: 10, rollback: 10%}
          - {destinations: C, load: {rate: "poisson:5k"}, request: 3s, properties: {r: s}, message: {body: "text:a: {b} #c\\n"}}
        consumers:
          - {destinations: [topic://B], shared: 2, durable: true, ackMode: transacted, batch: 10, prefetch: 50, rate: 90/m}
          - {name: slow, destinations: C, processing: exponential:3ms, requeue: 1%, reject: 0.5%, polling: true,
             start: after-producers, selector: "a = 'b'", reply: true, summarize: {to: topic://COUNTS, every: 500ms}}
        phases:
          - {name: low, duration: 10s, load: 1k}
          - {name: high, duration: 20s, load: {fast: "sine:5k,4k@30s", producers-2: "bursts:10k@1s/4s"}}
        warmup: 5s
        pacing: park
        allowLoss: true
        seed: 42
        """;

    @TempDir
    Path directory;

    @Test
    void aSweepIsTheProductOfItsAxes() {
        Experiment experiment = read(SWEPT + "order: listed\n");
        assertThat(experiment.trials()).hasSize(12);
        assertThat(experiment.points()).isEqualTo(4);
        assertThat(experiment.trials().stream().map(trial -> trial.point().toString()).distinct()).containsExactly(
            "destinations.0.queues=4, load.rate=37k/s", "destinations.0.queues=4, load.rate=unlimited",
            "destinations.0.queues=8, load.rate=37k/s", "destinations.0.queues=8, load.rate=unlimited");
        Trial last = experiment.trials().getLast();
        assertThat(last.round()).isEqualTo(3);
        assertThat(last.workload().producers().getFirst().properties()).containsEntry("queues", "8");
        assertThat(last.workload().scenario().producers().getFirst().load()).isEqualTo(new Load.AllOut());
    }

    @Test
    void aZippedSweepGoesAlongItsAxesTogether() {
        Experiment experiment = read("""
            destinations: A
            producers: 1
            sweep: [{mode: zip, producers.count: [1, 2], producers.threads: [3, 4]}, {message: [1KiB, {size: 2KiB}]}]
            order: listed
            """);
        assertThat(experiment.trials().stream().map(trial -> trial.point().toString())).containsExactly(
            "producers.count=1, producers.threads=3, message=1KiB", "producers.count=1, producers.threads=3, message={size: 2KiB}",
            "producers.count=2, producers.threads=4, message=1KiB", "producers.count=2, producers.threads=4, message={size: 2KiB}");
    }

    @Test
    void aTextThatLooksLikeNothingIsKept() {
        for (String text : List.of("~", "null", "", "true")) {
            Experiment experiment = read("destinations: A\nproducers: 1\nduration: 5s\nuser: '" + text + "'\n");
            Experiment again = ScenarioFile.read(experiment.yaml(), "kept", Path.of("/nowhere"), Changes.NONE);
            assertThat(experiment.trials().getFirst().workload().producers().getFirst().user()).isEqualTo(text);
            assertThat(again.trials().getFirst().workload().producers()).isEqualTo(experiment.trials().getFirst().workload().producers());
        }
    }

    @Test
    void everyRoundHasEveryPointOnceInAnotherOrderThatTheSeedMakesAgain() {
        String text = "destinations: A\nproducers: 1\nrepeat: 4\nsweep: {producers.count: [1, 2, 3, 4, 5, 6, 7, 8]}\nseed: ";
        List<Integer> order = order(read(text + "1\n"));
        List<List<Integer>> rounds = IntStream.range(0, 4).mapToObj(i -> order.subList(i * 8, i * 8 + 8)).toList();
        assertThat(rounds).allSatisfy(round -> assertThat(round).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7));
        assertThat(rounds).doesNotHaveDuplicates();
        assertThat(order(read(text + "1\n"))).isEqualTo(order);
        assertThat(order(read(text + "2\n"))).isNotEqualTo(order);
    }

    @Test
    void eachRoundHasASeedOfItsOwn() {
        assertThat(read(SWEPT).trials()).allSatisfy(
            trial -> assertThat(trial.workload().scenario().seed()).isEqualTo(6 + trial.round()));
    }

    @Test
    void brokersVaryToo() {
        Experiment experiment = read("""
            destinations: A
            producers: 1
            sweep: {broker: [artemis, "artemis:2.44.0"], broker.heap: [1g]}
            """.replace(", broker.heap: [1g]", ""));
        assertThat(experiment.trials().stream().map(trial -> String.valueOf(trial.broker()))).containsExactlyInAnyOrder(
            "artemis", "artemis:2.44.0");
        assertThat(experiment.trials()).noneMatch(Trial::ownDestinations);
        assertThat(read("broker: {name: artemis, fresh: sweep}\ndestinations: A\nproducers: 1\nrepeat: 2\n").trials())
            .allMatch(Trial::ownDestinations);
        assertThat(read("destinations: A\nproducers: 1\n").trials()).noneMatch(Trial::ownDestinations);
    }

    @Test
    void publishedRowsFindTheirTrials() {
        Experiment experiment = read(SWEPT);
        for (Trial trial : experiment.trials()) {
            List<Published> rows = experiment.published(trial);
            boolean first = trial.point().values().equals(Map.of("destinations.0.queues", "4", "load.rate", "37k/s"));
            assertThat(rows).hasSize(first ? 2 : 1);
            if (first) {
                assertThat(rows.getFirst().figures().getFirst().low()).isEqualTo(29922.20);
            }
        }
        Figure range = Figure.parse(Figure.Known.of("sent"), "9000..11000/s");
        assertThat(range.high()).isEqualTo(11000);
        assertThat(Figure.parse(Figure.Known.of("sendMean"), "1.5ms").low()).isEqualTo(1500);
    }

    @Test
    void overridesChangeWhatTheFileSays() {
        Trial trial = read(RICH, "producers.fast.maxPending=7", "producers.1.load=3k/s", "message.headers.a.b=c", "broker=",
            "phases=", "duration=9s", "consumers.slow.destinations=[queue://X, Y]").trials().getFirst();
        Scenario scenario = trial.workload().scenario();
        assertThat(trial.broker()).isNull();
        assertThat(scenario.producers().get(0).maxPending()).isEqualTo(7);
        assertThat(scenario.producers().get(1).load()).isEqualTo(new Load.Constant(Rate.perSecond(3000)));
        assertThat(scenario.producers().get(0).messages().headers()).hasSize(3);
        assertThat(scenario.limits().duration()).isEqualTo(Duration.ofSeconds(9));
        assertThat(scenario.consumers().get(1).destinations()).hasSize(2);
    }

    /** A key has no value if the keys below it are commented out. */
    @Test
    void aKeyWithoutAValueIsNoGroup() {
        String rest = "destinations: A\nload: {messages: 10}\n";
        for (String nothing : List.of("", "null", "~")) {
            Scenario sending =
                only(read(rest + "producers: {request: }\nconsumers:\n", "producers.request=" + nothing, "consumers=" + nothing));
            assertThat(sending.consumers()).isEmpty();
            assertThat(sending.producers().getFirst().request()).isNull();
            Scenario receiving =
                only(read(rest + "consumers: 1\nduration: 5s\nthresholds: [lost == 0]\nfaults: [{at: 1s, pause: broker}]\n",
                    "producers=" + nothing, "thresholds=" + nothing, "faults=" + nothing));
            assertThat(receiving.producers()).isEmpty();
            assertThat(receiving.consumers()).hasSize(1);
            assertThat(receiving.thresholds()).isEmpty();
            assertThat(receiving.faults()).isEmpty();
        }
        assertThatThrownBy(() -> read(rest + "producers:\nconsumers:\n"))
            .hasMessageContaining("it has neither 'producers' nor 'consumers'");
        assertThat(only(read(rest + "producers: {}\n", "producers.request=true")).producers().getFirst().request())
            .isEqualTo(new RequestReply(Duration.ofSeconds(10)));
    }

    private static Scenario only(Experiment experiment) {
        assertThat(experiment.trials()).hasSize(1);
        return experiment.trials().getFirst().workload().scenario();
    }

    @Test
    void aScaleMakesARunShorterButNotTooShort() {
        Scenario scenario = scaled(0.05, "destinations: A\nproducers: {load: {messages: 1M}}\nduration: 200s\nwarmup: 40s\n");
        assertThat(scenario.producers().getFirst().messageCount()).isEqualTo(50_000);
        assertThat(scenario.limits().duration()).isEqualTo(Duration.ofSeconds(10));
        assertThat(scenario.limits().warmup()).isEqualTo(Duration.ofSeconds(2));
        Scenario short1 = scaled(0.0001, "destinations: A\nproducers: {load: {messages: 500}}\nduration: 200s\n");
        assertThat(short1.producers().getFirst().messageCount()).isEqualTo(500);
        assertThat(short1.limits().duration()).isEqualTo(Duration.ofSeconds(5));
    }

    /** Within half a second nobody reaches a rate, and what happens at a moment happens in the same part of the run. */
    @Test
    void aScaleLeavesTimeForARateAndTheOrderOfWhatHappens() {
        String both = "destinations: A\nconsumers: {messages: 1M}\nproducers: {load: {rate: 37k/s, messages: 1M}}\n";
        Scenario rate = scaled(0.02, both + "faults: [pause pid 1 at 13514ms for 6757ms]\n");
        assertThat(rate.producers().getFirst().messageCount()).isEqualTo(185_000);
        assertThat(rate.consumers().getFirst().messageCount()).isEqualTo(185_000);
        assertThat(rate.faults().getFirst().at()).isEqualTo(Duration.ofMillis(2500));
        assertThat(rate.faults().getFirst().length()).isEqualTo(Duration.ofMillis(1250));
        assertThat(scaled(0.5, both).producers().getFirst().messageCount()).isEqualTo(500_000);
        Scenario phases = scaled(0.02, """
            destinations: A
            producers: {}
            consumers: {start: 45s}
            phases: [{name: sending, duration: 20s, load: 100/s}, {name: failing, duration: 70s, load: none}]
            faults: [pause pid 1 at 35s for 30s]
            """);
        assertThat(phases.length()).isEqualTo(Duration.ofMillis(2400));
        assertThat(phases.faults().getFirst().at()).isEqualTo(Duration.ofMillis(1300));
        assertThat(phases.faults().getFirst().length()).isEqualTo(Duration.ofMillis(600));
        assertThat(phases.consumers().getFirst().start().delay()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void aBrokerThatWarmsUpHasItsOwnDestinationsAndNoFaults() {
        String rest = "destinations: A\nproducers: {load: {messages: 1k}}\nconsumers: {}\n";
        Trial trial = read("broker: {name: artemis, warmup: 10s}\n" + rest).trials().getFirst();
        assertThat(trial.broker().warmup()).isEqualTo(Duration.ofSeconds(10));
        assertThat(trial.ownDestinations()).isTrue();
        assertThat(read(trial.yaml("again")).trials().getFirst().broker()).isEqualTo(trial.broker());
        assertThatThrownBy(() -> read("broker: {name: artemis, warmup: 10s}\nfaults: [kill broker at 1s for 1s]\nreconnect: 1s\n" + rest))
            .hasMessageContaining("key 'broker.warmup': the unmeasured trials would have the faults, too");
    }

    @Test
    void everyKindOfKeyIsUnderstood() {
        Trial trial = read(RICH).trials().getFirst();
        Scenario scenario = trial.workload().scenario();
        assertThat(scenario.producers()).hasSize(2);
        ProducerGroupSpec fast = scenario.producers().getFirst();
        assertThat(fast.destinations()).containsExactly(Destination.parse("queue://Q0"), Destination.parse("queue://Q1"),
            Destination.parse("queue://Q2"), Destination.parse("topic://B"));
        assertThat(fast.rollbackShare()).isEqualTo(0.1);
        assertThat(trial.workload().producers().getFirst().passwordVariable()).isEqualTo("SECRET");
        ConsumerGroupSpec slow = scenario.consumers().getLast();
        assertThat(slow.start().afterProducers()).isTrue();
        assertThat(scenario.consumers().getFirst().ackMode()).isEqualTo(AckMode.TRANSACTED);
        assertThat(trial.workload().producers().get(1).properties()).isEqualTo(Map.of("p", "q", "r", "s"));
        assertThat(PlanText.load(fast, scenario)).isEqualTo("steps:1000@10s,1000..5000@30s, size lognormal:1KiB,0.8,55908B");
    }

    /** Sending 10,000 messages takes 10 s, and the rest of a trial 2 s. */
    @Test
    void theEstimateOfATrialHasTheTimeUntilItsLastConsumersStart() {
        for (Map.Entry<String, Long> one : Map.of("0s", 12L, "5s", 12L, "2m", 122L, "after-producers:1m", 72L).entrySet()) {
            assertThat(PlanText.estimate(read("name: e\nurl: loopback://b\nprotocol: LOOPBACK\ndestinations: A\n"
                + "producers: {load: {rate: 1k, messages: 10k}}\nconsumers: {start: " + one.getKey() + "}\n").trials().getFirst()))
                .as(one.getKey()).contains(Duration.ofSeconds(one.getValue()));
        }
    }

    @Test
    void aTrialReadsBackToTheSame() {
        Trial trial = read(RICH).trials().getFirst();
        String yaml = trial.yaml("rich");
        Trial again = read(yaml).trials().getFirst();
        assertThat(again.broker()).isEqualTo(trial.broker());
        assertThat(again.workload().producers()).isEqualTo(trial.workload().producers());
        assertThat(again.workload().consumers()).isEqualTo(trial.workload().consumers());
        assertThat(again.workload().scenario()).usingRecursiveComparison().isEqualTo(trial.workload().scenario());
        assertThat(again.yaml("rich")).isEqualTo(yaml);
    }

    @Test
    void anExperimentReadsBackToTheSameTrialsWhereverItIs() throws IOException {
        Files.writeString(directory.resolve("body.txt"), "one\ntwo\n");
        Path file = Files.writeString(directory.resolve("mine.yaml"), SWEPT.replace("seed: 7\n", "")
            + "message: {body: \"lines:body.txt\"}\n");
        Experiment experiment = ScenarioFile.read(file, new Changes(List.of("producers.threads=2"), false).scaled(0.5));
        Experiment again = ScenarioFile.read(experiment.yaml(), "kept", Path.of("/nowhere"), Changes.NONE);
        assertThat(experiment.name()).isEqualTo("mine");
        assertThat(again.name()).isEqualTo("mine");
        assertThat(again.seed()).isEqualTo(experiment.seed());
        assertThat(order(again)).isEqualTo(order(experiment));
        assertThat(again.trials().getFirst().yaml("x")).isEqualTo(experiment.trials().getFirst().yaml("x"));
        assertThat(again.trials()).extracting(trial -> trial.workload().scenario().producers().getFirst().messageCount()).contains(50_000L);
    }

    /** Guards against sending the password of the file's broker to another broker. */
    @Test
    void aUrlWithALoginHasNoPasswordOfOthers() throws IOException {
        Files.writeString(directory.resolve("a.pw"), "first\n");
        Files.writeString(directory.resolve("b.pw"), "third\n");
        Workload workload = read("""
            url: tcp://a:61616
            user: me
            passwordFile: a.pw
            destinations: Q
            producers: 1
            consumers:
            - {name: its, url: 'amqp://you:second@b:5672'}
            - {name: own, url: 'amqp://you@c:5672', passwordFile: b.pw}
            - {name: same, url: 'amqp://d:5672'}
            - {name: user, url: 'amqp://we@d:5672'}
            duration: 5s
            """).trials().getFirst().workload();
        assertThat(workload.consumers()).extracting(ExperimentTest::login).containsExactly("you:second", "you:third", "me:first",
            "we:first");
        assertThat(login(workload.producers().getFirst())).isEqualTo("me:first");
    }

    private static String login(EndpointChoice access) {
        ConnectionSettings settings = access.endpoint("AMQP", String.valueOf(access.url()), access.password()).settings();
        return settings.user() + ":" + Objects.requireNonNull(settings.password()).reveal();
    }

    @Test
    void aRunIsWrittenWithoutItsPasswords() {
        Workload workload = read("""
            url: "tcp://me:geheim@host:1?trustStorePassword=geheim"
            protocol: CORE
            properties: {keyPassword: geheim}
            destinations: A
            producers: 1
            consumers: 1
            duration: 5s
            """).trials().getFirst().workload();
        String yaml = workload.yaml("run", null, access -> access);
        assertThat(yaml).doesNotContain("geheim").contains("user: me", "passwordEnv: BROKERMETER_PASSWORD");
        assertThat(read(yaml).trials().getFirst().workload().scenario().limits()).isEqualTo(workload.scenario().limits());
    }

    @Test
    void aTrialGetsItsEndpointsAndItsOwnDestinationsWhenABrokerIsThere() {
        Trial trial = read(RICH).trials().getFirst();
        Scenario scenario = trial.workload().connected("run-1", "-x", group -> group.access().endpoint("CORE", "tcp://host:1", null));
        assertThat(scenario.id()).isEqualTo("run-1");
        assertThat(scenario.destinations()).allMatch(one -> one.name().endsWith("-x"));
        assertThat(scenario.producers().getFirst().endpoint().settings().url()).isEqualTo("tcp://host:1");
        assertThat(scenario.producers().getFirst().endpoint().settings().properties()).containsEntry("p", "q");
    }

    @Test
    void aSettingIsNamedAsAKeyAndAsAnOption() {
        UsageException refused = new UsageException("%s needs %s: only a transaction can be rolled back.", Setting.ROLLBACK,
            Setting.COMMIT_INTERVAL);
        assertThat(refused)
            .hasMessage("key 'producers.rollback' needs key 'producers.commitInterval': only a transaction can be rolled back.");
        assertThat(refused.sentence(Option::of)).isEqualTo("--rollback needs --commit-interval: only a transaction can be rolled back.");
        assertThat(Setting.values()).allMatch(setting -> Option.of(setting).startsWith("--"));
    }

    @Test
    void filesOfADirectoryComeInTheOrderOfTheirNames() throws IOException {
        Files.createDirectories(directory.resolve("b"));
        for (String name : List.of("b/2.yaml", "c.yml", "a.yaml", "notes.txt")) {
            Files.writeString(directory.resolve(name), "");
        }
        assertThat(ScenarioFile.list(directory).stream().map(file -> directory.relativize(file).toString()))
            .containsExactly("a.yaml", "b/2.yaml", "c.yml");
    }

    private static final String AGENTS = """
        agents: %s
        destinations: A
        producers: [{name: p, on: %s}, {name: q}]
        consumers: {on: spread}
        """;

    private Workload placed(String agents, String on) {
        return read(
            AGENTS.replaceFirst("%s", Matcher.quoteReplacement(agents)).replaceFirst("on: %s", Matcher.quoteReplacement("on: " + on)))
            .trials().getFirst().workload();
    }

    @Test
    void agentsAreANumberHostsOrAName() {
        Agents.Host a = new Agents.Host("a", 0);
        Agents.Host b = new Agents.Host("b", 7801);
        for (String three : List.of("3", "\"3\"", "{hosts: 3}")) {
            assertThat(placed(three, "x").agents()).as(three)
                .isEqualTo(new Agents(new Agents.Here(3), null, Agents.Loss.END, 0, Agents.WITHIN));
        }
        for (String hosts : List.of("{hosts: 'a, b:7801', keyFile: k}", "{hosts: [a, 'b:7801'], keyFile: k}")) {
            Agents agents = placed(hosts, "x").agents();
            assertThat(agents.who()).as(hosts).isEqualTo(new Agents.On(List.of(a, b)));
            assertThat(agents.key()).isEqualTo(directory.resolve("k"));
            assertThat(agents.needed()).isEqualTo(2);
        }
        assertThat(placed("[localhost, '[::1]:7801', 127.0.0.1]", "x").agents().needed()).as("on this machine without a key").isEqualTo(3);
        Agents found = placed("{hosts: 'dns:agents.load', keyFile: k, expect: 3, within: 5s, onLoss: continue}", "x").agents();
        assertThat(found).isEqualTo(new Agents(new Agents.Behind(new Agents.Host("agents.load", 0)), directory.resolve("k"),
            Agents.Loss.CONTINUE, 3, Duration.ofSeconds(5)));
        for (String none : List.of("none", "null", "{hosts: none, keyFile: k}")) {
            assertThat(placed(none, "spread").agents()).as(none).isEqualTo(Agents.NONE);
        }
        assertThat(
            read(AGENTS.formatted("2", "x"), "agents.hosts=[a,b]", "agents.keyFile=k").trials().getFirst().workload().agents().needed())
            .isEqualTo(2);
        assertThat(read(AGENTS.formatted("[localhost]", "x"), "agents.within=1s").trials().getFirst().workload().agents().within())
            .isEqualTo(Duration.ofSeconds(1));
        assertThat(read(AGENTS.formatted("2", "x") + "sweep: {agents: [1, 3]}\n").trials().stream()
            .map(trial -> trial.workload().agents().needed()).toList()).containsExactlyInAnyOrder(1, 3);
    }

    @Test
    void groupsAreOnAgentsByNameAndLabel() {
        record Row(String on, List<String> names, List<String> labels) {}
        for (Row row : List.of(new Row("spread", List.of(), List.of()), new Row("a", List.of("a"), List.of()),
            new Row("'a, label:near'", List.of("a"), List.of("near")), new Row("[a, b]", List.of("a", "b"), List.of()),
            new Row("{label: near}", List.of(), List.of("near")),
            new Row("[a, {label: zone=near}]", List.of("a"), List.of("zone=near")))) {
            // The group has no explicit number of producers, so a choice by label is open.
            AgentChoice choice = new AgentChoice(row.names(), row.labels(), !row.labels().isEmpty());
            Workload workload = placed("2", row.on());
            assertThat(workload.places()).as(row.on())
                .isEqualTo(Map.of("producers p", choice, "producers q", AgentChoice.SPREAD, "consumers consumers", AgentChoice.SPREAD));
            assertThat(AgentChoice.parse(choice.toString())).isEqualTo(new AgentChoice(row.names(), row.labels()));
            Workload again = read(workload.yaml("again", null, UnaryOperator.identity())).trials().getFirst().workload();
            assertThat(again.agents()).isEqualTo(workload.agents());
            assertThat(again.places()).isEqualTo(workload.places());
        }
    }

    @Test
    void aWorkloadOfOneProcessNamesNoAgents() {
        Workload whole = placed("{hosts: [a, b], keyFile: k}", "[a, {label: near}]");
        String alone = whole.alone().yaml("alone", null, UnaryOperator.identity());
        assertThat(alone).doesNotContain("agents", "keyFile", "on:", "label");
        Workload read = read(alone).trials().getFirst().workload();
        assertThat(read.agents()).isEqualTo(Agents.NONE);
        assertThat(read.places()).isEqualTo(whole.alone().places());
        assertThat(read.scenario()).usingRecursiveComparison().ignoringFields("id").isEqualTo(whole.scenario());
        assertThat(whole.yaml("whole", null, UnaryOperator.identity())).contains("keyFile", "near");
    }

    @Test
    void whoRunsAWorkloadIsADifferenceAndHowTheyAreReachedIsNone() throws IOException {
        assertThat(differences("agents: {hosts: 'a,b', keyFile: k}\n", "agents: {hosts: [a, b], keyFile: l, within: 5s}\n")).isEmpty();
        assertThat(differences("agents: [localhost]\n", "agents: localhost\n")).isEmpty();
        assertThat(differences("", "agents: 3\n")).containsExactly(new ScenarioDifference("agents.hosts", "default", "3"));
        assertThat(differences("agents: 2\nconsumers: {on: a}\n", "agents: 2\nconsumers: {on: [a, b]}\n"))
            .containsExactly(new ScenarioDifference("consumers.on", "a", "[a, b]"));
    }

    private List<ScenarioDifference> differences(String first, String second) throws IOException {
        return ScenarioDifference.between(Files.writeString(directory.resolve("1.yaml"), "destinations: A\nproducers: {}\n" + first),
            Files.writeString(directory.resolve("2.yaml"), "destinations: A\nproducers: {}\n" + second));
    }

    @Test
    void aKeyIsAskedForByThoseWhoNeedIt() throws IOException {
        Agents agents = placed("{hosts: a, keyFile: k%s.p12}", "x").agents();
        assertThatThrownBy(agents::requireKey).isInstanceOf(UsageException.class)
            .hasMessage(
                "key 'agents.keyFile' names the file " + directory.resolve("k%s.p12") + ", which does not exist or cannot be read.");
        Files.writeString(directory.resolve("k%s.p12"), "");
        agents.requireKey();
    }

    private static List<Integer> order(Experiment experiment) {
        return experiment.trials().stream().map(Trial::index).collect(Collectors.toList());
    }

    private Scenario scaled(double scale, String text) {
        return ScenarioFile.read(text, "a.yaml", directory, Changes.NONE.scaled(scale)).trials().getFirst().workload()
            .scenario();
    }

    private Experiment read(String text, String... sets) {
        return ScenarioFile.read(text, "a.yaml", directory, new Changes(List.of(sets), false));
    }
}
