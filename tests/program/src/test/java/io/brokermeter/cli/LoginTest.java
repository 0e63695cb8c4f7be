package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** User names and passwords, which are used but must not appear in output or files. */
class LoginTest {

    private static final String[] SHORT = {"--message-count", "20", "--silent"};

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @RegisterExtension
    static final OneProcess WITH_PASSWORD = new OneProcess().with("BROKERMETER_PASSWORD", "geheim");

    @TempDir
    Path directory;

    private static String[] with(String... first) {
        return Stream.concat(Stream.of(first), Stream.of(SHORT)).toArray(String[]::new);
    }

    private List<Path> files() throws Exception {
        List<Path> found = new ArrayList<>();
        for (Path state : List.of(PROGRAM.state(), WITH_PASSWORD.state())) {
            if (Files.exists(state)) {
                try (Stream<Path> all = Files.walk(state)) {
                    all.filter(Files::isRegularFile).forEach(found::add);
                }
            }
        }
        return found;
    }

    private void nobodyTells(Finished finished, String secret) throws Exception {
        assertThat(finished.out() + finished.err()).doesNotContain(secret);
        for (Path file : files()) {
            assertThat(Files.readString(file)).as(file.toString()).doesNotContain(secret);
        }
    }

    @Test
    void aLoginInTheUrlIsUsedAndPrintedNowhere() throws Exception {
        try (Broker redis = Broker.start(BrokerName.parse("redis"),
            BrokerOptions.defaults().withLogin("measure", Secret.of("p@ss:w/rd")))) {
            String address = redis.url().replaceFirst("redis://", "");
            Finished right = PROGRAM.run(with("client", "--url", "redis://measure:p%40ss%3Aw%2Frd@" + address)).exits(0);
            assertThat(right.total("total received")).isEqualTo(20);
            nobodyTells(right, "p@ss");
            nobodyTells(right, "p%40ss");
            Finished wrong = PROGRAM.run(with("client", "--url", "redis://measure:wrongpass@" + address)).exits(1);
            assertThat(wrong.err()).contains("the broker refused user 'measure'");
            nobodyTells(wrong, "wrongpass");
        }
    }

    /** Nothing listens on the port, so the URL is printed twice: as the target of the connection and in the error message. */
    @ParameterizedTest
    @ValueSource(strings = {"amqp://me:geheim@127.0.0.1:1", "amqp091://me:geheim@127.0.0.1:1", "mqtt://me:geheim@127.0.0.1:1",
        "nats://me:geheim@127.0.0.1:1", "redis://me:geheim@127.0.0.1:1", "redis://:geheim@127.0.0.1:1", "stomp://me:geheim@127.0.0.1:1",
        "tcp://me:geheim@127.0.0.1:1"})
    void aLoginStandsInTheUrlOfEachProtocol(String url) throws Exception {
        Finished finished = PROGRAM.run(with("client", "--out", "none", "--url", url)).exits(1);
        assertThat(finished.err()).contains("nobody listens").doesNotContain("geheim");
        assertThat(finished.out()).contains("Connection brokerURL = " + url.replaceAll("://.*", "://")).doesNotContain("geheim");
    }

    @Test
    void aReplayAsksForWhatTheFilesDoNotKeep() throws Exception {
        nobodyTells(PROGRAM.run(with("client", "--url", "loopback://me:geheim@x")).exits(0), "geheim");
        PROGRAM.run("replay", "last").exits(2)
            .saysOnly("The files of a run keep no passwords: give that of user 'me' with --password-file or BROKERMETER_PASSWORD");
        Finished again = WITH_PASSWORD.run("replay", files().getFirst().getParent().toString(), "--silent").exitsWellAtAnyRate();
        assertThat(again.total("total sent")).isEqualTo(20);
        nobodyTells(again, "geheim");
        Path file = Files.writeString(directory.resolve("password"), "geheim\n");
        PROGRAM.run(with("client", "--url", "loopback://x", "--user", "me", "--password-file", file.toString())).exits(0);
        PROGRAM.run("replay", "last", "--silent").exitsWellAtAnyRate();
    }

    @Test
    void aReplayAsksForPasswordsAmongTheParameters() throws Exception {
        Path file = Files.writeString(directory.resolve("s.yaml"), """
            url: "mqtts://localhost:1?key-store=%s&key-store-password=geheim"
            producers: {destinations: [topic://t], load: {messages: 10}}
            """.formatted(directory.resolve("s.yaml")));
        Path run = directory.resolve("run");
        Finished first = PROGRAM.run("run", file.toString(), "--out", run.toString());
        assertThat(first.out() + first.err()).doesNotContain("geheim");
        Path trial;
        try (Stream<Path> trials = Files.list(run.resolve("trials"))) {
            trial = trials.findFirst().orElseThrow();
        }
        assertThat(Files.readString(trial.resolve("scenario.yaml"))).doesNotContain("geheim");
        PROGRAM.run("replay", trial.toString()).exits(2).saysOnly("give the parameter key-store-password with --property");
        assertThat(PROGRAM.run("replay", trial.toString(), "--property", "key-store-password=x", "--out", "none").exits(1).err())
            .contains("s.yaml' cannot be opened");
        PROGRAM.run("replay", trial.toString(), "--property", "other=x").exits(2).saysOnly("they leave out key-store-password");
    }

    @Test
    void aSweepOverPasswordsTellsNone() throws Exception {
        Path file = Files.writeString(directory.resolve("s.yaml"), """
            sweep: {url: ['loopback://me:geheim1@x', 'loopback://me:geheim2@x']}
            destinations: queue://q
            producers: {load: {messages: 10}}
            consumers: 1
            """);
        Finished finished = PROGRAM.run("run", file.toString()).exitsWellAtAnyRate();
        assertThat(finished.out()).contains("url=loopback://me:***@x", "url=loopback://me:***2@x");
        nobodyTells(finished, "geheim");
        assertThat(files()).extracting(Path::toString).noneMatch(name -> name.contains("geheim"))
            .anyMatch(name -> name.endsWith("table.csv"));
        Path trial = files().stream().filter(one -> one.endsWith("scenario.yaml")).findFirst().orElseThrow().getParent();
        Finished again = WITH_PASSWORD.run("replay", trial.toString(), "--silent").exitsWellAtAnyRate();
        assertThat(again.total("total received")).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        tcp://localhost:1         | CORE
        amqp://localhost:1        | AMQP
        stomp://localhost:1       | STOMP
        openwire://localhost:1    | OPENWIRE
        amqp091://localhost:1     | AMQP091
        kafka://localhost:1       | KAFKA
        rocketmq://localhost:1    | ROCKETMQ
        """)
    void aPasswordWithoutAUserIsRefused(String url, String protocol) throws Exception {
        WITH_PASSWORD.run(with("producer", "--url", url)).exits(2)
            .saysOnly("Protocol " + protocol + " has no password without a user name; give --user, too.");
    }

    @Test
    void rocketMqTakesUserAndPassword() throws Exception {
        Finished finished = WITH_PASSWORD.run(with("producer", "--url", "rocketmq://localhost:1", "--user", "key")).exits(1);
        assertThat(finished.err()).contains("nobody listens");
    }

    @Test
    void aLoginIsGivenOnce() throws Exception {
        PROGRAM.run(with("client", "--url", "loopback://me:geheim@x", "--user", "you")).exits(2)
            .saysOnly("The user name is given twice, in the URL and beside it");
    }

    @Test
    void theFilesOfARunAreForTheirOwnerAlone() throws Exception {
        PROGRAM.run(with("client", "--url", "loopback://x")).exits(0);
        for (Path file : files()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as(file.toString()).isEqualTo("rw-------");
        }
        Path run = files().getFirst().getParent();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(run))).isEqualTo("rwx------");
    }
}
