package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.brokermeter.cli.options.ReportTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors on the command line. Each results in one sentence that states what to type instead. */
class UsageErrorsTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Map<String, String> environment, String... args) {
        return new Main(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8),
            environment).run(args);
    }

    /** The JVM puts one character in the place of whatever it cannot read, so that two names would be one. */
    @Test
    void whatTheJvmCouldNotReadIsNoName() {
        assertThat(Main.garbled("UTF-8", Map.of("BROKERMETER_USER", "J\u00F6rg"), "queue://gr\u00F6\u00DFe")).isNull();
        assertThat(Main.garbled("UTF-8", Map.of(), "client", "queue://gr\uFFFDe")).isEqualTo("'queue://gr\uFFFDe' is not a text in UTF-8.");
        assertThat(Main.garbled("UTF-8", Map.of("BROKERMETER_USER", "J\uFFFDrg", "OTHER", "\uFFFD")))
            .isEqualTo("The environment variable BROKERMETER_USER is not a text in UTF-8.");
        assertThat(Main.garbled("UTF-8", Map.of("OTHER", "\uFFFD"))).isNull();
        assertThat(Main.garbled("ANSI_X3.4-1968", Map.of(), "client", "queue://gr\uFFFD\uFFFD\uFFFD\uFFFDe")).contains("no locale C.UTF-8");
        assertThat(Main.garbled("ANSI_X3.4-1968", Map.of(), "client", "queue://Q")).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "client --raet 5                               | Unknown option --raet; did you mean --rate?",
        "client --property foo=bar --url tcp://localhost:1 | The CORE client does not know the parameter 'foo'",
        "client --url foo://x                          | begin with foo://; there are amqp, amqp091,",
        "client --threads 1000000                      | --threads 1000000 are more than 1,000 sending threads",
        "client --broker artemis --broker-heap 1       | --broker-heap 1 is less than 32m",
        "client --broker artemis --broker-heap 90000g  | --broker-heap 90000g is more than the memory of this machine",
        "broker --port abc                             | --port: 'abc' is not a whole number.",
        "runs --count -1                               | --count -1 must be at least 1.",
        "runs prune --keep 5 --count 5                 | --count is for the list of runs; to keep the newest N, give --keep N.",
        "run --scale abc                               | --scale: 'abc' is not a number.",
        "client --url loopback://x --broker-metrics http://localhost:1/ | --broker-metrics: No metrics of the broker from http://localhost:1/",
        "client --max-pendign 5                        | did you mean --max-pending?",
        "client --messagecount 5                       | did you mean --message-count?",
        "client --prod 5                               | did you mean --producers?",
        "client -rate 5                                | did you mean --rate?",
        "client --zzzzzzzz                             | 'brokermeter client --help' lists the options",
        "consumer --producers 3                        | belongs to client, producer, run, ab, search, window and failover, not to consumer",
        "client --rate                                 | --rate needs a value: --rate RATE.",
        "client --rate 1 -r 2                          | Give -r or --rate once only.",
        "client --message-count 1 -C 2                 | once only",
        "client --rate -5                              | --rate: Rate '-5' must be greater than 0.",
        "client --rate abc                             | --rate: Rate 'abc'",
        "client --max-pending abc                      | --max-pending: Count 'abc'",
        "client -c -1                                  | --max-pending: Count '-1'",
        "client --max-in-flight                        | --max-in-flight needs a value: --max-in-flight N.",
        "client --message-count 1.5                    | --message-count: Count '1.5'",
        "client --message-count -1                     | must not be negative",
        "client --producers 0                          | at least 1",
        "client --producers 99999999999                | too large",
        "client --message-size -1                      | --message-size: Size '-1' must not be negative.",
        "client --message-size ten                     | not a number of bytes",
        "client --message-size 15 --protocol MQTT --property version=3.1.1 topic://T | of the envelope, which protocol MQTT cannot carry beside the body",
        "client --duration never                       | --duration: Duration 'never'",
        "client --duration -1                          | must not be negative",
        "client --duration 5 --warmup 6                 | --duration 5 must not be shorter than --warmup 6,",
        "client --duration 1m --warmup 1.5m             | --duration 1m must not be shorter than --warmup 1.5m,",
        "client --warmup auto                          | --warmup: auto needs --duration, of which it is a part",
        "client --warmup car                           | --warmup: Duration 'car'",
        "client --interval 0                           | --interval",
        "client --pacing quick                         | auto, park, hybrid, spin, or a tick",
        "client --pacing tick=500us                    | --pacing tick=500us needs --rate",
        "consumer --pacing park                        | Option --pacing belongs to",
        "client --rate 5 --pacing tick=101ms           | Tick 'tick=101ms' must be from 1us to 100ms.",
        "client --rate 5 --pacing tick=5               | needs a unit",
        "client --connect-rate 0                       | --connect-rate: Rate '0'",
        "client --connect-rate 5 --consumer-ramp 1     | --connect-rate and a ramp of a group both say when connections are made",
        "client --source-address host                  | 'host' must be addresses of this machine",
        "client --source-address 127.0.0.9-127.0.0.2   | the lower end of a range first",
        "client --source-address 10.0.0.0-10.0.4.0     | from 1 to 1,000 addresses",
        "client --protocol OPENWIRE --url tcp://localhost:1 --source-address 127.0.0.2 | Protocol OPENWIRE cannot do --source-address",
        "client --url kafka://h:1?transport=client --source-address 127.0.0.2 | Protocol KAFKA cannot do --source-address: its connections",
        "client --url kafka://h:1 --source-address 127.0.0.2 --commit-interval 5 | Transactions go over kafka-clients",
        "client --url tcp://h:1 --source-address 127.0.0.2 --commit-interval 5 | go over Artemis' client, which connects from the address",
        "client --url amqp://h:1 --source-address 127.0.0.2 --commit-interval 5 | leave --source-address out.",
        "client --silent=3                             | --silent takes no value.",
        "client --protocol FOO                         | Unknown protocol 'FOO' in --protocol",
        "client --protocol AMQPS                       | did you mean AMQP?",
        "client --consumer-protocol CARE               | Unknown protocol 'CARE' in --consumer-protocol; did you mean CORE?",
        "client --url http://h                         | http://",
        "client --url tcp://                           | cannot be read",
        "client --url tcp://h:61616?nonsense=1         | nonsense",
        "client --consumer-url tcp://h:x               | tcp://h:x",
        "client --broker rabbit                        | --broker: 'rabbit'",
        "client --broker artemis --url tcp://h:1       | Give either --broker or --url, not both",
        "client --rate 5 --rate-per-producer 3         | Give either --rate or --rate-per-producer, not both",
        "client --tx --multi-ack-every 5               | Give either --tx or --multi-ack-every, not both",
        "consumer --commit-interval 5 -A 5             | Give either --commit-interval or --multi-ack-every, not both",
        "client --password x --password-file y         | Give either --password or --password-file, not both",
        "run a.yaml --password x --password-file y     | Give either --password or --password-file, not both",
        "ab a.yaml --password x --password-file y      | Give either --password or --password-file, not both",
        "window --resume last --password x --password-file y | Give either --password or --password-file, not both",
        "run a.yaml --show-broker                      | Option --show-broker belongs to client, producer, consumer, replay and failover, not to run.",
        "window --show-broker                          | not to window.",
        "client -u A B                                 | Give either --queue or DESTINATION, not both",
        "client --durable topic://T                    | --durable needs --clientID",
        "consumer --durable topic://T                  | --durable needs --clientID",
        "client --durable --clientID c queue://Q       | --durable needs topics",
        "client --shared 2 queue://Q                   | --shared needs topics",
        "client --keep-subscriptions                   | --keep-subscriptions needs --durable",
        "client --prefetch 5                           | CORE cannot do --prefetch",
        "client --json same --hdr ./same               | same file",
        "client --json /no/such/dir/x                  | --json /no/such/dir/x cannot be written",
        "client --hdr /                                | is a directory",
        "client --user u --password-file /no/such/file | cannot be read",
        "client --hdr -                                | --hdr - cannot be standard output; name a file, ./- for one of that name.",
        "producer --junit -                            | --junit - cannot be standard output;",
        "client --summary -                            | --summary - cannot be standard output;",
        "run a.yaml --junit -                          | --junit - cannot be standard output;",
        "run --resume last --summary -                 | --summary - cannot be standard output;",
        "compare a b --json same --junit ./same        | --json and --junit must not name the same file, ./same.",
        "watch --markdown - --json -                   | --markdown and --json cannot both write to standard output; name files.",
        "watch --html same --json same                 | --html and --json must not name the same file, same.",
        "client A A                                    | named twice",
        "client foo://A                                | must start with queue:// or topic://",
        "client queue://                               | needs a name",
        "client --protocol LOOPBACK                    | needs --url",
        "clinet                                        | did you mean client?",
        "--rate 5 client                               | An option stands after the command",
        "client --broker artemis --broker-address 127.0.0.2 | --broker-address is for agents",
        "client --broker artemis --broker-address here --agents 2 | --broker-address 'here' must be an address in numbers",
        "client --broker artemis --broker-address 0.0.0.0 --agents 2 | --broker-address: 0.0.0.0 is no address of this machine",
        "client --broker artemis --broker-address 192.0.2.9 --agents 2 | --broker-address: 192.0.2.9 is no address of this machine",
        "client --broker kafka --broker-address 127.0.0.2 --agents 2 | Broker kafka has no address but loopback",
        "client --broker-address 127.0.0.2 --agents 2  | --broker-address needs --broker",
        "failover --url tcp://h:1 --fault cut --broker-heap 4g | --broker-heap is about a broker that is started for the run, and --url names",
        "failover --url tcp://h:1 --fault cut --keep-broker | --keep-broker is about a broker that is started for the run, and --url names",
        "broker artemis --broker-address 127.0.0.2     | --broker-address belongs to client,",
        "kubernetes a.yaml                             | --image must be given: --image IMAGE.",
        "kubernetes a.yaml --image                     | --image needs a value: --image IMAGE.",
        "agent --label near,far                        | --label 'near,far' must be NAME or NAME=VALUE",
        "agent --label at=a --label at=b               | --label gives at twice.",
        "agent --label =near                           | --label '=near' must be NAME or NAME=VALUE",
        "agent --label at=#1                           | --label 'at=#1' must be NAME or NAME=VALUE",
        "completion tcsh                               | there are bash, zsh and fish",
        "completion                                    | Give a SHELL: brokermeter completion SHELL;",
        "compare                                       | Give a RUN: brokermeter compare RUN; 'brokermeter compare --help' says what it is.",
        "client --reconnect 0                          | --reconnect 0 must be longer than 0.",
        "client --reconnect=0.0ms                      | --reconnect 0.0ms must be longer than 0.",
        "client --reconnect 90                         | --reconnect 90 must not be longer than --reconnect-limit 60s, within",
        "client --reconnect 90000ms --reconnect-limit 1m | --reconnect 90000ms must not be longer than --reconnect-limit 1m, within",
        "client --ttl 0.5                              | --ttl: Time '0.5' must be whole milliseconds, like 250ms.",
        "client --keys uniform:99999999999             | from 1 to 100,000, not 99999999999.",
        "client --out /proc/none --url loopback://x    | /proc/none: there is no such file or directory.",
        "client --url failover:()                      | URL 'failover:()' names a broker that is empty",
        "client --url failover:(tcp://h:x)             | URL 'failover:(tcp://h:x)'",
        "client --broker artemis --broker-directory=   | --broker-directory '' is no path; give DIR.",
        "client --json=                                | --json '' is no path; give FILE|-.",
        "client --client-jars=                         | --client-jars '' is no path; give PATH[,PATH].",
        "run --out=                                    | --out '' is no path; give DIR|none.",
        "run --omb=                                    | --omb '' is no path; give FILE.",
        "agent --new-key=                              | --new-key '' is no path; give FILE.",
    })
    void aMistakeIsOneSentenceAndStatusTwo(String commandLine, String expected) {
        assertThat(run(Map.of(), commandLine.strip().split(" "))).as(err.toString(StandardCharsets.UTF_8)).isEqualTo(2);
        String said = err.toString(StandardCharsets.UTF_8);
        assertThat(said).contains(expected.strip());
        assertThat(said.strip().lines()).hasSize(1);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void verboseIsNamedWhereTheCommandHasIt() {
        Exception e = new IllegalStateException("why");
        assertThat(Main.unexpected(e, Main.line("compare").getCommandSpec(), false))
            .isEqualTo("Unexpected IllegalStateException: why (--verbose shows where)");
        assertThat(Main.unexpected(e, Main.line("compare").getCommandSpec(), true)).isEqualTo("Unexpected IllegalStateException: why");
        assertThat(Main.unexpected(e, Main.line("report").getCommandSpec(), false)).isEqualTo("Unexpected IllegalStateException: why");
    }

    @Test
    void aReportOnAFullDiskIsASentence() {
        assertThatThrownBy(() -> ReportTarget.write("--html", "/dev/full", "text", new PrintStream(out)))
            .isInstanceOf(ReportTarget.UnwrittenException.class)
            .hasMessage("--html /dev/full could not be written: No space left on device.");
    }

    @Test
    void anEmptyDestinationIsAMistake() {
        assertThat(run(Map.of(), "client", "")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).isEqualTo(
            "The name of a destination is empty; name a queue or a topic, like queue://Q.");
    }

    @Test
    void anEmptyPathIsNotTheCurrentDirectory() {
        for (String command : new String[] {"run", "ab", "kubernetes"}) {
            err.reset();
            assertThat(run(Map.of(), command, command.equals("kubernetes") ? "--image=x" : "--verbose", "")).as(command).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8).strip()).as(command).startsWith("'' is no path; give FILE").hasLineCount(1);
        }
    }

    private static Path scenario(Path directory, String name, String first) throws IOException {
        Path file = Files.createDirectories(directory).resolve(name);
        return Files.writeString(file, first + "url: loopback://b\ndestinations: queue://Q\nproducers: 1\nload: {messages: 1}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--property=a=b", "--show-latency", "--format=perf", "--show-broker"})
    void anOptionOfARunIsRefusedForASweep(String option, @TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("sweep.json"), "{}");
        assertThat(run(Map.of(), "replay", directory.toString(), option)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).startsWith(option.split("=", 2)[0] + " is for a run, not for a sweep")
            .hasLineCount(1);
    }

    @Test
    void twoExperimentsOfOneNameAreAMistake(@TempDir Path directory) throws IOException {
        Path one = scenario(directory.resolve("a"), "load.yaml", "");
        Path same = scenario(directory.resolve("b"), "load.yaml", "");
        Path other = scenario(directory.resolve("c"), "load.yaml", "name: other\n");
        assertThat(run(Map.of(), "run", directory.toString(), "--dry-run")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).isEqualTo(one + " and " + same
            + " are two experiments of one name, 'load'; give each its own with key 'name', or run them apart.");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        err.reset();
        String again = directory.resolve("c").resolve("..").resolve("a").resolve("load.yaml").toString();
        assertThat(run(Map.of(), "run", one.toString(), again, other.toString(), "--repeat", "2", "--dry-run"))
            .as(err.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("4 trials");
        assertThat(run(Map.of(), "run", one.toString(), other.toString(), "--set", "name=both", "--dry-run")).isEqualTo(2);
    }

    @Test
    void aScaleOfOneIsNotThatOfTheFile(@TempDir Path directory) throws IOException {
        String file = scenario(directory, "load.yaml", "scale: 0.1\nduration: 20m\n").toString();
        for (String command : new String[] {"run", "ab"}) {
            List<String> words = new ArrayList<>(List.of(command, file, "--dry-run"));
            words.addAll(command.equals("ab") ? List.of("--b", "message.size=2KiB") : List.of("--set", "message.size=2KiB"));
            out.reset();
            assertThat(run(Map.of(), words.toArray(String[]::new))).as(err.toString(StandardCharsets.UTF_8)).isZero();
            String kept = out.toString(StandardCharsets.UTF_8);
            words.addAll(List.of("--scale", "1"));
            out.reset();
            assertThat(run(Map.of(), words.toArray(String[]::new))).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).isNotEqualTo(kept).contains("20 min");
        }
    }

    @Test
    void noCommandAtAllIsAMistakeToo() {
        assertThat(run(Map.of())).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("client|producer|consumer");
    }

    @Test
    void aBadVariableIsNamedAsSuch() {
        assertThat(run(Map.of("BROKERMETER_RATE", "x"), "client")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("BROKERMETER_RATE: Rate 'x'");
    }

    @ParameterizedTest
    @CsvSource({"--rate,5q", "--rate=5q,", "-r,5q", "-r5q,"})
    void aBadWordIsNotBlamedOnAVariableOfItsOption(String option, String value) {
        String[] line = Stream.of("client", option, value).filter(Objects::nonNull).toArray(String[]::new);
        assertThat(run(Map.of("BROKERMETER_RATE", "5k"), line)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("--rate: Rate '5q'");
        err.reset();
        assertThat(run(Map.of("BROKERMETER_PERSISTENT", "true"), "client", "--persistent=x")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("--persistent takes no value.");
    }

    @Test
    void aVariableAboutAgentsCountsOnlyWhereThereAreAgents(@TempDir Path directory) throws IOException {
        Map<String, String> environment = Map.of("BROKERMETER_KEY", "nosuch", "BROKERMETER_ON_AGENT_LOSS", "shrug");
        Path alone = scenario(directory, "alone.yaml", "");
        Path shared = scenario(directory, "shared.yaml", "agents: 2\n");
        assertThat(run(environment, "run", alone.toString(), "--dry-run")).as(err.toString(StandardCharsets.UTF_8)).isZero();
        for (String[] line : List.of(new String[] {"run", shared.toString(), "--dry-run"},
            new String[] {"run", alone.toString(), "--agents", "2", "--dry-run"})) {
            err.reset();
            assertThat(run(environment, line)).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("'shrug' is none of end, continue.");
        }
        err.reset();
        assertThat(run(environment, "run", alone.toString(), "--within", "5", "--dry-run")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--within 5").contains("which says where agents are");
    }

    @Test
    void resumingTakesNoNoticeOfVariablesOfTheBeginning(@TempDir Path directory) {
        Map<String, String> environment = Map.of("BROKERMETER_LABEL", "build=1", "BROKERMETER_OUT", "out", "BROKERMETER_SET", "seed=1",
            "BROKERMETER_THRESHOLD", "lost == 0", "BROKERMETER_SCALE", "2", "BROKERMETER_REPEAT", "3", "BROKERMETER_AGENTS", "2");
        for (String command : List.of("run", "ab")) {
            err.reset();
            assertThat(run(environment, command, "--resume", directory.toString())).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).as(command).contains(directory.toString()).doesNotContain("takes no file");
            err.reset();
            assertThat(run(environment, command, "--resume", directory.toString(), "--scale", "1")).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).as(command).contains("takes no file");
        }
    }

    @Test
    void aTimeFromTheEnvironmentIsRepeatedAsItStandsThere() {
        assertThat(run(Map.of("BROKERMETER_RECONNECT", "0.0"), "client")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).isEqualTo("--reconnect 0.0 must be longer than 0.");
    }

    @Test
    void anUnknownVariableIsWarnedOfWithTheNearestName() {
        run(Map.of("BROKERMETER_RAET", "1", "BROKERMETER_PRODUCERS", "2"), "consumer", "--interval", "0");
        assertThat(err.toString(StandardCharsets.UTF_8))
            .contains("warning: The environment variable BROKERMETER_RAET belongs to no option; did you mean BROKERMETER_RATE?")
            .doesNotContain("BROKERMETER_PRODUCERS");
    }

    @Test
    void anEmptyPasswordIsNotAskedForWithoutATerminal() {
        assertThat(run(Map.of(), "client", "--user", "u", "--password", "")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--password is empty and there is no terminal");
    }
}
