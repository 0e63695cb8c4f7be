package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Comparisons of pairs of trials on a loopback broker that serves one side more slowly, during the trials and from their files. */
class CompareTest extends ToolInDirectory {

    /** With one server, the p50 of the response time is the window multiplied by the service time, however busy the machine is. */
    private static final String SERVED = """
        name: served
        url: loopback://x?service-rate=4000
        producers: {destinations: [queue://A], maxPending: 20, load: {messages: 400}}
        consumers: {destinations: [queue://A]}
        """;

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private String file(String text) throws IOException {
        return Files.writeString(directory.resolve("served.yaml"), text).toString();
    }

    @Test
    void aSlowerServerIsFoundInPairsThoughInterruptedAndAgainFromTheirFiles() throws Exception {
        Path out;
        Finished finished;
        int tries = 0;
        do {
            out = directory.resolve("ab" + tries);
            finished = interrupted(out);
            // If this process stood still meanwhile, all trials may have been run before the signal.
        } while (finished.status() == 99 && ++tries < 3);
        finished.exits(130);
        assertThat(finished.out()).contains("Cannot tell whether B differs from A: ", "and 6 of each are needed.");
        assertThat(finished.err()).contains("brokermeter ab --resume " + out);
        assertThat(out.resolve("comparison.md")).exists();

        PROGRAM.run("ab", "--resume", out.toString(), "--pairs", "8").exits(2)
            .saysOnly("--resume goes on with a comparison as it was begun");
        Finished whole = PROGRAM.run("ab", "--resume", out.toString(), "--markdown", directory.resolve("pr.md").toString()).exits(99);
        assertThat(whole.out()).containsPattern("\\d of 18 trials were run before").contains("trial 12 of at most 18",
            "After 6 pairs: response p50 B/A ", "A  url=loopback://x?service-rate=4000, ", "B is slower: response p50 is ")
            .doesNotContain("trial 1 of");
        assertThat(whole.err()).contains("--fail-if 'response.p50 > 1.03' (B to A) holds: the ratio is ");
        assertThat(directory.resolve("pr.md")).content().contains("**B is slower:");
        PROGRAM.run("ab", "--resume", out.toString()).exits(2).saysOnly("is over: ", out + "/comparison.md");
        assertThat(PROGRAM.run("compare", out.toString(), "--figure", "response.p50", "--json", "-").exits(0).out())
            .contains("\"verdict\":\"more\"", "\"paired\":true");
        assertThat(out.resolve("comparison.json")).exists();
        try (Stream<Path> trials = Files.list(out.resolve("trials"))) {
            List<String> all = trials.filter(trial -> Files.exists(trial.resolve("result.json"))).map(Path::toString).sorted().toList();
            Finished swapped =
                PROGRAM.run("compare", String.join(",", all.stream().filter(trial -> trial.contains("service-rate-1000")).toList()),
                    String.join(",", all.stream().filter(trial -> trial.contains("service-rate-4000")).toList()), "--figure",
                    "response.p50").exits(0);
            assertThat(swapped.out()).as("with the one that was interrupted").contains("B is faster: response p50 is");
        }
    }

    /**
     * Begins a comparison, and interrupts it in its third trial or later. B has a quarter of A's service rate: the delays of a busy machine
     * cannot hide this difference. Three more pairs may be measured in place of those that a stall makes invalid.
     */
    private Finished interrupted(Path out) throws Exception {
        try (Tool.Running running =
            tool().start("ab", "--b", "url=loopback://x?service-rate=1000", file(SERVED), "--out", out.toString(), "--pairs", "6,9",
                "--figure", "response.p50", "--fail-if", "response.p50 > 1.03")) {
            // It is stopped so that it does not end while the other process starts.
            running.awaitOut("trial 3 of at most 18").signalUnlessEnded("STOP");
            Finished other = PROGRAM.run("ab", "--resume", out.toString()).exits(2);
            Finished finished = running.signalUnlessEnded("INT").signalUnlessEnded("CONT").await();
            if (finished.status() == 130) {
                other.saysOnly("is being run by process " + running.pid());
            }
            return finished;
        }
    }

    /** A pair that a stall makes invalid does not count, and another one is measured instead. */
    @Test
    void oneThatEndedByItsTimeGoesOnWithMore() throws Exception {
        Path out = directory.resolve("ab");
        String[] begin = {"ab", "--b", "url=loopback://x?service-rate=1000", file(SERVED), "--out", out.toString(), "--pairs", "6"};
        assertThat(
            PROGRAM.run(Stream.concat(Stream.of(begin), Stream.of("--time", "1ms")).toArray(String[]::new)).exitsWellAtAnyRate().out())
            .contains("The time is up after 1 pair.");
        assertThat(PROGRAM.run("report", out.toString()).exits(0).err()).containsPattern("\\d of 12 trials have no result\\.");
        PROGRAM.run("replay", out.toString()).exits(2)
            .saysOnly("was begun by ab, which replay does not repeat: give ab its options again, or "
                + "replay one of the trials in " + out.resolve("trials"));
        assertThat(PROGRAM.run("ab", "--resume", out.toString(), "--time", "1ms").exitsWellAtAnyRate().out())
            .containsPattern("\\d of 12 trials were run before\\.").contains("The time is up after 2 pairs.").doesNotContain("trial 1 of");
        assertThat(PROGRAM.run("ab", "--resume", out.toString(), "--time", "1h", "--dry-run").exits(0).out())
            .containsPattern("\\d of 12 trials left\n").contains("\n    12  ").doesNotContain("\n     4  ");
    }

    @Test
    void singleRunsAreShownAndCannotTell() throws Exception {
        PROGRAM.run("client", "--url", "loopback://x", "--message-count", "500", "--message-size", "100").exits(0);
        PROGRAM.run("client", "--url", "loopback://x", "--message-count", "500", "--message-size", "200", "--label", "side=b").exits(0);
        assertThat(PROGRAM.run("compare", "last~1", "last").exits(0).out())
            .contains("A and B cannot be compared: size (A 100, B 200)", "add --despite size", "too few");
        Finished meant = PROGRAM.run("compare", "last~1", "last", "--despite", "size", "--fail-if", "throughput < 0.5").exits(1);
        assertThat(meant.out())
            .contains("Cannot tell whether B differs from A: 1 trial of A and 1 trial of B were measured, and 6 of each are needed.");
        assertThat(meant.err()).contains("--fail-if 'throughput < 0.5' (B to A) cannot be decided: there are too few trials.");
        assertThat(PROGRAM.run("compare", "last~1", "side=b", "--junit", "-").exits(0).out()).contains("<testcase", "cannot be compared");
        PROGRAM.run("compare", "last~1", "side=c").exits(2).saysOnly("No run has the label side=c");
        assertThat(PROGRAM.run("watch").exits(0).out())
            .contains("Cannot tell whether throughput has changed: there is 1 run of this, and 20 are "
                + "needed.");
        Finished watched = PROGRAM.run("watch", "--fail-if", "throughput < 0.97", "--markdown", "-").exits(1);
        assertThat(watched.out()).startsWith("## History").contains("**Cannot tell whether throughput has changed");
        assertThat(watched.err()).contains("--fail-if 'throughput < 0.97' cannot be decided: there are too few runs.");
    }

    @Test
    void mistakesAreToldBeforeAnythingStarts() throws Exception {
        String file = file(SERVED);
        PROGRAM.run("compare", "last~1", "last").exits(2).saysOnly("There is no run");
        PROGRAM.run("compare", "last", "--figure", "thruput").exits(2).saysOnly("--figure: There is no figure 'thruput'");
        PROGRAM.run("compare", "a", "b", "--fail-if", "throughput == 1").exits(2).saysOnly("--fail-if: 'throughput == 1' must be");
        PROGRAM.run("compare", "a", "b", "--json", "-", "--markdown", "-").exits(2).saysOnly("cannot both write to standard output");
        PROGRAM.run("watch", "--fail-if", "thruput < 1").exits(2).saysOnly("--fail-if: There is no figure 'thruput'");
        PROGRAM.run("watch", "--markdown", "-", "--json", "-").exits(2).saysOnly("cannot both write to standard output");
        PROGRAM.run("watch", "--html", directory.toString()).exits(2).saysOnly("is a directory");
        PROGRAM.run("ab", file).exits(2).saysOnly("--a KEY=VALUE");
        PROGRAM.run("ab", "--a", "url=loopback://x?service-rate=4000", file).exits(2).saysOnly("Both variants are the same");
        PROGRAM.run("ab", "--b", "producers.load.rat=3", file).exits(2).saysOnly("did you mean");
        PROGRAM.run("ab", "--b", "producers.load.rate=3", file, "--pairs", "4").exits(2).saysOnly("--pairs: '4' must be rising numbers");
        PROGRAM.run("ab", "--b", "producers.load.rate=3", file(SERVED + "sweep: {seed: [1, 2]}\n")).exits(2)
            .saysOnly("has a sweep of its own");
        PROGRAM.run("ab").exits(2).saysOnly("Name a scenario file: ");
        PROGRAM.run("ab", "--resume", "last").exits(2).saysOnly("There is no comparison of ab in ");
        PROGRAM.run("ab", "--resume", directory.toString()).exits(2).saysOnly("is not the directory of a sweep");
        assertThat(PROGRAM.state()).doesNotExist();
    }
}
