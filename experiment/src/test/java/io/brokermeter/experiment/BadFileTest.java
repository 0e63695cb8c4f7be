package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.EndpointChoice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors in scenario files. Each is one line with file, line and key, before anything starts. */
class BadFileTest {

    private static final String GOOD = "destinations: [queue://A]\nproducers: {}\n";

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {
        "protocl: CORE # protocl # did you mean 'protocol'?",
        "producers: {maxPendng: 5} # producers.maxPendng # did you mean 'maxPending'?",
        "producers: {maxInFlight: 5} # producers.maxInFlight # it is called 'maxPending'",
        "maxPending: 5 # maxPending # it belongs to 'producers.maxPending'",
        "producers: {count: two} # producers.count # 'two' must be a whole number of at least 1",
        "producers: {count: [1, 2]} # producers.count # to vary it, name it in 'sweep'",
        "producers: {password: x} # producers.password # a password does not stand in a file",
        "producers: {thinkTime: 5} # producers.thinkTime # needs a unit, like 5ms",
        "producers: [] # producers # the list is empty",
        "producers: {name: [a]} # producers.name # must be a text, not a list",
        "consumers: {processing: 2 lightyears} # consumers.processing # is not a time",
        "interval: 5ms # interval # at least 10ms",
        "consumers: {ackMode: bach} # consumers.ackMode # did you mean 'batch'?",
        "consumers: {reject: 140%} # consumers.reject # 140%",
        "consumers: {ackMode: auto, batch: 5} # consumers.ackMode # leave out 'batch'",
        "consumers: {keepSubscriptions: true} # consumers.keepSubscriptions # durable",
        "consumers: {summarize: {every: 1s}} # consumers.summarize # needs 'to'",
        "consumers: {selector: {a: b}} # consumers.selector # not keys with values",
        "agents: 0 # agents # 1 to 64 of them can be started",
        "agents: 'a b' # agents # hosts like host1,host2:7801",
        "agents: [a, {b: c}] # agents # hosts like host1,host2:7801",
        "agents: 'a,b,a' # agents # a is named twice",
        "agents: 'a:99999' # agents # 99999 is no port",
        "agents: 'dns:' # agents # '' is no host",
        "agents: [a, b] # agents.hosts # it needs 'keyFile'",
        "agents: {hosts: 2, onLoss: shrug} # agents.onLoss # none of end, continue",
        "agents: {hosts: 2, expect: 3} # agents.expect # more than the 2 agents that 'hosts' names",
        "agents: {keyFile: k} # agents.keyFile # it needs 'hosts'",
        "agents: {host: 2} # agents.host # did you mean 'hosts'?",
        "producers: {on: a} # producers.on # it needs 'agents'",
        "producers: {on: [spread, a]}\\nagents: 2 # producers.on # must be spread, or names",
        "producers: {on: {tag: near}}\\nagents: 2 # producers.on # must be spread, or names",
        "producers: {host: a}\\nagents: 2 # producers.host # it is called 'on'",
        "duration: 5 parsecs # duration # is not a time",
        "allowLoss: maybe # allowLoss # true or false",
        "load: 37k/fortnight # load # is not a number of messages",
        "load: {rate: 'sine:5k'} # load.rate # Load",
        "load: {rate: 1k, ratePerProducer: 5} # load.ratePerProducer # leave one out",
        "message: {size: 5 apples} # message.size # is not a number of bytes",
        "message: {size: 5 KiB, body: 'text:hello'} # message.size # leave one out",
        "message: {body: 'file:missing.bin'} # message.body # does not exist",
        "message: {body: 'lines:empty.txt'} # message.body # is empty",
        "message: {body: 'text:hello {{cuonter}}'} # message.body # line 1, column 7: {{cuonter}} is not known",
        "message: {priority: 12} # message.priority # 0 to 9",
        "message: {ttl: 500us} # message.ttl # must be whole milliseconds",
        "message: {headers: {a: {x: 30%, y: 30%}}} # message.headers.a # add up to 60%",
        "message: {headers: [a]} # message.headers # names with values",
        "load: {rate: 'trace:back.log'} # load.rate # goes back in time in line 2",
        "broker: artmis # broker.name # did you mean 'artemis'?",
        "broker: {version: 2.44.0} # broker # it needs a 'name'",
        "broker: {name: 'artemis:1', version: 2} # broker.version # leave one out",
        "broker: {name: artemis, heap: lots} # broker.heap # 512m",
        "broker: {name: artemis, topology: ring} # broker # no topology 'ring'",
        "broker: {name: kafka}\\nprotocol: CORE # protocol # does not speak CORE",
        "broker: artemis\\nurl: tcp://localhost:1 # url # 'broker' stands there too: one starts",
        "sweep: {load.rat: [1, 2]} # sweep.load.rat # did you mean 'rate'?",
        "sweep: {producers.count: []} # sweep.producers.count # the list of values is empty",
        "sweep: {producers.count: 3} # sweep.producers.count # are a list",
        "sweep: {producers.count: [1, x]} # producers.count # 'x' must be a whole number",
        "sweep: {} # sweep # it names no key",
        "sweep: [] # sweep # the list is empty",
        "sweep: {mode: zap, producers.count: [1]} # sweep.mode # none of product, zip",
        "sweep: {mode: zip, producers.count: [1, 2], load.rate: [1]} # sweep.load.rate # equally many",
        "sweep: [{producers.count: [1]}, {producers.count: [2]}] # sweep.producers.count # varies twice",
        "sweep: {producers: [1], producers.count: [2]} # sweep.producers.count # overlaps",
        "sweep: {name: [a, b]} # sweep.name # cannot vary",
        "sweep: {scale: [0.1, 1]} # sweep.scale # cannot vary",
        "sweep: {seed: [1, 2]} # sweep.seed # cannot vary",
        "repeat: 0 # repeat # at least 1",
        "repeat: 1000000 # repeat # 1,000,000 trials; if that is meant, add --yes",
        "published: [{sent: fast}] # published.0.sent # 29922.20/s",
        "published: [{sent: 5ms}] # published.0.sent # is not a figure of this kind",
        "published: [{snt: 5/s}] # published.0.snt # did you mean 'sent'?",
        "phases: [{load: 1k}] # phases.0 # needs a 'duration'",
        "phases: [{duration: 5s, load: {other: 5k}}] # phases.0.load.other # there are producers",
        "phases: [{duration: 5s}]\\nduration: 5s # duration # a scenario with phases takes as long as they do",
        "producers: [{name: a}, {name: a}] # producers # two groups are called 'a'",
        "consumers: [{name: b}, {name: b}] # consumers # two groups are called 'b'",
        "phases: [{name: a, duration: 5s}, {name: a, duration: 5s}] # phases # two phases are called 'a'",
        "phases: [{name: phase-2, duration: 5s}, {duration: 5s}] # phases # two phases are called 'phase-2'",
        "scale: 1e300 # scale # must be a number above 0 and at most 1,000,000",
        "reconnect: 0 # reconnect # it must be longer than 0",
        "reconnect: 90s # reconnect # it must not be longer than 'reconnectLimit' 60s",
        "message: {keys: 'uniform:99999999999'} # message.keys # not 99999999999",
        "passwordFile: '' # passwordFile # '' is not the path of a file",
        "phases: [{duration: 5s, load: {prod: 5k}}] # phases.0.load.prod # did you mean 'producers'?",
        "duration: 2s\\nwarmup: 3s # duration # must not be shorter than 'warmup'",
        "warmup: auto # warmup # auto needs 'duration', of which it is a part",
        "warmup: auto\\nphases: [{duration: 5s}] # warmup # cannot tell a run that settles from phases that differ",
        "passwordFile: none.txt # passwordFile # does not exist",
        "passwordFile: empty.txt # passwordFile # empty.txt has no password in its first line",
        "order: random # order # none of interleaved, listed",
        "destinations: [{queue: A, topic: B}] # destinations.0 # either a 'queue' or a 'topic'",
        "destinations: [A, A] # destinations.1 # named twice",
        "destinations: {queue: 'topic://T', count: 2} # destinations.queue # write 'topic: T'",
        "destinations: [{topic: 'topic://T'}] # destinations.0.topic # write 'topic: T'",
        "destinations: [{topic: A, queues: 4}, B] # destinations.1 # groups of their own",
        "name: a/b # name # letters",
    })
    void aMistakeIsNamedByFileLineAndKey(String mistake) throws IOException {
        String[] parts = mistake.split(" # ", 3);
        String path = parts[1];
        String hint = parts[2];
        Files.writeString(directory.resolve("empty.txt"), "");
        Files.writeString(directory.resolve("back.log"), "2026-01-01T00:00:02 a\n2026-01-01T00:00:01 b\n");
        String text = parts[0].replace("\\n", "\n");
        String key = text.substring(0, text.indexOf(':'));
        // the wrong key comes last, in place of the valid one
        StringBuilder file = new StringBuilder();
        GOOD.lines().filter(line -> !line.startsWith(key + ":")).forEach(line -> file.append(line).append('\n'));
        int line = (int) file.toString().lines().count() + 1;
        Path written = directory.resolve("a.yaml");
        Files.writeString(written, file + text + "\n");
        assertThatThrownBy(() -> ScenarioFile.read(written, Changes.NONE)).isInstanceOf(UsageException.class)
            .message().satisfies(message -> {
                assertThat(message).matches("(?s).*a\\.yaml:(" + line + "|" + (line + 1) + "): key '" + path.strip().replace(".", "\\.")
                    + "'.*").contains(hint.strip());
                assertThat(message.lines()).hasSize(1);
            });
    }

    @Test
    void everyMistakeIsToldAtOnce() throws IOException {
        assertThat(wrong("protocl: CORE\nproducers: {cout: 3}\nduration: x\n").lines()).hasSize(3);
    }

    @Test
    void whatIsNoScenarioIsRefused() throws IOException {
        assertThat(wrong("")).contains("a.yaml:1: the file is empty");
        assertThat(wrong("- a\n")).contains("a.yaml:1: a scenario consists of keys");
        assertThat(wrong("a: 1\n b: 2\n")).contains("a.yaml:2: this is not YAML");
        assertThat(wrong("name: a\nname: b\n")).contains("a.yaml:2: key 'name': it stands here twice, first in line 1");
        assertThat(wrong("a: 1\n---\nb: 2\n")).contains("a second document");
        assertThat(wrong("name: a\n")).contains("neither 'producers' nor 'consumers'");
        assertThat(wrong("producers: 1\n")).contains("key 'producers': it has no destinations");
        assertThat(wrong("a: &a [*a]\n")).contains("a.yaml:1");
        assertThatThrownBy(() -> ScenarioFile.read(directory.resolve("none.yaml"), Changes.NONE))
            .hasMessageContaining("none.yaml does not exist");
        assertThatThrownBy(() -> ScenarioFile.list(directory.resolve("none"))).hasMessageContaining("does not exist");
    }

    @Test
    void whatIsTooMuchIsRefusedBeforeItFillsTheMemory() throws IOException {
        StringBuilder aliases = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            aliases.append('a').append(i).append(": &a").append(i).append(" [").append(("*a" + (i - 1) + ", ").repeat(8))
                .append("*a").append(i - 1).append("]\n");
        }
        assertThat(wrong(aliases.toString())).contains("with its aliases written out, this is more than 500,000 keys and values")
            .hasLineCount(1);
        assertThat(wrong("a: &a " + "x".repeat(1_000_000) + "\nb: [*a, *a, *a, *a, *a]\n")).contains("more than 4 MiB");
        assertThat(wrong("producers: " + "{a: ".repeat(20_000))).contains("a.yaml:1: this is nested too deeply").hasLineCount(1);
        assertThat(wrong("producers: " + "[".repeat(100_000))).contains("a.yaml:1: this is nested too deeply").hasLineCount(1);
        assertThat(wrong(GOOD, "producers.count=" + "[".repeat(20_000))).contains("nested too deeply");
        assertThat(wrong("# " + "x".repeat(5 << 20))).contains("larger than 4 MiB");
        assertThatThrownBy(() -> ScenarioFile.read(Path.of("/dev/zero"), Changes.NONE)).isInstanceOf(UsageException.class)
            .hasMessageContaining("Scenario file /dev/zero is larger than 4 MiB");
        assertThatThrownBy(() -> EndpointChoice.OPEN.with(its -> {
            its.user = "u";
            its.passwordFile = Path.of("/dev/zero");
        }).password()).isInstanceOf(UsageException.class).hasMessageContaining("first line of more than");
        assertThat(wrong(GOOD + "load: {rate: 'trace:/dev/zero'}\n")).contains("is not a plain file");
        assertThat(wrong(GOOD + "message: {body: 'template:/dev/zero'}\n")).contains("larger than 1 MiB");
    }

    @Test
    void aTabIsCalledATab() throws IOException {
        assertThat(wrong("producers:\n\tcount: 3\n")).isEqualTo(directory.resolve("a.yaml")
            + ":2: this is not YAML: a tab stands where only blanks may; indent with blanks.");
    }

    @Test
    void anOverrideIsCheckedLikeTheFileAndItsErrorsNameIt() throws IOException {
        assertThat(wrong(GOOD, "producers.maxPendin=3"))
            .isEqualTo("--set producers.maxPendin=3: key 'producers.maxPendin': there is no such key in 'producers'; did you mean "
                + "'maxPending'?");
        assertThat(wrong(GOOD, "producers.maxPending=x")).startsWith("--set producers.maxPending=x: key 'producers.maxPending'");
        assertThat(wrong(GOOD, "producers.count=[1,2")).startsWith("--set producers.count=[1,2: this is not YAML")
            .containsOnlyOnce("--set");
        assertThat(wrong(GOOD, "producers")).contains("--set 'producers' needs a key and a value");
        assertThat(wrong(GOOD, "destinations.3.queue=B")).contains("has no number 3");
        assertThat(wrong(GOOD, "duration.x=B")).contains("has no keys below it");
        assertThat(wrong(GOOD, "sweep.producers.count=[]")).contains("the list of values is empty");
    }

    @Test
    void aHugeSweepNeedsToBeMeant() throws IOException {
        String hundred = "[" + "1, ".repeat(99) + "1]";
        String text = GOOD + "sweep: {producers.count: " + hundred + ", load.rate: " + hundred + ", message.size: " + hundred + "}\n";
        assertThat(wrong(text)).contains("key 'sweep': it makes 1,000,000 trials; if that is meant, add --yes.");
        Experiment meant = ScenarioFile.read(text, "a.yaml", directory, new Changes(List.of("message.bare=true"), true));
        assertThat(meant.trials()).hasSize(1_000_000);
        assertThat(meant.trials().get(999_999).number()).isEqualTo(1_000_000);
    }

    private String wrong(String text, String... sets) throws IOException {
        Path file = Files.writeString(directory.resolve("a.yaml"), text);
        try {
            ScenarioFile.read(file, new Changes(List.of(sets), false));
        } catch (UsageException e) {
            return e.getMessage();
        }
        throw new AssertionError("nothing was wrong");
    }
}
