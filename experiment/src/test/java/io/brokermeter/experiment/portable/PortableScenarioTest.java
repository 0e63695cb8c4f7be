package io.brokermeter.experiment.portable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.spi.parameter.StoreParameter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortableScenarioTest {

    private static final String PLAIN = """
        name: plain
        destinations: queue://Q
        producers: {count: 3}
        consumers: {count: 2}
        message: {headers: {url: 'file:x', path: /tmp}}
        load: 100/s
        duration: 1s
        """;

    @TempDir
    Path directory;

    private Workload workload(String yaml) {
        return ScenarioFile.read(yaml, "test", directory, Changes.NONE).trials().getFirst().workload();
    }

    @Test
    void theTextHasNeitherTheWayToTheBrokerNorWhatTheCoordinatorDoes() throws Exception {
        Path password = Files.writeString(directory.resolve("password"), "secret");
        String text = PortableScenario.parcel(workload(PLAIN + """
            url: tcp://h:1
            user: u
            passwordFile: %s
            properties: {ssl-password: hidden}
            thresholds: ['lost == 0']
            labels: {broker: own}
            """.formatted(password)), "plain").text();
        assertThat(text).contains("user: u", "url: ").doesNotContain("tcp://h", "password", "hidden", "lost ==", directory.toString());
        assertThat(workload(text).scenario().producers().getFirst().messages())
            .isEqualTo(workload(PLAIN).scenario().producers().getFirst().messages());
        assertThat(workload(text).labels()).containsEntry("broker", "own");
        assertThatCode(() -> PortableScenario.require(text, Set.of())).doesNotThrowAnyException();
    }

    /**
     * The groups include one with the name of a key that is left out of portable scenarios, and one with the name of a key below which all
     * texts are the user's.
     */
    @Test
    void everyGroupKeepsItsLoadOfAPhase() throws Exception {
        Path times = Files.writeString(directory.resolve("times"), "1769860800\n1769860801\n");
        PortableFiles portable = PortableScenario.parcel(workload("""
            destinations: queue://Q
            producers: [{name: network}, {name: labels}, {name: other}]
            phases: [{duration: 10s, load: {network: 1k/s, labels: 'trace:times', other: 5k/s}}]
            """), "t");
        assertThat(portable.text()).contains("network: 1k/s", "trace:enclosed/1", "other: 5k/s");
        assertThat(portable.files()).containsExactly(Map.entry("enclosed/1", times));
        assertThatCode(() -> PortableScenario.require(portable.text(), Set.of("enclosed/1"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortableScenario.require(portable.text(), Set.of()))
            .hasMessageContaining("did not come with the scenario");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"agents: 3 | {} | {} | 3 | 3", "agents: 3 | {count: 2} | {} | 2 | 3",
        "agents: 'localhost:1,localhost:2,localhost:3' | {on: b} | {on: [a, c]} | 1 | 2",
        "agents: 3 | {destinations: 'topic://T'} | {destinations: 'topic://T'} | 3 | 1",
        "agents: 3 | {} | {destinations: 'topic://T', shared: 1} | 3 | 3", "agents: 5 | {destinations: [a, b]} | {} | 3 | 5",
        "agents: 3 | {} | {messages: 7} | 3 | 1", "agents: 3 | {clientId: x} | {} | 1 | 3",
        "{protocol: LOOPBACK, agents: 3} | {destinations: 'topic://T'} | {destinations: 'topic://T'} | 1 | 1",
        "agents: 2 | {on: {label: near}} | {} | 1 | 2", "agents: none | {} | {} | 1 | 1"})
    void whereNothingSaysHowManyThereIsOneForEachAgent(String own, String producers, String consumers, int sending, int receiving) {
        String more = own.replaceAll("[{}]", "").replace(", agents", "\nagents");
        Workload workload = workload(PLAIN.replace("{count: 2}", consumers).replace("{count: 3}", producers) + more + "\n");
        assertThat(workload.scenario().producers().getFirst().perDestination()).isEqualTo(sending);
        assertThat(workload.scenario().consumers().getFirst().perDestination()).isEqualTo(receiving);
        Workload again = workload(PortableScenario.parcel(workload, "t").text());
        assertThat(again.scenario().producers().getFirst().perDestination()).isEqualTo(sending);
        assertThat(again.scenario().consumers().getFirst().perDestination()).isEqualTo(receiving);
    }

    @Test
    void aTemplateTravelsWithItsTextAndOtherFilesBesideIt() throws Exception {
        Path file = Files.writeString(directory.resolve("body"), "a line\n");
        assertThat(PortableScenario.parcel(workload(PLAIN.replace("message: {", "message: {body: 'template:" + file + "', ")), "t").text())
            .contains("text:a line");
        PortableFiles portable = PortableScenario.parcel(workload(PLAIN.replace("message: {", "message: {body: 'lines:body', ")), "t");
        assertThat(portable.text()).contains("lines:enclosed/1").doesNotContain(directory.toString());
        assertThat(portable.files()).containsExactly(Map.entry("enclosed/1", file));
        assertThat(portable.contents()).containsExactly(Map.entry("enclosed/1", "YSBsaW5lCg=="));
        assertThatCode(() -> PortableScenario.require(portable.text(), Set.of("enclosed/1"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortableScenario.require(portable.text(), Set.of()))
            .hasMessageContaining("did not come with the scenario");
        for (String path : List.of("../x", "enclosed/../../x", "/etc/passwd", "enclosed/x", "scenario.yaml")) {
            assertThatThrownBy(() -> PortableScenario.require("name: t", Set.of(path))).isInstanceOf(UsageException.class);
        }
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(PortableScenario.MOST_BYTES + 1L);
        }
        assertThatThrownBy(portable::contents).isInstanceOf(UsageException.class).hasMessageContaining("at most 16 MiB")
            .hasMessageContaining("body");
        Files.delete(file);
        assertThatThrownBy(portable::contents).isInstanceOf(UsageException.class).hasMessageContaining("cannot be read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"directory: /etc", "passwordFile: /etc/passwd", "passwordEnv: HOME", "url: tcp://h", "properties: {jndi: /x}",
        "faults: ['run id at 1s']", "broker: artemis", "consumers: [{passwordFile: /x}]", "phases: [{load: 'trace:/x'}]",
        "message: {body: ' FILE:/etc/shadow'}", "message: {body: 'lines:enclosed/2'}"})
    void whatNamesSomethingOfTheMachineIsRefusedBeforeItIsRead(String line) {
        assertThatThrownBy(() -> PortableScenario.require(line, Set.of("enclosed/1"))).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"trustStorePath", "ssl.truststore.location", "key-store", "client-jars", "partitioner.class", "sasl.jaas.config",
            "jndi", "metric.reporters", "connectionFactoryClassName"})
    void parametersOfFilesAndClassesAreRefusedWithoutTheirValues(String name) {
        assertThatThrownBy(() -> PortableScenario.require("tcp://h", Map.of(name, "v4lue"), List.of(), Set.of()))
            .isInstanceOf(UsageException.class)
            .hasMessageContaining(name).hasMessageNotContaining("v4lue");
        assertThatThrownBy(() -> PortableScenario.require("tcp://h?a=b&" + name + "=v4lue", Map.of(), List.of(), Set.of()))
            .isInstanceOf(UsageException.class);
    }

    @Test
    void othersAreNot() {
        assertThatCode(() -> PortableScenario.require("(tcp://a:1,tcp://b:2)?storage=memory&verifyHost=false",
            Map.of("queues", "3", "acks", "all", "statistics", "true", "profile", "x"), List.of(), Set.of())).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortableScenario.require("tcp://h", Map.of("x", "/etc/passwd"), List.of(), Set.of()))
            .isInstanceOf(UsageException.class);
    }

    private static final List<StoreParameter> STORES = List.of(new StoreParameter("trustStorePath", Set.of("trustStorePassword")));

    @Test
    void storesThatADriverNamesTravelAndNothingElseDoes() throws Exception {
        Path file = Files.writeString(directory.resolve("a store"), "s");
        String url = "(tcp://a:1?trustStorePath=" + file.toString().replace(" ", "%20") + ",tcp://b:2)?trustStorePath=";
        PortableFiles portable = PortableScenario.parcel(workload(PLAIN), "t");
        String there = portable.url(url, STORES);
        Map<String, String> properties =
            portable.properties(Map.of("trustStorePath", file.toString(), "trustStorePassword", "/pass", "acks",
                "all"), STORES);
        assertThat(there).isEqualTo("(tcp://a:1?trustStorePath=enclosed/1,tcp://b:2)?trustStorePath=");
        assertThat(properties)
            .isEqualTo(Map.of("trustStorePath", "enclosed/1", "trustStorePassword", "/pass", "acks", "all"));
        assertThat(portable.contents()).containsExactly(Map.entry("enclosed/1", "cw=="));
        assertThat(portable.local("a enclosed/1, enclosed/11")).isEqualTo("a " + file + ", enclosed/11");
        assertThat(portable.local("enclosed/enclosed/1")).isEqualTo("enclosed/" + file);
        assertThat(portable.local("nothing")).isEqualTo("nothing");
        Path alike = Files.writeString(Files.createDirectory(directory.resolve("enclosed")).resolve("1"), "s");
        assertThat(portable.enclose(alike)).isEqualTo("enclosed/2");
        assertThat(portable.local("enclosed/2 and enclosed/1")).isEqualTo(alike + " and " + file);
        assertThatCode(() -> PortableScenario.require(there, properties, STORES, portable.files().keySet())).doesNotThrowAnyException();
        assertThatThrownBy(() -> PortableScenario.require(there, Map.of(), List.of(), portable.files().keySet()))
            .isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> PortableScenario.require(there, Map.of(), STORES, Set.of()))
            .hasMessageContaining("did not come with the run");
        assertThat(StoreFiles.url(there, STORES, (_, path) -> path.isEmpty() ? "" : "/t m/" + path))
            .isEqualTo("(tcp://a:1?trustStorePath=/t%20m/enclosed/1,tcp://b:2)?trustStorePath=");
        for (String path : List.of("missing", ".")) {
            assertThatThrownBy(() -> PortableScenario.parcel(workload(PLAIN), "t").url("tcp://h?trustStorePath=" + path, STORES))
                .isInstanceOf(UsageException.class).hasMessageContaining("trustStorePath").hasMessageContaining(path);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://h?trustStorePath=/etc/passwd", "tcp://h?trustStorePath=enclosed/2", "tcp://h?jars=enclosed/1",
        "tcp://h?trustStorePath=enclosed/1;/../../../etc/passwd", "tcp://h?trustStorePath=enclosed/1?/../../../etc/passwd",
        "tcp://h?trustStorePath=enclosed/1,/../../../etc/passwd", "tcp://h?trustStorePath=enclosed/1%2F..%2F..%2Fx",
        "tcp://h?a=1;trustStorePath=/etc/passwd", "tcp://h?a=1#tcp://b?trustStorePath=/etc/passwd", "tcp://h?x=%2Fetc%2Fpasswd",
        "tcp://h?%63lass=Evil", "tcp://h?trustStorePath=enclosed/1&keyStorePath=enclosed/1", "tcp://h?x=%0A/etc/passwd"})
    void noUrlLeadsToAnotherFile(String url) {
        assertThatThrownBy(() -> PortableScenario.require(url, Map.of(), STORES, Set.of("enclosed/1"))).isInstanceOf(UsageException.class);
    }

    @Test
    void aParameterOfAUrlIsReadAsClientsReadIt() {
        for (String url : List.of("tcp://h?trust%53torePath=v", "tcp://h?x=%2Fetc%2Fpasswd")) {
            assertThatThrownBy(() -> PortableScenario.require(url, Map.of(), List.of(), Set.of())).isInstanceOf(UsageException.class);
        }
        for (String url : List.of("amqp://h?vhost=%2F", "tcp://h?rate=5%", "tcp://h?x=%zz")) {
            assertThatCode(() -> PortableScenario.require(url, Map.of(), List.of(), Set.of())).doesNotThrowAnyException();
        }
    }
}
