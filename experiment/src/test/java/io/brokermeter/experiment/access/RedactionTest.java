package io.brokermeter.experiment.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.experiment.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scenarios that are stored and printed have no passwords; everything else is unchanged. */
class RedactionTest {

    private static final String REST = """
        name: t
        destinations: Q
        producers: 1
        consumers: 1
        duration: 5s
        """;

    @TempDir
    Path directory;

    private Experiment read(String text) {
        return ScenarioFile.read(text + REST, "a.yaml", directory, Changes.NONE);
    }

    private static List<String> points(Experiment experiment) {
        return experiment.trials().stream().sorted(Comparator.comparingInt(Trial::index)).map(trial -> trial.point().toString()).toList();
    }

    /** Returns the points of an experiment, and verifies that it has the same ones when it is read back from its stored form. */
    private List<String> kept(Experiment experiment) {
        Experiment again = ScenarioFile.read(experiment.yaml(), "kept", directory, Changes.NONE);
        assertThat(points(again)).isEqualTo(points(experiment));
        assertThat(again.axes()).isEqualTo(experiment.axes());
        assertThat(again.yaml()).isEqualTo(experiment.yaml());
        return points(experiment);
    }

    @Test
    void aSweepOverUrlsShowsNoPassword() {
        Experiment experiment = read("""
            sweep: {url: ['amqp://me:geheim1@h', 'amqp://me:geheim2@h', 'amqp://me:geheim1@i', 'nats://u:geheim1@a:1,u:geheim1@b:2']}
            """);
        assertThat(experiment.yaml()).doesNotContain("geheim");
        assertThat(kept(experiment)).containsExactly("url=amqp://me:***@h", "url=amqp://me:***2@h", "url=amqp://me:***@i",
            "url=nats://u:***@a:1,u:***@b:2");
        assertThat(experiment.trials()).allSatisfy(trial -> {
            EndpointChoice access = trial.workload().producers().getFirst();
            assertThat(access.wantsPassword()).isFalse();
            assertThat(access.url()).contains("geheim");
            assertThat(trial.yaml("t")).doesNotContain("geheim");
        });
    }

    @Test
    void variantsWhosePasswordsAloneDifferStayApart() throws Exception {
        Path file = Files.writeString(directory.resolve("v.yaml"), REST);
        Experiment experiment = ScenarioFile.variants(file, Changes.NONE,
            List.of("url=amqp://me:geheim1@h:5672?x=1", "producers.properties.a=1"), List.of("url=amqp://me:geheim2@h:5672?x=1"), 1);
        assertThat(kept(experiment)).containsExactly("url=amqp://me:***@h:5672?x=1, producers.properties.a=1",
            "url=amqp://me:***2@h:5672?x=1, producers.properties.a=default");
    }

    /** A user who resumes a sweep can give one password only. */
    @Test
    void aSweepThatIsReadAgainLacksItsSecondPassword() {
        Experiment again = ScenarioFile.read(read("sweep: {url: ['amqp://me:one@h', 'amqp://me:two@h']}\n").yaml(), "kept", directory,
            Changes.NONE);
        List<EndpointChoice> all = again.trials().stream().sorted(Comparator.comparingInt(Trial::index))
            .map(trial -> trial.workload().producers().getFirst()).toList();
        assertThat(all).allMatch(EndpointChoice::wantsPassword);
        assertThat(all).extracting(EndpointChoice::wantsAnotherPassword).containsExactly(false, true);
    }

    /** Guards against counting the same password under another key as a second one. */
    @Test
    void aSweepWithOnePasswordHasNoSecondOne() {
        Experiment experiment = read("""
            url: 'amqp://me:one@h1'
            sweep: {consumers: [{url: 'amqp://me:one@h1'}, {url: 'amqp://me:one@h2'}]}
            """);
        assertThat(kept(experiment)).containsExactly("consumers={url: amqp://me:***@h1}", "consumers={url: amqp://me:***@h2}");
        Experiment again = ScenarioFile.read(experiment.yaml(), "kept", directory, Changes.NONE);
        assertThat(again.trials()).noneMatch(trial -> trial.workload().consumers().getFirst().wantsAnotherPassword());
    }

    @Test
    void anAxisMayBeASecretItself() {
        Experiment experiment = read("""
            protocol: CORE
            published: [{properties.trustStorePassword: two, sent: 5/s}]
            sweep:
            - {properties.trustStorePassword: [one, two, null], mode: zip, load.rate: [1/s, 2/s, 3/s]}
            - consumers: [{properties: {keyPassword: one, a: b}}, {properties: {keyPassword: two}}]
            """);
        assertThat(experiment.yaml()).doesNotContain("one,", "two");
        assertThat(kept(experiment)).containsExactly(
            "properties.trustStorePassword=***, load.rate=1/s, consumers={properties: {keyPassword: ***, a: b}}",
            "properties.trustStorePassword=***, load.rate=1/s, consumers={properties: {keyPassword: ***2}}",
            "properties.trustStorePassword=***2, load.rate=2/s, consumers={properties: {keyPassword: ***, a: b}}",
            "properties.trustStorePassword=***2, load.rate=2/s, consumers={properties: {keyPassword: ***2}}",
            "properties.trustStorePassword=default, load.rate=3/s, consumers={properties: {keyPassword: ***, a: b}}",
            "properties.trustStorePassword=default, load.rate=3/s, consumers={properties: {keyPassword: ***2}}");
        assertThat(experiment.trials()).filteredOn(trial -> !experiment.published(trial).isEmpty()).extracting(Trial::index)
            .containsExactlyInAnyOrder(2, 3);
    }

    @Test
    void aLoginModuleHasItsPasswordWithIt() {
        String jaas = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"me\" password=\"ge;he&im\";";
        Experiment experiment = read("""
            protocol: KAFKA
            url: 'kafka://h:9092?a=b&sasl.jaas.config=%1$s'
            properties: {ssl.keystore.key: geheim, sasl.oauthbearer.token.endpoint.url: 'https://me:geheim@idp/token',
              sasl.jaas.config: '%1$s'}
            """.formatted(jaas));
        Workload workload = experiment.trials().getFirst().workload();
        for (String yaml : List.of(experiment.yaml(), workload.yaml("t", null, UnaryOperator.identity()))) {
            assertThat(yaml).doesNotContain("geheim", "he&im").contains("https://me:***@idp/token");
            EndpointChoice access =
                ScenarioFile.read(yaml, "kept", directory, Changes.NONE).trials().getFirst().workload().producers().getFirst();
            assertThat(access.hidden()).containsExactly("ssl.keystore.key", "sasl.jaas.config", "sasl.jaas.config");
            EndpointChoice whole = access.revealed(Map.of("ssl.keystore.key", "k", "sasl.jaas.config", "module"));
            assertThat(whole.hidden()).isEmpty();
            assertThat(whole.url()).isEqualTo("kafka://h:9092?a=b&sasl.jaas.config=module");
        }
    }

    /** Guards against redacted headers: every trial sent {@code token=***} with its messages. */
    @Test
    void whatIsNoParameterIsKeptWhateverItIsCalled() {
        String text = """
            message: {headers: {token: abc, password: {eu: 30%, us: 70%}, url: 'http://me:you@h'}}
            labels: {secret: mine}
            protocol: LOOPBACK
            destinations: Q
            producers: [{name: token, load: 1/s}]
            phases: [{duration: 1s, load: {token: 5/s}}]
            """;
        Experiment experiment = ScenarioFile.read("name: t\n" + text, "a.yaml", directory, Changes.NONE);
        Workload workload = experiment.trials().getFirst().workload();
        for (String yaml : List.of(experiment.yaml(), workload.yaml("t", null, UnaryOperator.identity()))) {
            Workload again = ScenarioFile.read(yaml, "kept", directory, Changes.NONE).trials().getFirst().workload();
            assertThat(again.scenario().producers().getFirst().messages().headers())
                .isEqualTo(workload.scenario().producers().getFirst().messages().headers()).contains(Header.parse("token", "abc"));
            assertThat(again.scenario().phases()).isEqualTo(workload.scenario().phases());
            assertThat(again.labels()).isEqualTo(Map.of("secret", "mine"));
        }
    }

    @Test
    void aBrokerLacksThePasswordsAmongItsSettings() {
        Experiment experiment = read("broker: {name: artemis, properties: {a.keyStorePassword: geheim, b: c}}\n");
        BrokerChoice broker = Objects.requireNonNull(experiment.trials().getFirst().broker());
        assertThat(broker.hidden()).isEmpty();
        assertThat(broker).hasToString("artemis, a.keyStorePassword=***, b=c");
        Experiment again = ScenarioFile.read(experiment.yaml(), "kept", directory, Changes.NONE);
        assertThat(Objects.requireNonNull(again.trials().getFirst().broker()).hidden()).containsExactly("a.keyStorePassword");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        load.rate=5                                       | load.rate=5
        properties.trustStorePassword=geheim              | properties.trustStorePassword=***
        properties={a: b, trustStorePassword: geheim}     | properties={a: b, trustStorePassword: ***}
        properties={a: b}                                 | properties={a: b}
        producers.url=tcp://u:geheim@h                    | producers.url=tcp://u:***@h
        url=tcp://u:gehe/im@h                             | url=tcp://***@h
        consumers.far.url=tcp://u:geheim@h                | consumers.far.url=tcp://u:***@h
        broker.properties.x.secret=geheim                 | broker.properties.x.secret=***
        message.headers.token=abc                         | message.headers.token=abc
        sweep={url: [tcp://u:geheim@h]}                   | sweep={url: [tcp://u:***@h]}
        """)
    void anOverrideIsKeptWithoutItsPassword(String set, String kept) {
        assertThat(ScenarioFile.redacted(set)).isEqualTo(kept);
    }

    @Test
    void aSentenceAboutAMistakeHasNoPassword() {
        Changes unknown = new Changes(List.of("nowhere.trustStorePassword=geheim"), false);
        assertThatThrownBy(() -> ScenarioFile.read(REST, "a.yaml", directory, unknown)).isInstanceOf(UsageException.class).message()
            .startsWith("--set nowhere.trustStorePassword=***: key ").doesNotContain("geheim");
        assertThatThrownBy(() -> read("sweep: {url: ['amqp://me:geheim@h'], consumers.keepSubscriptions: [true]}\n"))
            .isInstanceOf(UsageException.class).message().endsWith("(With url=amqp://me:***@h, consumers.keepSubscriptions=true.)");
    }
}
