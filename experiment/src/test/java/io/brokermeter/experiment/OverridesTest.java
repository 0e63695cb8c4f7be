package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.experiment.published.Published;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Overrides of keys that a file varies, that only one group has, or that have no value. */
class OverridesTest {

    private static final String SWEPT = """
        destinations: [{topic: T, queues: 4}]
        producers: 1
        load: {messages: 10}
        sweep: {destinations.0.queues: [4, 8], load.rate: [37k/s, unlimited]}
        published: [{destinations.0.queues: 4, load.rate: 37k/s, sent: 30000/s}, {load.rate: unlimited, sent: 50000/s}, {success: 100%}]
        """;

    @TempDir
    Path directory;

    private Experiment read(String text, String... sets) {
        return ScenarioFile.read(text, "a.yaml", directory, new Changes(List.of(sets), false));
    }

    private static List<String> points(Experiment experiment) {
        return experiment.trials().stream().sorted(Comparator.comparingInt(Trial::index)).map(trial -> trial.point().toString()).distinct()
            .toList();
    }

    private void assertRefused(String sentence, String text, String... sets) {
        assertThatThrownBy(() -> read(text, sets)).isInstanceOf(UsageException.class).hasMessageContaining(sentence);
    }

    @Test
    void aVaryingKeyThatIsSetNoLongerVaries() {
        assertThat(points(read(SWEPT, "load.rate=20k/s"))).containsExactly("destinations.0.queues=4", "destinations.0.queues=8");
        assertThat(points(read(SWEPT, "load={rate: 20k/s, messages: 10}"))).hasSize(2);
        assertThat(points(read(SWEPT, "load=20k/s"))).hasSize(2);
        assertThat(points(read(SWEPT, "load={messages: 20}"))).as("no rate is set").hasSize(4);
        assertThat(points(read(SWEPT, "load.rate=null"))).hasSize(2);
        assertThat(points(read(SWEPT, "load.rate=1k/s", "destinations.0.queues=2"))).containsExactly("");
        assertThat(points(read(SWEPT, "load.rate=1k/s", "sweep.load.rate=[2k/s, 3k/s]"))).as("the later one takes precedence").hasSize(4);
        String zip = SWEPT.replace("sweep: {", "sweep: [{load.messages: [10, 20]}, {mode: zip, ").replace("]}\npub", "]}]\npub");
        assertThat(points(read(zip, "load.rate=1k/s"))).hasSize(4).contains("load.messages=10, destinations.0.queues=8");
        assertThat(points(read(zip, "load.rate=1k/s", "destinations.0.queues=2"))).containsExactly("load.messages=10", "load.messages=20");
    }

    @Test
    void aPathInAnotherFormIsTheSameKey() {
        String list = "destinations: A\nproducers: [{name: fast}]\nsweep: {producers.0.load.rate: [1/s, 2/s]}\n";
        assertThat(points(read(list, "producers.fast.load=3/s"))).containsExactly("");
        assertThat(points(read("destinations: A\nproducers: 1\nsweep: {producers.count: [1, 2]}\n", "producers.0.count=3")))
            .containsExactly("");
        assertRefused("it varies twice", "destinations: A\nproducers: 1\nsweep: {producers.count: [1], producers.0.count: [2]}\n");
    }

    @Test
    void aKeyBelowOneThatVariesAsAWholeIsRefused() {
        assertRefused("--set broker.heap=2g: key 'broker.heap': 'broker' varies as a whole in the sweep; set 'broker', or take the sweep "
            + "out with --set sweep=null.", "destinations: A\nproducers: 1\nsweep: {broker: [artemis, kafka]}\n", "broker.heap=2g");
    }

    @Test
    void publishedRowsOfOtherValuesAreLeftOut() {
        assertThat(read(SWEPT, "load.rate=20k/s").published()).extracting(Published::where).hasSize(1);
        assertThat(read(SWEPT, "load.rate=37k/s").published()).hasSize(2);
        assertThat(read(SWEPT, "load.rate=unlimited", "destinations.0.queues=8").published()).hasSize(2);
    }

    @Test
    void whatIsKeptMakesTheSameTrialsAgain() {
        Experiment set = read(SWEPT, "load.rate=20k/s");
        Experiment again = ScenarioFile.read(set.yaml(), "kept", Path.of("/nowhere"), Changes.NONE);
        assertThat(again.trials()).extracting(Trial::point).isEqualTo(set.trials().stream().map(Trial::point).toList());
        Trial trial = set.trials().getFirst();
        Trial alone = ScenarioFile.read(trial.yaml("t"), "trial", Path.of("/nowhere"), Changes.NONE).trials().getFirst();
        assertThat(alone.workload().scenario().producers()).isEqualTo(trial.workload().scenario().producers());
    }

    private Workload workload(String text, String... sets) {
        return read(text, sets).trials().getFirst().workload();
    }

    @Test
    void aNameWithoutAValueIsAsIfItWereNotThere() {
        String text = "destinations: A\nproducers: 1\nproperties: {a: , b: '', c: ~}\nmessage: {headers: {d: null, e: 1}}\n";
        Workload read = workload(text);
        assertThat(read.producers().getFirst().properties()).isEqualTo(Map.of("b", ""));
        assertThat(read.scenario().producers().getFirst().messages().headers()).containsExactly(Header.parse("e", "1"));
        assertThat(workload(text, "properties.b=null", "properties.f=\"\"").producers().getFirst().properties()).isEqualTo(Map.of("f", ""));
        assertThat(workload(read(text).trials().getFirst().yaml("t")).producers()).isEqualTo(read.producers());
    }

    private Messages messages(String file, String group) {
        return workload("destinations: A\nduration: 5s\nmessage: {%s}\nproducers: {message: {%s}}\n".formatted(file, group)).scenario()
            .producers().getFirst().messages();
    }

    @Test
    void aGroupsBodyKeepsTheSizeOfTheFileUnlessItHasOne() {
        Content half = Content.parse("compressible:50%");
        assertThat(messages("size: 10KiB", "body: 'compressible:50%'")).extracting(Messages::content, Messages::sizes)
            .containsExactly(half, new Sizes.Fixed(10240));
        assertThat(messages("body: 'compressible:50%'", "size: 10KiB")).extracting(Messages::content, Messages::sizes)
            .containsExactly(half, new Sizes.Fixed(10240));
        assertThat(messages("size: 10KiB", "body: 'text:A'")).isEqualTo(messages("body: 'text:A'", ""));
        assertThat(messages("body: 'text:A'", "size: 10KiB")).isEqualTo(messages("size: 10KiB", ""));
        assertThat(messages("size: 10KiB", "size: ~")).isEqualTo(messages("size: 10KiB", ""));
    }

    @Test
    void aKeyOfTheFileThatEveryGroupReplacesCannotBeSetOrVary() {
        String own = "destinations: A\nproducers: {load: {messages: 10k}}\n";
        String sentence = "it has no effect, since every group replaces 'load' by its own; name 'producers.load.rate' in its place.";
        assertRefused("--set load.rate=5k/s: key 'load.rate': " + sentence, own, "load.rate=5k/s");
        assertRefused("a.yaml:3: key 'sweep.load.rate': " + sentence, own + "sweep: {load.rate: [1k/s, 5k/s]}\n");
        assertRefused("every group replaces 'load' by its own", "destinations: A\nproducers: 1\nsweep: {producers.load.rate: [1/s, 2/s]}\n",
            "load=3/s");
        assertRefused("name 'producers.0.destinations.queue' in its place",
            "producers: [{destinations: A}]\nconsumers: {destinations: A}\n",
            "destinations.queue=B");
        assertRefused("every group replaces 'message.size' by its own; name 'producers.message.size'",
            "destinations: A\nduration: 5s\nproducers: {message: {size: 1KiB}}\n", "message=2KiB");
        assertThat(read("destinations: A\nduration: 5s\nproducers: [{load: 5/s}, {}]\nmessage: {persistent: true}\n", "load.rate=7/s",
            "message.size=1KiB", "destinations.queue=B").trials()).hasSize(1);
        assertRefused("it has no effect", "destinations: A\nduration: 5s\nproducers: {message: {body: 'text:A'}}\n", "message.size=2KiB");
        assertThat(read(own, "load.rate=null").trials()).hasSize(1);
    }

    @Test
    void anAccessThatEveryGroupReplacesCannotBeSetOrVary() {
        String groups = "destinations: A\nduration: 5s\nproducers: {%1$s}\nconsumers: [{%1$s}, {%2$s}]\n";
        for (String key : List.of("url: 'amqp://a'", "protocol: AMQP", "network: rtt=1ms", "user: me", "clientId: x", "connectTimeout: 1s",
            "properties: {p.q: 1}")) {
            String path = key.startsWith("prop") ? "properties.p.q" : key.substring(0, key.indexOf(':'));
            String own = groups.formatted(key, key);
            String sentence = "it has no effect, since every group replaces '" + path + "' by its own; name 'producers." + path
                + "' in its place.";
            String value = key.startsWith("url") ? "amqp://b" : key.startsWith("conn") ? "2s" : key.startsWith("net") ? "rtt=2ms" : "core";
            assertRefused("--set " + path + "=" + value + ": key '" + path + "': " + sentence, own, path + "=" + value);
            assertRefused("key 'sweep." + path + "': " + sentence, own + "sweep: {" + path + ": ['" + value + "']}\n");
            assertThat(read(groups.formatted(key, ""), path + "=" + value).trials()).as(path + " of the third group").hasSize(1);
        }
        String own = groups.formatted("properties: {a: 1, b: 2}", "properties: {a: 1, b: 2}");
        assertRefused("every group replaces 'properties.a' by its own; name 'producers.properties.a' in its place.", own,
            "properties={a: 3, b: 4}");
        assertThat(read(own, "properties={a: 3, c: 4}").trials()).as("one of them has an effect").hasSize(1);
    }

    /** Parameters of the file belong to its protocol, so only groups with this protocol have them. */
    @Test
    void aProtocolThatEveryGroupReplacesDecidesWhichOfThemHaveTheParametersOfTheFile() {
        String text = "destinations: A\nduration: 5s\nprotocol: AMQP\nproperties: {a: 1}\nproducers: {protocol: CORE}\n";
        assertThat(workload(text).producers().getFirst().properties()).isEmpty();
        assertThat(workload(text, "protocol=CORE").producers().getFirst().properties()).isEqualTo(Map.of("a", "1"));
    }

    @Test
    void aBodyOrAllKeysOfMessagesThatTheMessagesOfEveryGroupTakeAwayCannotBeSetOrVary() {
        String sized = "destinations: A\nduration: 5s\nproducers: {message: {size: 2KiB}}\n";
        assertRefused(
            "--set message.body=text:A: key 'message.body': it has no effect, since every group has a size or a body of its own, which "
                + "takes its place; name 'producers.message.body' in its place.",
            sized, "message.body=text:A");
        assertRefused("key 'sweep.message.body': it has no effect", sized + "sweep: {message.body: [random, 'text:A']}\n");
        assertRefused("every group replaces 'message.size' by its own; name 'producers.message.size' in its place.", sized,
            "message={size: 1KiB}");
        assertRefused("key 'sweep.message': it has no effect", sized + "sweep: {message: [{size: 1KiB}, {size: 16KiB}]}\n");
        assertThat(workload(sized, "message.body=compressible:50%").scenario().producers().getFirst().messages().content())
            .isEqualTo(new Content.Compressible(0.5));
        assertThat(read(sized, "message={size: 1KiB, persistent: true}").trials()).as("one of them has an effect").hasSize(1);
    }

    @Test
    void aBodyWithoutAValueIsKeptAsOne() {
        String text = "destinations: A\nduration: 5s\nproducers: 1\nmessage: {size: 64, body: %s}\n";
        for (Workload workload : List.of(workload(text.formatted("")),
            workload(text.formatted("'compressible:50%'"), "message.body=null"))) {
            String kept = workload.yaml("a", null, UnaryOperator.identity());
            assertThat(workload(kept).scenario().producers().getFirst().messages().content()).isEqualTo(new Content.Random());
        }
    }

    @Test
    void anOverrideThatHasAnEffectAtSomePointsIsKept() {
        String text = "destinations: A\nduration: 5s\nproducers: 1\nsweep: {producers.message.size: [null, 1KiB, 10KiB]}\n";
        assertThat(read(text, "message.size=256B").trials().stream()
            .map(trial -> trial.workload().scenario().producers().getFirst().messages().sizes()).toList())
            .containsExactlyInAnyOrder(new Sizes.Fixed(256), new Sizes.Fixed(1024), new Sizes.Fixed(10_240));
        assertRefused("key 'message.size': it has no effect", text.replace("null, ", ""), "message.size=256B");
    }

    @Test
    void aLoadInWhosePlaceEveryPhaseHasOneCannotBeSetOrVary() {
        String text = "destinations: A\nproducers: [{name: fast}, {load: 2/s}]\nphases: [{duration: 5s, load: %s}]\n";
        String sentence = "it has no effect, since every phase has a load in its place; name 'phases.0.load' in its place.";
        String all = text.formatted("5k/s");
        assertRefused("--set load.rate=1k/s: key 'load.rate': " + sentence, all, "load.rate=1k/s");
        assertRefused("key 'load': " + sentence, all, "load={ratePerProducer: 1k/s}");
        assertRefused("key 'producers.1.load': " + sentence, all, "producers.1.load=1k/s");
        assertRefused("key 'sweep.load.rate': " + sentence, all + "sweep: {load.rate: [1k/s, 2k/s]}\n");
        assertRefused(sentence, text.formatted("{fast: 5k/s}"), "load.rate=1k/s");
        assertRefused(sentence, text.formatted("{producers-2: 5k/s}"), "producers.1.load.rate=1k/s");
        assertThat(read(text.formatted("{fast: 5k/s}"), "producers.1.load.rate=1k/s").trials()).hasSize(1);
        assertThat(read(text.formatted("{producers-2: 5k/s}"), "load.rate=1k/s").trials()).hasSize(1);
        assertThat(read(text.formatted("5k/s}, {duration: 5s"), "load.rate=1k/s").trials()).as("the second phase has none").hasSize(1);
        assertThat(read(all, "load.messages=10", "producers.0.properties.load=x").trials()).hasSize(1);
    }

    @Test
    void theLoadOfAPhaseForAllGroupsIsNotLostByThatOfOne() {
        String text = "destinations: A\nproducers: [{name: fast}, {name: slow}]\nphases: [{duration: 10s, load: %s}]\n";
        assertRefused(
            "--set phases.0.load.fast=1k/s: key 'phases.0.load.fast': 'phases.0.load' is one load for all groups, 5k/s; set it as "
                + "a whole, with the load of each group, like {fast: 1k/s}.",
            text.formatted("5k/s"), "phases.0.load.fast=1k/s");
        assertRefused("'phases.0.load' is one load for all groups", text.formatted("5k/s") + "sweep: {phases.0.load.fast: [1/s, 2/s]}\n");
        assertThat(workload(text.formatted("{slow: 5k/s}"), "phases.0.load.fast=1k/s").scenario().phases().getFirst().loads()).hasSize(2);
        assertThat(workload(text.formatted("~"), "phases.0.load.fast=1k/s").scenario().phases().getFirst().loads()).hasSize(1);
        assertRefused("'sweep' is a list of sweeps", SWEPT.replace("sweep: {", "sweep: [{").replace("]}\npub", "]}]\npub"),
            "sweep.load.rate=[1k/s]");
    }

    @Test
    void aScaleOfOneTakesThePlaceOfTheFiles() {
        String text = "destinations: A\nproducers: 1\nload: {messages: 100k}\nscale: 0.05\n";
        for (Double scale : new Double[] {null, 1.0, 0.5}) {
            long messages =
                ScenarioFile.read(text, "a.yaml", directory, Changes.NONE.scaled(scale)).trials().getFirst().workload().scenario()
                    .producers().getFirst().messageCount();
            assertThat(messages).isEqualTo(scale == null ? 5_000 : scale == 1 ? 100_000 : 50_000);
        }
    }

    @Test
    void anOptionAboutAgentsIsRefusedByNameBesideASweepOfThemAndAVariableLeavesThemToIt() {
        String text = "destinations: A\nduration: 5s\nproducers: 1\nagents: 2\nsweep: {%s: [1, 3]}\n";
        assertThatThrownBy(() -> among(text.formatted("agents"), false)).isInstanceOf(UsageException.class)
            .hasMessageStartingWith("--agents 4: key 'agents.hosts': 'agents' varies as a whole in the sweep;");
        assertThat(among(text.formatted("agents"), true)).containsExactlyInAnyOrder(1, 3);
        assertThat(among(text.formatted("agents.hosts"), true)).containsExactlyInAnyOrder(1, 3);
        assertThat(among(text.formatted("agents.hosts"), false)).containsExactly(4);
        assertThat(among(text.formatted("producers.count"), true)).containsExactly(4, 4);
    }

    private List<Integer> among(String text, boolean variable) {
        Changes changes = Changes.NONE.setting(List.of(new Changes.Set("agents.hosts", "4", "--agents", variable)));
        return ScenarioFile.read(text, "a.yaml", directory, changes).trials().stream().map(trial -> trial.workload().agents().needed())
            .toList();
    }
}
