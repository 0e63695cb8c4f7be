package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two variants of a scenario file, and the differences of scenario files. */
class VariantsTest {

    private static final String REST = """
        producers: {destinations: [queue://A], load: {messages: 10}, message: {size: 1KiB}}
        consumers: {destinations: [queue://A]}
        """;

    @TempDir
    Path directory;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private Experiment variants(String text, List<String> first, List<String> second) throws IOException {
        return ScenarioFile.variants(file("v.yaml", text), Changes.NONE, first, second, 3);
    }

    private static List<String> points(Experiment experiment) {
        return experiment.trials().stream().sorted(Comparator.comparingInt(Trial::index)).map(trial -> trial.point().toString()).distinct()
            .toList();
    }

    @Test
    void aKeyThatOneVariantNamesHasTheFilesValueInTheOther() throws IOException {
        assertThat(points(variants("broker: {name: artemis, heap: 2g}\n" + REST, List.of(), List.of("broker.heap=4g"))))
            .containsExactly("broker.heap=2g", "broker.heap=4g");
        assertThat(points(variants("broker: artemis\n" + REST, List.of("broker.heap=4g"), List.of("producers.message.size=2KiB"))))
            .containsExactly("broker.heap=4g, producers.message.size=1KiB", "broker.heap=default, producers.message.size=2KiB");
        Experiment other = variants("broker: artemis\n" + REST, List.of(), List.of("broker.name=activemq"));
        assertThat(other.trials().stream().map(trial -> Objects.requireNonNull(trial.broker()).name().name()).distinct())
            .containsExactlyInAnyOrder("artemis", "activemq");
    }

    private List<Workload> both(String text, String second) throws IOException {
        return variants(text, List.of(), List.of(second)).trials().subList(0, 2).stream().sorted(Comparator.comparingInt(Trial::index))
            .map(Trial::workload).toList();
    }

    @Test
    void aNameThatOneVariantNamesIsNotThereInTheOther() throws IOException {
        for (String set : List.of("properties.linger.ms=5", "producers.properties.linger.ms=5")) {
            assertThat(both(REST, set)).extracting(one -> one.producers().getFirst().properties())
                .containsExactly(Map.of(), Map.of("linger.ms", "5"));
        }
        assertThat(both(REST, "message.headers.colour=red")).extracting(one -> one.scenario().producers().getFirst().messages().headers())
            .containsExactly(List.of(), List.of(Header.parse("colour", "red")));
        assertThat(both("phases: [{duration: 5s}]\n" + REST.replace(", load: {messages: 10}", ""), "phases.0.load.producers=5/s"))
            .extracting(one -> one.scenario().phases().getFirst().loads().keySet()).containsExactly(Set.of(), Set.of("producers"));
        assertThat(both(REST, "labels.colour=red")).extracting(Workload::labels).containsExactly(Map.of(), Map.of("colour", "red"));
        Experiment brokers = variants("broker: artemis\n" + REST, List.of(), List.of("broker.properties.global-max-size=1G"));
        assertThat(brokers.trials()).extracting(trial -> Objects.requireNonNull(trial.broker()).options().properties().keySet())
            .contains(Set.of(), Set.of("global-max-size"));
    }

    /** Also if a key below it replaces one of the whole file, and if there is no such group. */
    @Test
    void aKeyOfAGroupThatOneVariantNamesChangesNothingInTheOther() throws IOException {
        String text = "message: {size: 3KiB, headers: {a: 1}}\n" + REST.replace(", message: {size: 1KiB}", "");
        assertThat(both(text, "producers.message.size=2KiB")).extracting(one -> one.scenario().producers().getFirst().messages().sizes())
            .containsExactly(new Sizes.Fixed(3072), new Sizes.Fixed(2048));
        assertThat(both(text, "producers.message.headers.b=2")).extracting(
            one -> one.scenario().producers().getFirst().messages().headers()).containsExactly(List.of(Header.parse("a", "1")),
                List.of(Header.parse("b", "2")));
        assertThat(both(text.replaceAll("consumers:.*", ""), "consumers.destinations=queue://A"))
            .extracting(one -> one.scenario().consumers().size()).containsExactly(0, 1);
    }

    @Test
    void groupsWithTheSameMessagesAreNoDifference() throws IOException {
        String group = "destinations: A\nduration: 5s\nproducers: {message: {%s}}\nmessage: {%s}\n";
        Path compressible = file("compressible.yaml", group.formatted("body: 'compressible:50%'", "size: 10KiB"));
        assertThat(ScenarioDifference.between(compressible, file("1.yaml", group.formatted("size: 10KiB", "body: 'compressible:50%'"))))
            .isEmpty();
        assertThat(ScenarioDifference.between(compressible, file("2.yaml", group.formatted("body: 'compressible:50%'", "size: 1KiB"))))
            .containsExactly(new ScenarioDifference("producers.message.size", "10KiB", "1KiB"));
        Path text = file("text.yaml", group.formatted("body: 'text:A'", "size: 10KiB"));
        assertThat(ScenarioDifference.between(text, file("3.yaml", group.formatted("body: 'text:A'", "persistent: false")))).isEmpty();
    }

    @Test
    void everyRoundHasBothWithOneSeed() throws IOException {
        Experiment experiment = variants(REST, List.of("url=loopback://a"), List.of("url=loopback://b"));
        assertThat(experiment.trials()).hasSize(6);
        for (int round = 0; round < 3; round++) {
            List<Trial> both = experiment.trials().subList(2 * round, 2 * round + 2);
            assertThat(both).extracting(Trial::index).containsExactlyInAnyOrder(0, 1);
            assertThat(both).extracting(trial -> trial.workload().scenario().seed()).containsOnly(experiment.seed() + round);
        }
    }

    @Test
    void mistakesAreTold() {
        assertThatThrownBy(() -> variants(REST, List.of("load.rate=1k/s"), List.of("load.rate=5k/s"))).isInstanceOf(UsageException.class)
            .hasMessageContaining("every group replaces 'load' by its own");
        assertThatThrownBy(() -> variants(REST + "sweep: {seed: [1, 2]}\n", List.of(), List.of("url=loopback://b")))
            .isInstanceOf(UsageException.class).hasMessageContaining("has a sweep of its own");
        assertThatThrownBy(() -> variants(REST, List.of(), List.of("url"))).isInstanceOf(UsageException.class)
            .hasMessage("--b 'url' needs a key and a value, like broker.version=2.44.0.");
        assertThatThrownBy(() -> variants(REST, List.of("broker=artemis"), List.of("broker.heap=1g"))).isInstanceOf(UsageException.class)
            .hasMessageContaining("it overlaps with 'broker'");
    }

    @Test
    void filesDifferInWhatTheyMean() throws IOException {
        Path first = file("a.yaml", "name: a\nseed: 1\n" + REST);
        assertThat(ScenarioDifference.between(first, file("b.yaml", "name: b\nseed: 2\n" + REST.replace("1KiB", "1024")))).isEmpty();
        assertThat(ScenarioDifference.between(first, file("s.yaml", "scale: 1\n" + REST))).isEmpty();
        assertThat(ScenarioDifference.between(first, file("n.yaml", "faults:\nthresholds:\nload:\n" + REST))).isEmpty();
        assertThat(ScenarioDifference.between(first, file("r.yaml", REST.replace("producers: {", "producers: {request: true, "))))
            .containsExactly(new ScenarioDifference("producers.request", "default", "true"));
        Path sending = file("p.yaml", REST.replaceAll("consumers:.*", ""));
        assertThat(ScenarioDifference.between(sending, file("q.yaml", REST.replaceAll("consumers:.*", "consumers:")))).isEmpty();
        assertThat(ScenarioDifference.between(first, file("t.yaml", "scale: 0.5\nduration: 60s\n" + REST)))
            .contains(new ScenarioDifference("scale", "default", "0.5"));
        assertThat(ScenarioDifference.between(first, file("c.yaml", "url: tcp://x:1\n" + REST.replace("1KiB", "2KiB"))))
            .containsExactly(new ScenarioDifference("producers.message.size", "1KiB", "2KiB"),
                new ScenarioDifference("url", "default", "tcp://x:1"));
    }
}
