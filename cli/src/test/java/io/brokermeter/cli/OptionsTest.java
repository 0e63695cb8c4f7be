package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.cli.options.EnvironmentVariables;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.Passwords;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.engine.scenario.Connecting;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.engine.scenario.message.Weighted;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;

/** Effect of each option on the scenario, under each of its names. */
class OptionsTest {

    private static final String LOCAL = "tcp://localhost:61616";

    static Scenario scenario(Map<String, String> environment, String command, String... args) {
        RunCommand run = parsed(environment, command, args);
        run.check();
        Drivers drivers = Drivers.load();
        return run.workload(drivers, "CORE").connected(
            new Endpoints(drivers, null, run.passwords(Passwords::announced), null).endpoints(_ -> LOCAL));
    }

    private static RunCommand parsed(Map<String, String> environment, String command, String... args) {
        var line = Main.line(command);
        Main.parse(line, new EnvironmentVariables(environment), args);
        return line.getCommand();
    }

    private static Scenario scenario(String commandLine) {
        List<String> words = new ArrayList<>(Arrays.asList(commandLine.split(" ")));
        return scenario(Map.of(), words.removeFirst(), words.toArray(String[]::new));
    }

    private static ProducerGroupSpec producers(Scenario scenario) {
        return scenario.producers().getFirst();
    }

    private static ConsumerGroupSpec consumers(Scenario scenario) {
        return scenario.consumers().getFirst();
    }

    @Test
    void clientHasTheDefaultsOfArtemis() {
        Scenario scenario = scenario("client");
        assertThat(scenario.destinations()).containsExactly(Destination.parse("queue://TEST"));
        assertThat(scenario.limits().duration()).isZero();
        assertThat(scenario.limits().warmup()).isZero();
        assertThat(scenario.limits().drainTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(scenario.limits().interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(scenario.pacing()).isEqualTo(Pacing.AUTO);
        assertThat(scenario.realtime()).isFalse();
        ProducerGroupSpec p = producers(scenario);
        assertThat(p).isEqualTo(ProducerGroupSpec.plain(p.endpoint(), scenario.destinations(), 1, Messages.ofSize(1024)));
        assertThat(p.endpoint().protocol()).isEqualTo("CORE");
        assertThat(p.endpoint().settings().url()).isEqualTo(LOCAL);
        ConsumerGroupSpec c = consumers(scenario);
        assertThat(c).isEqualTo(ConsumerGroupSpec.plain(c.endpoint(), scenario.destinations()));
        assertThat(c.endpoint()).isEqualTo(p.endpoint());
    }

    @Test
    void producerHasNoConsumersAndConsumerNoProducers() {
        assertThat(scenario("producer").consumers()).isEmpty();
        assertThat(scenario("consumer").producers()).isEmpty();
    }

    static Stream<Arguments> producerOptions() {
        return Stream.of(
            row("--rate 37k", ProducerGroupSpec::load, new Load.Constant(Rate.perSecond(37_000))),
            row("--rate=0.5", ProducerGroupSpec::load, new Load.Constant(new Rate(1, 2))),
            row("-r 100", ProducerGroupSpec::load, new Load.Constant(Rate.perSecond(100))),
            row("--rate-per-producer 10 --producers 3 --num-destinations 2", ProducerGroupSpec::load,
                new Load.Constant(Rate.perSecond(60))),
            row("--load bursts:10k@1s/4s", ProducerGroupSpec::load,
                new Load.Bursts(Rate.perSecond(10_000), Duration.ofSeconds(1), Duration.ofSeconds(4))),
            row("--seed 3 --load poisson:5k", ProducerGroupSpec::load, new Load.Poisson(5000, 3)),
            row("--message-count 10k", ProducerGroupSpec::messageCount, 10_000L),
            row("--pmessages 7", ProducerGroupSpec::messageCount, 7L),
            row("-C 7", ProducerGroupSpec::messageCount, 7L),
            row("--max-pending 100", ProducerGroupSpec::maxPending, 100),
            row("--max-in-flight 100", ProducerGroupSpec::maxPending, 100),
            row("--confirm 100", ProducerGroupSpec::maxPending, 100),
            row("-c 100", ProducerGroupSpec::maxPending, 100),
            row("-c100", ProducerGroupSpec::maxPending, 100),
            row("--max-pending 0", ProducerGroupSpec::maxPending, 0),
            row("--producers 4", ProducerGroupSpec::perDestination, 4),
            row("-x 4", ProducerGroupSpec::perDestination, 4),
            row("--threads 2", ProducerGroupSpec::threads, 2),
            row("--shared-connections", ProducerGroupSpec::sharedConnections, true),
            row("--message-size 4KiB", p -> p.messages().sizes(), new Sizes.Fixed(4096)),
            row("--size 30", p -> p.messages().sizes(), new Sizes.Fixed(30)),
            row("-s 30", p -> p.messages().sizes(), new Sizes.Fixed(30)),
            row("-s uniform:100..2KiB", p -> p.messages().sizes(), new Sizes.Uniform(100, 2048)),
            row("--message-size empirical:100=70%,1KiB=30%", p -> p.messages().sizes(),
                new Sizes.Empirical(List.of(new Weighted<>(100, 70), new Weighted<>(1024, 30)))),
            row("--body compressible:50%", p -> p.messages().content(), new Content.Compressible(0.5)),
            row("--body json:{\"n\":{{counter}}}", p -> p.messages().content(),
                new Content.Template("{\"n\":{{counter}}}", "'{\"n\":{{counter}}}'")),
            row("--body lines:a.log", p -> p.messages().content(), new Content.Lines(Path.of("a.log"))),
            row("--delivery-delay 2", p -> p.messages().deliveryDelay(), Duration.ofSeconds(2)),
            row("--priority 7", p -> p.messages().priorities(), List.of(new Weighted<>(7, 1))),
            row("--priority 4:90%,9:10%", p -> p.messages().priorities(), List.of(new Weighted<>(4, 90), new Weighted<>(9, 10))),
            row("--keys orders", p -> p.messages().keys(), Keys.one("orders")),
            row("--keys zipf:1000,1.1", p -> p.messages().keys(), new Keys("key-", 1000, new Keys.Spread.Zipf(1.1))),
            row("--header a=b --header r={x:1,y:3}", p -> p.messages().headers(), List.of(Header.of("a", "b"),
                new Header("r", List.of(new Weighted<>("x", 1), new Weighted<>("y", 3))))),
            row("--batch 10", ProducerGroupSpec::batch, 10),
            row("--think-time exponential:3ms", ProducerGroupSpec::thinkTime, new TimeLaw.Exponential(Duration.ofMillis(3))),
            row("--producer-startup-delay 3", ProducerGroupSpec::start, Start.after(Duration.ofSeconds(3))),
            row("--producer-ramp 5", ProducerGroupSpec::start, new Start(Duration.ZERO, false, Duration.ofSeconds(5))),
            row("--commit-interval 5 --rollback 10%", ProducerGroupSpec::rollbackShare, 0.1),
            row("--bare", p -> p.messages().bare(), true),
            row("--persistent", p -> p.messages().persistent(), true),
            row("--ttl 500", p -> p.messages().ttlMillis(), 500L),
            row("--ttl 5s", p -> p.messages().ttlMillis(), 5000L),
            row("--group g", p -> p.messages().keys(), Keys.one("g")),
            row("--group a:b", p -> p.messages().keys(), Keys.one("a:b")),
            row("--enable-msg-id", p -> p.messages().messageIds(), true),
            row("--enable-timestamp", p -> p.messages().timestamps(), true),
            row("--commit-interval 10", ProducerGroupSpec::commitInterval, 10),
            row("--tx-size 10", ProducerGroupSpec::commitInterval, 10),
            row("--user u", p -> p.endpoint().settings().user(), "u"),
            row("--connect-timeout 3", p -> p.endpoint().settings().connectTimeout(), Duration.ofSeconds(3)),
            row("--url tcp://h:1", p -> p.endpoint().settings().url(), "tcp://h:1"),
            row("--url tcp://h:1", p -> p.endpoint().protocol(), "CORE"),
            row("--url amqp://h:1", p -> p.endpoint().protocol(), "AMQP"),
            row("--url failover:(amqp://h:1,amqp://h:2)", p -> p.endpoint().protocol(), "AMQP"),
            row("--url (tcp://h:1,tcp://h:2)?ha=true", p -> p.endpoint().protocol(), "CORE"),
            row("--url tcp://h:1 --protocol amqp", p -> p.endpoint().protocol(), "AMQP"),
            row("--clientID c", p -> p.endpoint().settings().clientId(), null));
    }

    private static <T> Arguments row(String options, Function<ProducerGroupSpec, T> property, Object expected) {
        return Arguments.of(options, property, expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("producerOptions")
    void anOptionSetsTheSendingHalf(String options, Function<ProducerGroupSpec, Object> property, Object expected) {
        assertThat(property.apply(producers(scenario("client " + options)))).isEqualTo(expected);
        assertThat(property.apply(producers(scenario("producer " + options)))).isEqualTo(expected);
    }

    static Stream<Arguments> consumerOptions() {
        return Stream.of(
            consumerRow("--consumers 3", ConsumerGroupSpec::perDestination, 3),
            consumerRow("-y 3", ConsumerGroupSpec::perDestination, 3),
            consumerRow("--consumer-connections 2", ConsumerGroupSpec::connections, 2),
            consumerRow("--num-connections 2", ConsumerGroupSpec::connections, 2),
            consumerRow("--shared 2 topic://T", ConsumerGroupSpec::sharedSubscriptions, 2),
            consumerRow("--durable --clientID c", ConsumerGroupSpec::durable, true),
            consumerRow("--durable --clientID c --keep-subscriptions", ConsumerGroupSpec::keepSubscriptions, true),
            consumerRow("--clientID c", c -> c.endpoint().settings().clientId(), "c"),
            consumerRow("--client-id c", c -> c.endpoint().settings().clientId(), "c"),
            consumerRow("--tx", ConsumerGroupSpec::ackMode, AckMode.TRANSACTED),
            consumerRow("--tx", ConsumerGroupSpec::batch, 1),
            consumerRow("--tx --commit-interval 20", ConsumerGroupSpec::batch, 20),
            consumerRow("--multi-ack-every 5", ConsumerGroupSpec::ackMode, AckMode.BATCH),
            consumerRow("-A 5", ConsumerGroupSpec::batch, 5),
            consumerRow("-A 1", ConsumerGroupSpec::ackMode, AckMode.AUTO),
            consumerRow("--prefetch 10", ConsumerGroupSpec::prefetch, 10),
            consumerRow("--credit 10", ConsumerGroupSpec::prefetch, 10),
            consumerRow("-q 0", ConsumerGroupSpec::prefetch, 0),
            consumerRow("--consumer-rate 50", ConsumerGroupSpec::rate, Rate.perSecond(50)),
            consumerRow("-R 50", ConsumerGroupSpec::rate, Rate.perSecond(50)),
            consumerRow("--consumer-latency 100", ConsumerGroupSpec::processing, new TimeLaw.Constant(Duration.ofNanos(100_000))),
            consumerRow("-L 2ms", ConsumerGroupSpec::processing, new TimeLaw.Constant(Duration.ofMillis(2))),
            consumerRow("--consumer-startup-delay 2", ConsumerGroupSpec::start, Start.after(Duration.ofSeconds(2))),
            consumerRow("--consumer-startup-delay after-producers", ConsumerGroupSpec::start,
                new Start(Duration.ZERO, true, Duration.ZERO)),
            consumerRow("--consumer-ramp 5 --consumer-startup-delay 1", ConsumerGroupSpec::start,
                new Start(Duration.ofSeconds(1), false, Duration.ofSeconds(5))),
            consumerRow("--consumer-latency uniform:1ms..5ms", ConsumerGroupSpec::processing,
                new TimeLaw.Uniform(Duration.ofMillis(1), Duration.ofMillis(5))),
            consumerRow("--polling", ConsumerGroupSpec::polling, true),
            consumerRow("--requeue 5%", ConsumerGroupSpec::requeueShare, 0.05),
            consumerRow("--reject 0.01", ConsumerGroupSpec::rejectShare, 0.01),
            consumerRow("--cmessages 9", ConsumerGroupSpec::messageCount, 9L),
            consumerRow("-D 9", ConsumerGroupSpec::messageCount, 9L));
    }

    private static <T> Arguments consumerRow(String options, Function<ConsumerGroupSpec, T> property, Object expected) {
        return Arguments.of(options, property, expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("consumerOptions")
    void anOptionSetsTheReceivingHalf(String options, Function<ConsumerGroupSpec, Object> property, Object expected) {
        assertThat(property.apply(consumers(scenario("client " + options)))).isEqualTo(expected);
        assertThat(property.apply(consumers(scenario("consumer " + options)))).isEqualTo(expected);
    }

    @Test
    void requestsAreAnsweredByTheConsumers() {
        Scenario asking = scenario("client --request-reply --reply-timeout 3");
        assertThat(producers(asking).request()).isEqualTo(new RequestReply(Duration.ofSeconds(3)));
        assertThat(consumers(asking).replies()).isTrue();
        assertThat(producers(scenario("client --request-reply")).request()).isEqualTo(new RequestReply(Duration.ofSeconds(10)));
        assertThat(producers(scenario("client")).request()).isNull();
        assertThatThrownBy(() -> scenario("client --reply-timeout 3")).isInstanceOf(UsageException.class)
            .hasMessageContaining("--request-reply");
    }

    @Test
    void aSizeBesideABodyThatHasItsOwnIsRefused() {
        assertThatThrownBy(() -> scenario("client -s 100 --body text:x")).isInstanceOf(UsageException.class)
            .hasMessageStartingWith("--message-size has no effect");
        assertThat(producers(scenario("client -s 100 --body constant:x")).messages().sizes()).isEqualTo(new Sizes.Fixed(100));
    }

    @Test
    void messageCountBelongsToTheConsumersWhereThereAreNoProducers() {
        assertThat(consumers(scenario("consumer --message-count 5")).messageCount()).isEqualTo(5);
        assertThat(consumers(scenario("client --message-count 5")).messageCount()).isZero();
    }

    @Test
    void aCommitIntervalAloneMakesALoneConsumerTransacted() {
        assertThat(consumers(scenario("consumer --commit-interval 5")).ackMode()).isEqualTo(AckMode.TRANSACTED);
        assertThat(consumers(scenario("consumer --commit-interval 5")).batch()).isEqualTo(5);
        assertThat(consumers(scenario("client --commit-interval 5")).ackMode()).isEqualTo(AckMode.AUTO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "producer", "consumer"})
    void faultsAreOptionsOfEachCommand(String command) {
        assertThat(scenario(Map.of(), command, "--duration", "60", "--fault", "kill broker at 20s for 10s", "--fault",
            "run ./x now at 40s").faults()).containsExactly(Fault.parse("kill broker at 20s for 10s"), Fault.parse("run ./x now at 40s"));
    }

    static Stream<Arguments> commonOptions() {
        return Stream.of(
            Arguments.of("--duration 20", (Function<Scenario, Object>) s -> s.limits().duration(), Duration.ofSeconds(20)),
            Arguments.of("--time 5m", (Function<Scenario, Object>) s -> s.limits().duration(), Duration.ofMinutes(5)),
            Arguments.of("-z 250ms", (Function<Scenario, Object>) s -> s.limits().duration(), Duration.ofMillis(250)),
            Arguments.of("--warmup 3", (Function<Scenario, Object>) s -> s.limits().warmup(), Duration.ofSeconds(3)),
            Arguments.of("--warmup auto --duration 30", (Function<Scenario, Object>) s -> s.limits().settles() + " " + s.limits().warmup(),
                "true PT3S"),
            Arguments.of("--warmup auto --duration 10m", (Function<Scenario, Object>) s -> s.limits().settles() + " " + s.limits().warmup(),
                "true PT10S"),
            Arguments.of("--threshold reconnects==0,abort --threshold elapsed<9s",
                (Function<Scenario, Object>) s -> s.thresholds().stream().map(Threshold::text).toList(),
                List.of("reconnects==0", "elapsed<9s")),
            Arguments.of("--drain-timeout 1", (Function<Scenario, Object>) s -> s.limits().drainTimeout(),
                Duration.ofSeconds(1)),
            Arguments.of("--allow-overload", (Function<Scenario, Object>) s -> s.limits().allowOverload(), true),
            Arguments.of("--reconnect 300ms", (Function<Scenario, Object>) s -> s.limits().recovery(),
                new Recovery(Duration.ofMillis(300), Duration.ofMinutes(1))),
            Arguments.of("--reconnect 1 --reconnect-limit 5m", (Function<Scenario, Object>) s -> s.limits().recovery(),
                new Recovery(Duration.ofSeconds(1), Duration.ofMinutes(5))),
            Arguments.of("--interval 500ms", (Function<Scenario, Object>) s -> s.limits().interval(), Duration.ofMillis(500)),
            Arguments.of("-i 2", (Function<Scenario, Object>) s -> s.limits().interval(), Duration.ofSeconds(2)),
            Arguments.of("--id night", (Function<Scenario, Object>) Scenario::id, "night"),
            Arguments.of("--num-destinations 2 A", (Function<Scenario, Object>) Scenario::destinations,
                List.of(Destination.parse("A0"), Destination.parse("A1"))),
            Arguments.of("--num-destinations 1 A", (Function<Scenario, Object>) Scenario::destinations,
                List.of(Destination.parse("A"))),
            Arguments.of("queue://A topic://B C a::b", (Function<Scenario, Object>) Scenario::destinations,
                List.of(Destination.parse("queue://A"), Destination.parse("topic://B"), Destination.parse("queue://C"),
                    Destination.parse("queue://a::b"))),
            Arguments.of("-u A", (Function<Scenario, Object>) Scenario::destinations, List.of(Destination.parse("A"))),
            Arguments.of("--queue A", (Function<Scenario, Object>) Scenario::destinations, List.of(Destination.parse("A"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("commonOptions")
    void anOptionOfEveryCommandSetsTheScenario(String options, Function<Scenario, Object> property, Object expected) {
        for (String command : List.of("client", "producer", "consumer")) {
            assertThat(property.apply(scenario(command + " " + options))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"auto,AUTO", "park,PARK", "hybrid,HYBRID", "SPIN,SPIN"})
    void pacingIsAName(String name, Pacing expected) {
        assertThat(scenario("producer --pacing " + name).pacing()).isEqualTo(expected);
    }

    @Test
    void pacingMayBeATick() {
        Scenario ticking = scenario("producer --rate 1000 --pacing tick=500us");
        assertThat(ticking.pacing()).isEqualTo(Pacing.PARK);
        assertThat(ticking.tick()).isEqualTo(Duration.ofNanos(500_000));
    }

    @Test
    void connectionsMayComeAtARateAndFromSeveralAddresses() {
        Connecting how = scenario("client --protocol MQTT --connect-rate 2k --source-address 127.0.0.254-127.0.1.1,::1").connecting();
        assertThat(how.rate()).isEqualTo(Rate.parse("2000"));
        assertThat(how.sources()).containsExactly("127.0.0.254", "127.0.0.255", "127.0.1.0", "127.0.1.1", "0:0:0:0:0:0:0:1");
        assertThat(scenario("client").connecting()).isEqualTo(Connecting.PLAIN);
    }

    @Test
    void realtimeIsAFlagOfTheSendingHalf() {
        assertThat(scenario("client --realtime").realtime()).isTrue();
    }

    @Test
    void durableAloneMeansTheTopicTest() {
        assertThat(scenario("client --durable --clientID c").destinations()).containsExactly(Destination.parse("topic://TEST"));
        assertThat(scenario("consumer --durable --clientID c").destinations()).containsExactly(Destination.parse("topic://TEST"));
    }

    @Test
    void consumersMayUseAnotherUrlProtocolAndLogin() {
        Scenario scenario = scenario("client --url tcp://a:1 --user u --consumer-url amqp://b:2 --consumer-user v");
        assertThat(producers(scenario).endpoint().protocol()).isEqualTo("CORE");
        assertThat(consumers(scenario).endpoint().protocol()).isEqualTo("AMQP");
        assertThat(consumers(scenario).endpoint().settings().url()).isEqualTo("amqp://b:2");
        assertThat(producers(scenario).endpoint().settings().user()).isEqualTo("u");
        assertThat(consumers(scenario).endpoint().settings().user()).isEqualTo("v");
        assertThat(consumers(scenario("client --url tcp://a:1 --consumer-protocol AMQP")).endpoint().settings().url())
            .isEqualTo("tcp://a:1");
        assertThat(consumers(scenario("client --protocol CORE --consumer-url amqp://b:2")).endpoint().protocol())
            .as("--protocol is for both sides, as in Artemis").isEqualTo("CORE");
    }

    private static List<String> networks(String... words) {
        return parsed(Map.of(), words[0], Arrays.copyOfRange(words, 1, words.length)).workload(Drivers.load(), "CORE").groups().stream()
            .map(group -> group.access().network().toString()).toList();
    }

    @Test
    void aNetworkLiesBeforeBothSidesOrOne() {
        assertThat(networks("client")).containsExactly("none", "none");
        assertThat(networks("client", "--network", "10ms")).containsExactly("rtt=10ms", "rtt=10ms");
        assertThat(networks("client", "--network", "10ms", "--consumer-network", "rtt=20ms jitter=1ms"))
            .containsExactly("rtt=10ms", "rtt=20ms jitter=1ms");
        assertThat(networks("client", "--producer-network", "bandwidth=1Mbit")).containsExactly("bandwidth=1Mbit", "none");
        assertThat(networks("client", "--network", "10ms", "--producer-network", "none")).containsExactly("none", "rtt=10ms");
        assertThat(networks("producer", "--network", "10ms")).containsExactly("rtt=10ms");
        assertThat(networks("consumer", "--network", "loss=1%")).containsExactly("loss=1%");
    }

    private static Workload workload(String... words) {
        return parsed(Map.of(), words[0], Arrays.copyOfRange(words, 1, words.length)).workload(Drivers.load(), "CORE");
    }

    @Test
    void agentsRunEachCommand() {
        for (String command : List.of("client", "producer", "consumer")) {
            assertThat(workload(command).agents()).isEqualTo(Agents.NONE);
            assertThat(workload(command, "--agents", "3").agents()).isEqualTo(
                new Agents(new Agents.Here(3), null, Agents.Loss.END, 0, Duration.ofSeconds(60)));
            assertThat(workload(command, "--agents", "a,b:7801", "--key", "cluster.p12", "--on-agent-loss", "continue", "--expect", "1",
                "--within", "5").agents()).isEqualTo(new Agents(new Agents.On(List.of(new Agents.Host("a", 0), new Agents.Host("b", 7801))),
                    Path.of("cluster.p12"), Agents.Loss.CONTINUE, 1, Duration.ofSeconds(5)));
            assertThat(workload(command, "--agents=dns:agents.load", "--key", "k").agents().who())
                .isEqualTo(new Agents.Behind(new Agents.Host("agents.load", 0)));
            assertThat(workload(command, "--agents", "a", "--key", "k", "--deploy", "ssh").agents().deployed()).isTrue();
            assertThat(workload(command).places().values()).containsOnly(AgentChoice.SPREAD);
        }
        assertThat(workload("client", "--agents", "3", "--producer-agents", "a", "--consumer-agents", "b,label:near").places())
            .isEqualTo(Map.of("producers producers", new AgentChoice(List.of("a"), List.of()), "consumers consumers",
                new AgentChoice(List.of("b"), List.of("near"), true)));
        assertThat(workload("client", "--agents", "3", "--consumers", "2", "--consumer-agents", "label:near").places())
            .containsEntry("consumers consumers", new AgentChoice(List.of(), List.of("near")));
        assertThat(workload("client", "--agents", "[fe80::2%eth0.5]", "--key", "k").agents().who())
            .isEqualTo(new Agents.On(List.of(new Agents.Host("[fe80::2%eth0.5]", 0))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--key k | --key needs --agents",
        "--expect 3 | --expect needs --agents",
        "--within 9 | --within needs --agents",
        "--on-agent-loss continue | --on-agent-loss needs --agents",
        "--deploy ssh | --deploy needs --agents",
        "--agents 3 --deploy ssh --key k | --deploy needs hosts in --agents",
        "--agents localhost --deploy ssh | --deploy needs --key",
        "--agents a --key k --deploy scp | --deploy: 'scp' must be none or ssh",
        "--producer-agents a | --producer-agents needs --agents",
        "--agents 3 --expect 4 | --expect 4 is more than the 3 agents that --agents names",
        "--agents a,b | --agents needs --key: agents on other machines",
        "--agents 3 --on-agent-loss shrug | --on-agent-loss: 'shrug' must be end or continue"})
    void agentsWantWhatBelongsToThem(String options, String sentence) {
        assertThatThrownBy(() -> scenario("client " + options)).isInstanceOf(UsageException.class).hasMessageStartingWith(sentence);
    }

    @Test
    void variablesAboutAgentsCountOnlyBesideAgents() {
        Map<String, String> environment = Map.of("BROKERMETER_KEY", "cluster.p12", "BROKERMETER_WITHIN", "5", "BROKERMETER_EXPECT", "1",
            "BROKERMETER_ON_AGENT_LOSS", "continue", "BROKERMETER_DEPLOY", "ssh", "BROKERMETER_PRODUCER_AGENTS", "a");
        assertThat(parsed(environment, "client").workload(Drivers.load(), "CORE").agents()).isEqualTo(Agents.NONE);
        Agents agents = parsed(environment, "client", "--agents", "a,b").workload(Drivers.load(), "CORE").agents();
        assertThat(agents.key()).isEqualTo(Path.of("cluster.p12"));
        assertThat(agents.deployed()).isTrue();
        assertThatThrownBy(() -> scenario(environment, "client", "--expect", "1")).isInstanceOf(UsageException.class)
            .hasMessageStartingWith("--expect needs --agents");
    }

    @Test
    void anEnvironmentVariableSetsAnOptionAndTheCommandLineWins() {
        Map<String, String> environment = Map.of("BROKERMETER_MAX_PENDING", "7", "BROKERMETER_PERSISTENT", "true",
            "BROKERMETER_SIZE", "64", "BROKERMETER_QUEUE", "Q", "BROKERMETER_CLIENTID", "c", "BROKERMETER_GROUP", "");
        Scenario scenario = scenario(environment, "client");
        assertThat(producers(scenario).maxPending()).isEqualTo(7);
        assertThat(producers(scenario).messages().persistent()).isTrue();
        assertThat(producers(scenario).messages().sizes()).isEqualTo(new Sizes.Fixed(64));
        assertThat(producers(scenario).messages().keys()).isNull();
        assertThat(scenario.destinations()).containsExactly(Destination.parse("Q"));
        assertThat(consumers(scenario).endpoint().settings().clientId()).isEqualTo("c");
        Scenario typed = scenario(environment, "client", "--max-in-flight", "8", "--persistent", "-s", "99", "R");
        assertThat(producers(typed).maxPending()).isEqualTo(8);
        assertThat(producers(typed).messages().persistent()).isTrue();
        assertThat(producers(typed).messages().sizes()).isEqualTo(new Sizes.Fixed(99));
        assertThat(typed.destinations()).containsExactly(Destination.parse("R"));
    }

    @Test
    void aFlagIsSwitchedOffByItsVariable() {
        assertThat(producers(scenario(Map.of("BROKERMETER_PERSISTENT", "0"), "client")).messages().persistent()).isFalse();
        assertThat(producers(scenario(Map.of("BROKERMETER_PERSISTENT", "no"), "client", "--persistent")).messages().persistent()).isTrue();
    }

    @Test
    void aLoginInAUrlOfTheCommandLineOverrulesThatOfTheEnvironment() {
        Map<String, String> environment = Map.of("BROKERMETER_USER", "me", "BROKERMETER_PASSWORD", "x", "BROKERMETER_CONSUMER_USER", "you",
            "BROKERMETER_CONSUMER_PASSWORD_FILE", "nosuch");
        RunCommand whole = parsed(environment, "client", "--url", "amqp://guest:guest@h", "--consumer-url", "amqp://a:b@h");
        for (String option : List.of("--user", "--password", "--consumer-user")) {
            assertThat(whole.given().text(option)).as(option).isNull();
        }
        assertThat(whole.given().path("--consumer-password-file")).isNull();
        Scenario scenario = scenario(environment, "client", "--url", "amqp://guest:guest@h", "--consumer-url", "amqp://a:b@h");
        assertThat(producers(scenario).endpoint().settings().user()).isEqualTo("guest");
        assertThat(consumers(scenario).endpoint().settings().user()).isEqualTo("a");
        RunCommand user = parsed(environment, "producer", "--url", "amqp://guest@h");
        assertThat(user.given().text("--user")).isNull();
        assertThat(user.given().text("--password")).as("the URL has none").isEqualTo("x");
        assertThatThrownBy(() -> scenario(Map.of("BROKERMETER_URL", "amqp://guest:guest@h", "BROKERMETER_USER", "me"), "client"))
            .isInstanceOf(UsageException.class).hasMessageContaining("given twice");
    }

    @Test
    void failoverHasARateOfItsOwnUnlessOneIsGiven() {
        assertThat(producers(scenario("failover")).load()).isEqualTo(new Load.Constant(Rate.perSecond(1000)));
        Load each = new Load.Constant(Rate.perSecond(4 * 250));
        for (String typed : List.of("--rate 1k", "--rate-per-producer 250")) {
            assertThat(producers(scenario("failover --producers 4 " + typed)).load()).as(typed).isEqualTo(each);
        }
        assertThat(producers(scenario(Map.of("BROKERMETER_RATE_PER_PRODUCER", "250"), "failover", "--producers", "2")).load())
            .isEqualTo(new Load.Constant(Rate.perSecond(500)));
    }

    private static OptionValues values(Map<String, String> environment, String command, String... words) {
        var line = Main.line(command);
        Main.parse(line, new EnvironmentVariables(environment), words);
        return new OptionValues(line.getCommandSpec());
    }

    /** The words of {@code client} are those of all commands that run a load; each exception is given in another form, or varied. */
    @Test
    void whatClientCallsAKeyAllCommandsOfTrialsCallIt() {
        List<String> words = SettingOptions.of(true, true).stream().filter(option -> !option.path().isEmpty()).map(Option::name).toList();
        List<String> inAnotherForm = List.of("--cmessages", "--clientID", "--commit-interval", "--consumer-agents", "--fault", "--label",
            "--message-count", "--num-destinations", "--producer-agents", "--reply-timeout", "--request-reply", "--threshold", "--tx");
        List<String> varied = List.of("--message-size", "--warmup", "--network", "--producer-network", "--consumer-network",
            "--consumer-protocol", "--consumer-url", "--agents", "--key", "--expect", "--within", "--on-agent-loss", "--deploy");
        for (String command : List.of("run", "ab", "window", "failover")) {
            var spec = Main.line(command).getCommandSpec();
            List<String> missing = words.stream().filter(word -> spec.findOption(word) == null).toList();
            assertThat(missing).as(command).isSubsetOf(command.equals("window")
                ? Stream.concat(inAnotherForm.stream(), varied.stream()).toList() : inAnotherForm);
            assertThat(spec.findOption("--silent")).as(command).isNotNull();
        }
    }

    @Test
    void optionsOfTheLoadSetKeysOfTheFilesOfTrials() {
        OptionValues values =
            values(Map.of("BROKERMETER_RATE", "5"), "run", "--max-pending", "1k", "--property", "a=b", "--property", "c=d",
                "--consumer-property", "e=f", "--bare", "--broker-no-persistence", "--drain-timeout", "3", "file.yaml");
        assertThat(values.keys()).extracting(one -> one.path() + "=" + one.text()).containsExactlyInAnyOrder("producers.maxPending=1k",
            "properties.a=b", "properties.c=d", "consumers.properties.e=f", "message.bare=true", "broker.persistence=false",
            "drainTimeout=3s");
        assertThat(values(Map.of(), "window", "--prefetch", "9", "--rate", "200", "--property", "it='s").windowKeys())
            .containsExactlyInAnyOrder("consumers.prefetch='9'", "producers.load.rate='200'", "properties.it='''s'");
    }

    @Test
    void theTimeOfASearchThatGoesOnMayComeFromTheEnvironment() {
        for (Map<String, String> environment : List.of(Map.of("BROKERMETER_TIME", "5m"), Map.of("BROKERMETER_DURATION", "5m"),
            Map.<String, String>of())) {
            var line = Main.line("window");
            Main.parse(line, new EnvironmentVariables(environment), "--resume", "last");
            WindowCommand window = line.getCommand();
            assertThat(window.hasTime()).isEqualTo(!environment.isEmpty());
            assertThat(window.time).isEqualTo(environment.isEmpty() ? "10m" : "5m");
        }
    }

    @Test
    void anOptionOfTheCommandLineOverrulesAVariableThatContradictsIt() {
        Map<String, String> environment = Map.of("BROKERMETER_RATE_PER_PRODUCER", "5", "BROKERMETER_URL", "tcp://h:1");
        assertThat(producers(scenario(environment, "client", "--rate", "9")).load()).isEqualTo(new Load.Constant(Rate.perSecond(9)));
        assertThat(parsed(environment, "client", "--broker", "artemis").given().text("--url")).isNull();
        assertThatThrownBy(() -> scenario(Map.of("BROKERMETER_RATE", "5", "BROKERMETER_RATE_PER_PRODUCER", "5"), "client"))
            .isInstanceOf(UsageException.class);
    }

    @Test
    void aSizeOfTheCommandLineOverrulesABodyOfTheEnvironmentThatHasASizeOfItsOwn() {
        Messages sized = producers(scenario(Map.of("BROKERMETER_BODY", "text:abc"), "client", "--message-size", "100")).messages();
        assertThat(sized.sizes()).isEqualTo(new Sizes.Fixed(100));
        assertThat(sized.content()).isEqualTo(new Content.Random());
        assertThat(producers(scenario(Map.of("BROKERMETER_BODY", "template:gone"), "client", "--message-size", "100")).messages().content())
            .isEqualTo(new Content.Random());
        Messages both = producers(scenario(Map.of("BROKERMETER_BODY", "compressible:50%"), "client", "--message-size", "100")).messages();
        assertThat(both.sizes()).isEqualTo(new Sizes.Fixed(100));
        assertThat(both.content()).isEqualTo(new Content.Compressible(0.5));
        assertThatThrownBy(() -> scenario("client --body text:abc --message-size 100")).isInstanceOf(UsageException.class);
    }

    @Test
    void consumersAcknowledgeAsTheCommandLineSays() {
        ConsumerGroupSpec several = consumers(scenario(Map.of("BROKERMETER_COMMIT_INTERVAL", "50"), "consumer", "-A", "5"));
        assertThat(several.ackMode()).isEqualTo(AckMode.BATCH);
        assertThat(several.batch()).isEqualTo(5);
        ConsumerGroupSpec transacted =
            consumers(scenario(Map.of("BROKERMETER_MULTI_ACK_EVERY", "5"), "consumer", "--commit-interval", "50"));
        assertThat(transacted.ackMode()).isEqualTo(AckMode.TRANSACTED);
        assertThat(transacted.batch()).isEqualTo(50);
        assertThatThrownBy(() -> scenario(Map.of("BROKERMETER_MULTI_ACK_EVERY", "5", "BROKERMETER_COMMIT_INTERVAL", "50"), "consumer"))
            .isInstanceOf(UsageException.class).hasMessageStartingWith("Give either --commit-interval or --multi-ack-every");
    }

    @Test
    void noTwoReportsGoIntoOneFile() {
        assertThat(SettingOptions.ofReports()).containsExactly("--json", "--hdr", "--junit", "--summary");
        assertThatThrownBy(() -> scenario("client --summary x --hdr ./x")).isInstanceOf(UsageException.class)
            .hasMessage("--hdr and --summary must not name the same file, x.");
    }

    @Test
    void outputOptionsAreRead() {
        RunCommand run = parsed(Map.of(), "client", "--silent", "--verbose", "--show-latency", "--json", "a.json", "--hdr",
            "b.hlog", "--password", "p", "--password-file", "f", "--broker", "artemis", "--acceptor", "x", "--verdict-fails");
        assertThat(run.given().isOn("--silent")).isTrue();
        assertThat(run.given().isOn("--verdict-fails")).isTrue();
        assertThat(run.given().isOn("--verbose")).isTrue();
        assertThat(run.given().isOn("--show-latency")).isTrue();
        assertThat(run.given().path("--json")).hasToString("a.json");
        assertThat(run.given().path("--hdr")).hasToString("b.hlog");
        assertThat(run.given().text("--password")).isEqualTo("p");
        assertThat(run.given().path("--password-file")).hasToString("f");
        assertThat(run.given().text("--broker")).isEqualTo("artemis");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"client", "producer", "consumer", "run", "replay", "runs", "report", "compare", "ab", "window", "failover", "watch",
            "agent", "kubernetes", "broker", "selftest",
            "drivers", "completion"})
    void helpHasEveryOptionExamplesAndNoLineThatIsTooLong(String command) {
        boolean groups = SettingOptions.HEADINGS.stream().anyMatch(Main.line(command).getCommandSpec().mixins()::containsKey);
        String help = help(command, groups ? "--help-all" : "--help");
        assertThat(help).contains("Usage: brokermeter " + command, "Example");
        assertThat(help.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(120));
        assertThat(help).doesNotContain("][,");
        assertThat(help.lines()).as("no line of the footer is broken anew")
            .contains(footer(Main.line(command).getCommandSpec()));
        Main.line(command).getCommandSpec().options().stream().filter(o -> !o.hidden())
            .forEach(o -> assertThat(help).contains(o.names()));
    }

    private static String help(String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        assertThat(new Main(out, out, Map.of()).run(words)).isZero();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void helpShowsWhatPeopleUseAndASubjectWhenAsked() {
        String common = help("client", "--help");
        assertThat(common).contains("--rate", "--max-pending", "Example", "--help-all", "requests and replies")
            .doesNotContain("--think-time");
        assertThat(common.lines().count()).isLessThan(110);
        assertThat(help("client", "--help", "queue://Q")).isEqualTo(common);
        String load = help("client", "--help", "load");
        assertThat(load).contains("--think-time", "--rate").doesNotContain("--url", "Example", "--help-all");
        assertThat(help("search", "--help")).contains("--goal", "--rate").doesNotContain("--think-time");
    }

    @Test
    void theHelpOfTheProgramBreaksNoLineOfItsFooter() {
        assertThat(help("--help").lines()).contains(footer(Main.root().getCommandSpec()));
    }

    /** Returns the lines of a footer, without the last one if it is long: the help may wrap it, since no line follows. */
    private static String[] footer(CommandSpec spec) {
        String[] lines = spec.usageMessage().footer();
        return Arrays.stream(lines).limit(lines[lines.length - 1].length() > 110 ? lines.length - 1 : lines.length)
            .map(line -> line.replace("%%", "%")).toArray(String[]::new);
    }
}
