package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.reports.directory.RunLock;
import io.brokermeter.trials.sweep.SweepFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scenario files: trials, tables, kept files, and the end and continuation of a sweep. */
class ScenarioFilesTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** Without a rate: such a short run would miss it and fail if a busy machine stalled for half a second. */
    private static final String TWO_SIZES = """
        name: sizes
        url: loopback://sizes
        producers: {destinations: [queue://A], maxPending: 10, load: {messages: 100}}
        consumers: {destinations: [queue://A]}
        sweep: {producers.message.size: [1KiB, 2KiB]}
        columns: rocketmq
        published: [{producers.message.size: 1KiB, sent: 1000/s}]
        """;
    private static final String LONG = """
        name: long
        url: loopback://long
        producers: {destinations: [queue://A], load: {rate: 100/s}}
        consumers: {destinations: [queue://A]}
        duration: 600s
        sweep: {producers.message.size: [100B, 200B]}
        """;

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private List<Path> below(Path parent) throws IOException {
        try (Stream<Path> entries = Files.list(parent)) {
            return entries.sorted().toList();
        }
    }

    @Test
    void aRunOfACommandLeavesItsFilesAndIsReplayedFromThem() throws Exception {
        Tool tool = tool().with("BROKERMETER_PASSWORD", "tops3cret");
        tool.run("client", "--url", "loopback://x", "--user", "u", "--message-count", "20", "--seed", "7").exits(0);
        Path run = below(tool.state().resolve("brokermeter").resolve("runs")).getFirst();
        assertThat(below(run)).extracting(path -> path.getFileName().toString()).containsExactlyInAnyOrder("scenario.yaml",
            "environment.json", "intervals.jsonl", "latency.hlog", "broker.csv", "generator.csv", "events.jsonl", "endpoints.csv",
            "result.json");
        for (Path file : below(run)) {
            assertThat(Files.readString(file)).as(file.toString()).doesNotContain("tops3cret");
        }
        Finished again = tool.run("replay", "last", "--out", directory.resolve("again").toString()).exitsWellAtAnyRate();
        assertThat(again.total("total sent")).isEqualTo(20);
        assertThat(Files.readString(directory.resolve("again").resolve("result.json"))).contains("\"seed\":7,");
    }

    /** The run cannot be shorter than the time that its broker serves before the trial. */
    @Test
    void aBrokerServesUnmeasuredTrialsFirst() throws Exception {
        String file =
            file("warm.yaml", TWO_SIZES.replace("url: loopback://sizes", "broker: {name: nats, fresh: sweep, warmup: 2s}")
                .replaceAll("sweep: .*\\n|published: .*\\n", ""));
        Path sweep = directory.resolve("sweep");
        long began = System.nanoTime();
        Finished finished = PROGRAM.run("run", file, "--out", sweep.toString()).exitsWellAtAnyRate();
        assertThat(System.nanoTime() - began).isGreaterThan(2_000_000_000L);
        assertThat(finished.out().lines().filter(line -> line.startsWith("trial "))).hasSize(1);
        assertThat(finished.err()).doesNotContain("not warm");
        assertThat(below(sweep)).extracting(path -> path.getFileName().toString()).doesNotContain("warmup");
        assertThat(below(sweep.resolve("trials"))).hasSize(1);
    }

    @Test
    void aFileThatBodiesAreMadeOfIsKeptSoThatTheRunCanBeDoneAgain() throws Exception {
        Path body = Files.writeString(directory.resolve("body.txt"), "as it was");
        Path run = directory.resolve("run");
        PROGRAM.run("client", "--url", "loopback://x", "--message-count", "5", "--body", "file:" + body, "--consumer-latency",
            "uniform:100us..300us", "--out", run.toString()).exits(0);
        Path copy;
        try (Stream<Path> copies = Files.list(run.resolve("files"))) {
            copy = copies.findFirst().orElseThrow();
        }
        assertThat(copy).hasContent("as it was");
        assertThat(copy.getFileName().toString()).endsWith("-body.txt");
        assertThat(run.resolve("environment.json")).content().contains("\"path\":\"" + body + "\"",
            "\"copy\":\"files/" + copy.getFileName(),
            "\"processingMeanMicros\":200.0");
        assertThat(PROGRAM.run("replay", run.toString(), "--out", "none").exitsWellAtAnyRate().err()).doesNotContain("note:");

        Files.writeString(body, "something else");
        Path again = directory.resolve("again");
        Finished replayed = PROGRAM.run("replay", run.toString(), "--out", again.toString()).exitsWellAtAnyRate();
        assertThat(replayed.err()).contains("note: " + body + " has changed since the run, so its copy is sent: " + copy);
        assertThat(again.resolve("scenario.yaml")).content().contains("file:" + copy);
        assertThat(again.resolve("files").resolve(copy.getFileName())).hasContent("as it was");

        Files.delete(body);
        assertThat(PROGRAM.run("replay", run.toString(), "--out", "none").exitsWellAtAnyRate().err())
            .contains(body + " is gone since the run");
        Files.delete(copy);
        PROGRAM.run("replay", run.toString()).exits(2).saysOnly(body + " is gone since the run, which kept no copy of it");
    }

    @Test
    void trialsOfASweepHaveOneCopyOfAFileAndGoOnWithTheSameAlone() throws Exception {
        Path template = Files.writeString(directory.resolve("t.json"), "{\"was\": {{counter}}}");
        Path file = Files.writeString(directory.resolve("s.yaml"), """
            name: made
            url: loopback://x
            message: {body: template:t.json}
            producers: {destinations: [queue://A], load: {messages: 10}}
            consumers: {destinations: [queue://A]}
            sweep: {producers.maxPending: [1, 2]}
            """);
        Path sweep = directory.resolve("sweep");
        PROGRAM.run("run", file.toString(), "--out", sweep.toString()).exitsWellAtAnyRate();
        assertThat(below(sweep.resolve("files"))).singleElement().asString().endsWith("-t.json");

        Files.writeString(template, "{\"is\": {{counter}}}");
        PROGRAM.run("run", "--resume", sweep.toString()).exits(2).saysOnly(template + " has changed since the sweep began");
        Path trial = below(sweep.resolve("trials")).getFirst();
        Path alone = directory.resolve("alone");
        PROGRAM.run("replay", trial.toString(), "--out", alone.toString()).exitsWellAtAnyRate();
        assertThat(alone.resolve("scenario.yaml")).content().contains("was");
        Path again = directory.resolve("again");
        Finished replayed = PROGRAM.run("replay", sweep.toString(), "--out", again.toString()).exitsWellAtAnyRate();
        assertThat(replayed.err())
            .contains("note: " + template + " has changed since the run, so its copy is sent: " + sweep.resolve("files"));
        assertThat(replayed.out()).contains("trial 2 of 2");
        assertThat(below(again.resolve("trials")).getFirst().resolve("scenario.yaml")).content().contains("was");
    }

    @Test
    void noneLeavesNoFiles() throws Exception {
        PROGRAM.run("client", "--url", "loopback://x", "--message-count", "5", "--out", "none").exits(0);
        assertThat(PROGRAM.state()).doesNotExist();
    }

    @Test
    void aStoreThatCannotBeWrittenIsWorthAWarning() throws Exception {
        Files.writeString(tool().state(), "in the way");
        Finished finished = tool().run("client", "--url", "loopback://x", "--message-count", "5").exits(0);
        assertThat(finished.err()).containsOnlyOnce("warning: The files of this run cannot be kept in");
    }

    @Test
    void aSweepRunsItsTrialsInWorkersAndTabulatesThem() throws Exception {
        Path out = directory.resolve("sweep");
        Finished finished = PROGRAM.run("run", file("a.yaml", TWO_SIZES), "--repeat", "2", "--out", out.toString()).exitsWellAtAnyRate();
        assertThat(finished.out()).contains("trial 4 of 4", "| producers.message.size |", "published");
        assertThat(below(out.resolve("trials"))).hasSize(4).allSatisfy(trial -> assertThat(trial.resolve("result.json")).exists());
        assertThat(Files.readAllLines(out.resolve("table.csv"))).hasSize(5);
        assertThat(Files.readString(out.resolve("table.md"))).contains("1000/s", "Median of the repeats");
    }

    @Test
    void aDryRunStartsNothing() throws Exception {
        Finished finished = PROGRAM.run("run", file("a.yaml", TWO_SIZES), "--set", "producers.load.rate=2k/s", "--dry-run").exits(0);
        assertThat(finished.out()).contains("2 variants", "1 producer (LOOPBACK loopback://sizes, 2000/s, size 1KiB, 100 messages)",
            "1 consumer (LOOPBACK loopback://sizes)");
        assertThat(PROGRAM.state()).doesNotExist();
    }

    @Test
    void aTrialThatFailsIsARowAndTheOthersRun() throws Exception {
        String text = """
            name: mixed
            producers: {destinations: [queue://A], load: {messages: 10}}
            connectTimeout: 60s
            sweep: {url: ['tcp://127.0.0.1:1', 'loopback://ok']}
            """;
        Finished finished = PROGRAM.run("run", file("m.yaml", text), "--out", directory.resolve("m").toString()).exits(1);
        assertThat(finished.out()).contains("failed: ", "sent/s");
        assertThat(finished.err()).contains("1 of 2 trials failed:");
        assertThat(Files.readString(directory.resolve("m").resolve("table.md"))).contains("failed", "Failures by cause");
    }

    @Test
    void anInterruptedSweepSaysHowItGoesOnAndDoes() throws Exception {
        String file = file("long.yaml", LONG);
        Path out = directory.resolve("sweep");
        Finished finished;
        try (Running running = tool().start("run", file, "--out", out.toString())) {
            Path trial = awaitTrial(out);
            Waiting.until(() -> Files.exists(trial.resolve("intervals.jsonl")) && Files.size(trial.resolve("intervals.jsonl")) > 0);
            finished = running.signal("INT").await().exits(130);
        }
        assertThat(finished.err()).contains("brokermeter run --resume " + out);
        assertThat(Files.readString(out.resolve("sweep.json"))).contains("\"interrupted\"", "\"waiting\"");
        assertThat(PROGRAM.run("run", "--resume", out.toString(), "--dry-run").exits(0).out()).contains("2 trials");
        try (RunLock _ = SweepFiles.lock(out)) {
            assertThat(PROGRAM.run("run", "--resume", out.toString()).exits(2).err()).contains("The sweep in " + out
                + " is being run by process " + ProcessHandle.current().pid());
        }
        Files.writeString(Path.of(file), LONG.replace("600s", "50s"));
        assertThat(PROGRAM.run("run", "--resume", out.toString()).exits(2).err()).contains("has changed since the sweep began");
    }

    @Test
    void aParentThatIsKilledTakesItsWorkerAndItsBrokerAlong() throws Exception {
        String text = LONG.replace("url: loopback://long", "broker: nats");
        List<ProcessHandle> children;
        try (Running running = tool().start("run", file("long.yaml", text), "--out", directory.resolve("sweep").toString())) {
            Path trial = awaitTrial(directory.resolve("sweep"));
            Waiting.until(() -> Files.exists(trial.resolve("intervals.jsonl")) && Files.size(trial.resolve("intervals.jsonl")) > 0);
            children = ProcessHandle.of(running.pid()).orElseThrow().descendants().toList();
            assertThat(children).hasSizeGreaterThanOrEqualTo(2);
            running.signal("KILL").await();
        }
        Waiting.until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void aVersionOfABrokerThatThereIsNotIsRefusedBeforeTheFirstTrial() throws Exception {
        String text = LONG.replace("url: loopback://long", "broker: artemis:2.31.99");
        Path out = directory.resolve("sweep");
        assertThat(PROGRAM.run("run", file("v.yaml", text), "--out", out.toString()).exits(2).err()).contains("artemis", "2.31.99",
            "choose another version");
        assertThat(out).doesNotExist();
        assertThat(PROGRAM.run("run", file("v.yaml", text.replace(":2.31.99", "")), "--dry-run").exits(0).out()).contains("broker artemis");
    }

    @Test
    void lastIsTheNewestSweepToResumeAndTheNewestFinishedRunToReplay() throws Exception {
        PROGRAM.run("run", file("a.yaml", TWO_SIZES)).exitsWellAtAnyRate();
        PROGRAM.run("client", "--url", "loopback://x", "--message-count", "33").exits(0);
        Path runs = PROGRAM.state().resolve("brokermeter").resolve("runs");
        // a directory as left by a run that was killed
        Path killed = Files.createDirectory(runs.resolve("29991231T235959.999Z-client"));
        Files.copy(below(runs).stream().filter(path -> path.toString().endsWith("-client")).findFirst().orElseThrow()
            .resolve("scenario.yaml"), killed.resolve("scenario.yaml"));
        assertThat(PROGRAM.run("run", "--resume", "last").exitsWellAtAnyRate().out()).contains("2 of 2 trials were run before");
        assertThat(PROGRAM.run("runs").exits(0).out()).containsPattern("(?m)^ +" + killed.getFileName() + "  did not come to its end$")
            .containsPattern("(?m)^  last +\\S+-client  passed").containsPattern("(?m)^  last~1 +\\S+-sizes");
        assertThat(PROGRAM.run("replay", "last").exitsWellAtAnyRate().total("total sent")).isEqualTo(33);
        assertThat(PROGRAM.run("run", "--resume", "last~1").exits(2).err()).contains("There is no 'last~1'", "has 1 sweep.");
    }

    @Test
    void aHomeThatIsNoPlaceIsNotWrittenBelowTheCurrentDirectory() throws Exception {
        for (String home : new String[] {"", "relative"}) {
            Tool tool = tool().with("HOME", home).with("XDG_STATE_HOME", home)
                .with("JAVA_TOOL_OPTIONS", "-Duser.home=" + directory.resolve("home"));
            tool.run("client", "--url", "loopback://x", "--message-count", "5", "--id", "home").exits(0);
        }
        assertThat(directory.toFile().list()).containsOnly("tmp", "home");
        assertThat(below(directory.resolve("home/.local/state/brokermeter/runs"))).hasSize(2);
    }

    @Test
    void aTrialThatWouldNeverEndIsRefused() throws Exception {
        String endless = LONG.replace("duration: 600s\n", "");
        PROGRAM.run("run", file("e.yaml", endless), "--dry-run").exits(2).saysOnly("e.yaml: it says neither for how long nor for how many",
            "so it would never end; add 'duration: 30s'");
        PROGRAM.run("run", file("c.yaml", "url: loopback://x\nconsumers: {destinations: [queue://A]}\n")).exits(2)
            .saysOnly("so it would never end", "'messages' for a group of consumers");
        PROGRAM.run("run", file("p.yaml", endless.replace("loopback://long", "loopback://long\nprotocol: FOO"))).exits(2)
            .saysOnly("p.yaml:3: Unknown protocol 'FOO'");
        assertThat(PROGRAM.run("run", file("e.yaml", endless), "--set", "producers.load.messages=10", "--dry-run").exits(0).out())
            .contains("2 trials");
    }

    @Test
    void aMistakeInAFileStartsNothing() throws Exception {
        PROGRAM.run("run", file("a.yaml", TWO_SIZES.replace("maxPending", "maxPendin"))).exits(2).saysOnly("a.yaml:3", "maxPending");
        PROGRAM.run("run", file("c.yaml", "url: loopback://x\nproducers:\n  destinations: [A]\n  load: {messages: 5}\n  rollback: 5%\n"))
            .exits(2)
            .saysOnly("c.yaml:5: key 'producers.rollback' needs key 'producers.commitInterval': only a transaction can be rolled back.");
        PROGRAM.run("run", directory.resolve("nosuch.yaml").toString()).exits(2).saysOnly("nosuch.yaml");
        PROGRAM.run("run").exits(2).saysOnly("Name a scenario file");
        PROGRAM.run("run", "--resume", "last", "--scale", "2").exits(2).saysOnly("--resume");
        PROGRAM.run("run", file("b.yaml", TWO_SIZES), "--scale", "0").exits(2).saysOnly("--scale");
        assertThat(PROGRAM.state()).doesNotExist();
    }

    private static Path awaitTrial(Path sweep) throws Exception {
        Path trials = sweep.resolve("trials");
        Waiting.until(() -> {
            if (!Files.isDirectory(trials)) {
                return false;
            }
            try (Stream<Path> entries = Files.list(trials)) {
                return entries.findAny().isPresent();
            }
        });
        try (Stream<Path> entries = Files.list(trials)) {
            return entries.findFirst().orElseThrow();
        }
    }
}
