package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Listing, reporting and removal of runs that ended normally, were killed or ran out of disk space. */
class ReportTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** Returns the program in a process of its own whose runs are those of the others. */
    private Tool alone() {
        return tool().with("XDG_STATE_HOME", PROGRAM.state().toString());
    }

    private static List<Path> runs() throws IOException {
        Path runs = PROGRAM.state().resolve("brokermeter").resolve("runs");
        if (!Files.isDirectory(runs)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(runs)) {
            return entries.sorted().toList();
        }
    }

    private static void client(String... more) throws Exception {
        PROGRAM
            .run(Stream.concat(Stream.of("client", "--url", "loopback://x", "--message-count", "200"), Stream.of(more))
                .toArray(String[]::new))
            .exits(0);
    }

    @Test
    void aRunIsShownFromItsFilesAloneWhereverTheyAre() throws Exception {
        client("--id", "first-one", "--label", "build=117");
        Path moved = Files.move(runs().getFirst(), directory.resolve("moved"));
        Path json = directory.resolve("r.json");
        Path xml = directory.resolve("r.xml");
        Here report = here("report", moved.toString(), "--json", json.toString(), "--junit", xml.toString());
        assertThat(report.out).contains("PASSED", "response", moved.toString());
        assertThat(report.err).isEmpty();
        assertThat(Files.readString(json)).contains("\"kind\":\"run\"", "\"build\":\"117\"", "\"messageBytes\":1024", "\"sentMessages\":");
        assertThat(Files.readString(xml)).contains("<testsuite name=\"brokermeter moved\" tests=\"1\" failures=\"0\"");
        PROGRAM.run("report", moved.toString(), "--html", "/dev/full").exits(1)
            .saysOnly("--html /dev/full could not be written: No space left on device.");
        assertThat(here("report", moved.toString(), "--csv", "-").out).startsWith("trial,repeat,run,state,").contains(",passed,");
        assertThat(here("report", moved.toString(), "--markdown", "-").out).startsWith("### moved: PASSED");
        Path html = directory.resolve("r.html");
        here("report", moved.toString(), "--html", html.toString());
        assertThat(Files.readString(html)).contains("<b>Passed", "200 expected = 200 received.", "build=117", "url: loopback://x");
        assertThat(PROGRAM.run("replay", moved.toString(), "--out", "none").exitsWellAtAnyRate().total("total sent")).isEqualTo(200);
    }

    @Test
    void aRunIsDrawnAndFollowedWhereNoPageIs() throws Exception {
        client("--id", "drawn");
        Path run = Files.move(runs().getFirst(), directory.resolve("drawn"));
        Path svg = directory.resolve("p.svg");
        here("report", run.toString(), "--svg", "percentiles=" + svg, "--png", "course=" + directory.resolve("c.png"), "--bencher",
            directory.resolve("b.json").toString());
        assertThat(Files.readString(svg)).startsWith("<svg ").contains("Percentiles of the whole run", " Passed");
        assertThat(Files.readAllBytes(directory.resolve("c.png"))).startsWith(0x89, 'P', 'N', 'G');
        assertThat(Files.readString(directory.resolve("b.json"))).startsWith("{\"drawn\":{").contains("\"response-p50-us\":{\"value\":");
        assertThat(here("report", run.toString(), "--svg", "heat=-").out).startsWith("<svg ").endsWith("</svg>\n");
        assertThat(here("report", run.toString(), "--bigger-is-better", "-").out)
            .contains("\"name\":\"drawn: received\",\"unit\":\"msg/s\"");
        assertThat(here("report", run.toString(), "--smaller-is-better", "-").out).contains("\"unit\":\"us\"");
        assertThat(here("report", run.toString(), "--otava", "-").out).startsWith("time,benchmark,run,commit,branch,broker,");
        refused("--svg cpu must begin with heat, percentiles, course, and may go on with =FILE.", "report", run.toString(), "--svg", "cpu");
        refused("--svg heat and --svg course must not name the same file", "report", run.toString(), "--svg", "heat=x", "--svg",
            "course=x");
        PROGRAM.run("report", run.toString(), "--png", "heat").exits(0);
        assertThat(PROGRAM.directory().resolve("heat.png")).exists();
    }

    @Test
    void whatCannotBeReportedIsSaidInOneSentence() throws Exception {
        PROGRAM.run("report").exits(2).saysOnly("There is no run in ", " yet.");
        Path run = Files.createDirectory(directory.resolve("run"));
        refused("is not the directory of a run", "report", run.toString());
        Files.writeString(run.resolve("result.json"), "{\"success\":true}");
        refused("--json and --csv cannot both write to standard output", "report", run.toString(), "--json", "-", "--csv", "-");
        refused("--json and --csv must not name the same file, ./x", "report", run.toString(), "--json", "x", "--csv", "./x");
        refused("there is no directory", "report", run.toString(), "--json", directory.resolve("no/such/r.json").toString());
        refused("is a directory; name a file.", "report", run.toString(), "--json", directory.toString());
        refused("There is no run 'nobody-has-this-name'", "report", "nobody-has-this-name");
        refused("Say what is to go: --older-than 30d, --keep 50 or --max-size 2GiB.", "runs", "prune");
        refused("--older-than '30' is not a time with a unit", "runs", "prune", "--older-than", "30");
        refused("--max-size 'big' is not a size", "runs", "prune", "--max-size", "big");
        refused("--keep -1 must be at least 0", "runs", "prune", "--keep", "-1");
        refused("--yes is for 'brokermeter runs prune'", "runs", "--yes");
        refused("'purge' is nothing that runs can do", "runs", "purge");
        refused("cannot be the name of a label", "client", "--url", "loopback://x", "--label", "git.commit=1");
        refused("--label needs NAME=VALUE", "client", "--url", "loopback://x", "--label", "build");
    }

    @Test
    void aRunThatIsKilledIsReportedAsCutOff() throws Exception {
        Path run;
        try (Running running = alone().start("client", "--url", "loopback://x", "--rate", "500", "--duration", "600", "--interval", "100ms",
            "--label", "fate=killed")) {
            Waiting.until(() -> !runs().isEmpty() && Files.exists(runs().getFirst().resolve("intervals.jsonl"))
                && Files.readAllLines(runs().getFirst().resolve("intervals.jsonl")).size() > 5);
            run = runs().getFirst();
            Here live = here("report", run.toString());
            assertThat(live.out).contains("GOES ON");
            assertThat(live.err).contains("note: The run goes on.");
            assertThat(PROGRAM.run("runs", "prune", "--keep", "0", "--yes").exits(0).err()).contains("goes on");
            running.signal("KILL").await();
        }
        Finished report = PROGRAM.run("report", "last").exits(0);
        assertThat(report.out()).contains("CUT OFF", "cut off after", "its process ended without a result");
        assertThat(report.err()).contains("note: The run was cut off: its process is gone and left no result.");
        assertThat(PROGRAM.run("runs", "--label", "fate=killed").exits(0).out())
            .containsPattern("last +\\S+-client  cut off after .*\\[fate=killed]");
        assertThat(here("report", run.toString(), "--json", "-").out).contains("\"state\":\"cut off\"");
        assertThat(run).exists();
    }

    @Test
    void aRunOnAFullDiskIsReportedAsFarAsItGot() throws Exception {
        // A limit on the size of files refuses a write as a full disk does, for any user. The load goes on until its intervals have
        // reached it, since an interval that a stall prolongs replaces many.
        Tool tool = alone().limitedTo(20);
        Finished finished;
        try (Running running = tool.start("client", "--url", "loopback://x", "--rate", "500", "--duration", "600", "--interval", "20ms")) {
            finished = running.awaitErr("warning: The files of this run in").signal("INT").await().exitsAtAnyRate(130);
        }
        assertThat(finished.err()).containsOnlyOnce("warning: The files of this run in").contains("are not complete");
        Finished report = PROGRAM.run("report", "last").exits(0);
        // A busy machine may miss the rate.
        assertThat(report.out()).containsPattern("INTERRUPTED|FAILED").containsPattern("[0-9]+/s");
        assertThat(report.err()).contains("note: Intervals, times and events end after ");
        // Without a result, it is a run that was cut off.
        Files.delete(runs().getFirst().resolve("result.json"));
        assertThat(here("report", runs().getFirst().toString()).out).contains("CUT OFF").containsPattern("[0-9]+/s");
        Finished refused = tool.run("client", "--url", "loopback://x", "--rate", "500", "--duration", "600", "--interval", "20ms", "--out",
            directory.resolve("out").toString()).exits(1);
        assertThat(refused.out()).contains("--- result:").contains("--- cause:");
        assertThat(here("report", directory.resolve("out").toString()).err).contains("end after");
    }

    @Test
    void runsAreFoundByLabelsAndByTheirCommit() throws Exception {
        git("init", "-q", "-b", "trunk");
        Files.writeString(directory.resolve("tracked"), "1");
        git("add", "tracked");
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "x");
        inRepository("client", "--url", "loopback://x", "--message-count", "200", "--label", "build=117", "--label", "who=ci");
        Files.writeString(directory.resolve("tracked"), "2");
        inRepository("client", "--url", "loopback://x", "--message-count", "200", "--label", "build=118");
        Path file = Files.writeString(directory.resolve("a.yaml"), """
            name: labelled
            labels: {build: 119, kind: sweep}
            url: loopback://x
            producers: {destinations: [A], load: {messages: 10}}
            """);
        inRepository("run", file.toString(), "--label", "who=me");
        String environment = Files.readString(runs().getFirst().resolve("environment.json"));
        assertThat(environment).contains("\"labels\":{\"build\":\"117\",\"who\":\"ci\"}", "\"branch\":\"trunk\",\"changes\":false");
        String commit = environment.replaceAll("(?s).*\"commit\":\"([0-9a-f]+)\".*", "$1");
        assertThat(listed("build=117")).containsExactly(runs().get(0).getFileName().toString());
        assertThat(listed("build=119", "who=me")).containsExactly(runs().get(2).getFileName().toString());
        assertThat(listed("git.commit=" + commit.substring(0, 7), "git.branch=trunk")).hasSize(3);
        assertThat(listed("git.changes=true")).hasSize(2);
        assertThat(PROGRAM.run("runs", "--label", "build=0").exits(0).out()).contains("None of 3 has build=0.");
        // A replay has the labels of the run that it repeats.
        PROGRAM.run("replay", "last~2").exitsWellAtAnyRate();
        assertThat(listed("build=117")).hasSize(2);
    }

    private void inRepository(String... words) throws Exception {
        alone().run(words).exits(0);
    }

    private void git(String... arguments) throws Exception {
        Process git = new ProcessBuilder(Stream.concat(Stream.of("git"), Stream.of(arguments)).toList()).directory(directory.toFile())
            .inheritIO().start();
        assertThat(git.waitFor(Tool.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(git.exitValue()).isZero();
    }

    /** Returns the names of the runs that have all of these labels. */
    private List<String> listed(String... labels) throws Exception {
        String[] command =
            Stream.concat(Stream.of("runs"), Stream.of(labels).flatMap(label -> Stream.of("--label", label))).toArray(String[]::new);
        return PROGRAM.run(command).exits(0).out().lines().filter(line -> line.contains("Z-"))
            .map(line -> line.strip().replaceFirst("^last\\S* +", "").replaceFirst(" .*", "")).toList();
    }

    @Test
    void pruningSaysWhatGoesAndTakesItOnlyWhenAgreed() throws Exception {
        client();
        client("--label", "keep=no");
        client();
        Path oldest = runs().getFirst();
        Path newest = runs().getLast();
        Finished dry = PROGRAM.run("runs", "prune", "--keep", "1").exits(0);
        assertThat(dry.out()).contains(oldest.getFileName().toString(), "Would remove 2 of 3 runs", "nothing was removed")
            .doesNotContain(newest.getFileName().toString());
        assertThat(runs()).hasSize(3);
        assertThat(PROGRAM.run("runs", "prune", "--older-than", "1d", "--yes").exits(0).out()).contains("Nothing is to go: 3 runs");
        assertThat(PROGRAM.run("runs", "prune", "--keep", "0", "--label", "keep=no", "--yes").exits(0).out())
            .contains("Removed 1 of 1 runs");
        assertThat(runs()).containsExactly(oldest, newest);
        assertThat(PROGRAM.run("runs", "prune", "--max-size", "1kB", "--yes").exits(0).out()).contains("Removed 2 of 2 runs");
        assertThat(runs()).isEmpty();
    }

    @Test
    void aSweepIsShownFromItsFilesAlone() throws Exception {
        Path file = Files.writeString(directory.resolve("a.yaml"), """
            name: sizes
            title: Two sizes
            url: loopback://x
            producers: {destinations: [A], maxPending: 10, load: {messages: 100}}
            consumers: {destinations: [A]}
            sweep: {producers.message.size: [1KiB, 2KiB]}
            columns: rocketmq
            published: [{producers.message.size: 1KiB, sent: 1000/s}]
            """);
        Path out = directory.resolve("sweep");
        PROGRAM.run("run", file.toString(), "--out", out.toString()).exitsWellAtAnyRate();
        String table = Files.readString(out.resolve("table.md"));
        Path moved = Files.move(out, directory.resolve("elsewhere"));
        Path logs = directory.resolve("logs");
        Path json = directory.resolve("r.json");
        Here report = here("report", moved.toString(), "--hdr", logs.toString(), "--json", json.toString(), "--omb", logs.toString());
        assertThat(table).startsWith(report.out);
        assertThat(report.out).contains("## sizes: Two sizes", "1000/s");
        assertThat(logs.toFile().list()).hasSize(4);
        assertThat(Files.readString(json)).contains("\"kind\":\"sweep\"",
            "\"published\":{\"sent\":{\"text\":\"1000/s\",\"value\":1000}}");
        assertThat(here("report", moved.toString(), "--junit", "-").out).contains("tests=\"2\"", "name=\"trial 1: producers.message.size");
        assertThat(here("report", moved.toString(), "--html", "-").out).contains("2 of 2 trials passed", "producers.message.size 2KiB",
            "Hollow: as published.");
        refused("--omb of a sweep makes a file for each trial: name a directory", "report", moved.toString(), "--omb", "-");
    }

    /** The output and status of the program in this process, which is faster if nothing depends on the environment. */
    private record Here(int status, String out, String err) {}

    private static Here here(String... arguments) {
        Here here = said(arguments);
        assertThat(here.status).as(here.err).isZero();
        return here;
    }

    private static void refused(String sentence, String... arguments) {
        Here here = said(arguments);
        assertThat(here.status).isEqualTo(2);
        assertThat(here.out).isEmpty();
        assertThat(here.err.strip().lines()).as(here.err).singleElement().asString().contains(sentence);
    }

    private static Here said(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status =
            new Main(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8), Map.of())
                .run(arguments);
        return new Here(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
