package io.brokermeter.reports.stored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.SentRate;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.formats.SweepTables;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs and sweeps of earlier and later versions, whole and cut off. */
class StoredRunTest {

    @TempDir
    Path directory;

    private Path run;

    @BeforeEach
    void copyTheRun() throws IOException {
        run = Fixtures.copy(Fixtures.RUN, directory.resolve("run"));
    }

    private void change(String file, String from, String to) throws IOException {
        String text = Files.readString(run.resolve(file));
        assertThat(text).contains(from);
        Files.writeString(run.resolve(file), text.replace(from, to));
    }

    @Test
    void aRunOfTheFirstFormatIsReadWhole() {
        StoredRun stored = StoredRun.read(Fixtures.RUN);
        assertThat(stored.state()).isEqualTo(StoredRun.State.ENDED);
        assertThat(stored.format()).isEqualTo(1);
        assertThat(stored.notes()).isEmpty();
        assertThat(stored.labels()).isEmpty();
        assertThat(stored.result().number(ResultField.SENT)).isEqualTo(10_000);
        assertThat(stored.result().number(ResultField.MEAN_SENT_BYTES)).as("counted by later versions").isNaN();
        assertThat(stored.intervals()).hasSize(10).allSatisfy(one -> assertThat(one.count(Count.SENT_BYTES)).isNaN());
        StoredInterval last = stored.intervals().getLast();
        assertThat(last.warmup()).isFalse();
        assertThat(last.sentPerSecond()).isCloseTo(1000, within(25.0));
        assertThat(stored.intervals().stream().mapToLong(StoredInterval::sent).sum()).isCloseTo(10_000, within(10L));
        assertThat(last.micros(Metric.RESPONSE, "50")).isPositive();
        assertThat(last.micros(Metric.RESPONSE, "99.99")).isNaN();
        assertThat(last.broker("cpuPercent")).isPositive();
        assertThat(stored.events()).singleElement().satisfies(event -> assertThat(event.kind()).isEqualTo("notice"));
        assertThat(stored.times().get(Metric.RESPONSE).getTotalCount()).isEqualTo(8000);
        assertThat(stored.times().get(Metric.RESPONSE).getValueAtPercentile(99)).isCloseTo(3596, within(6L));
        assertThat(stored.scenario().orElseThrow()).contains("queue: ORDERS");
        assertThat(Headline.of(stored)).isEqualTo("passed, 1,000 msg/s, response p99 3.60 ms, doubtful");
    }

    @Test
    void timesBetweenMachinesThatNobodyCouldJudgeAreHandedOutByNothing() throws IOException {
        for (String worth : List.of(RunDirectory.UNJUDGED, RunDirectory.LEFT_OUT)) {
            run = Fixtures.copy(Fixtures.RUN, directory.resolve(worth));
            change(RunDirectory.ENVIRONMENT, "{", "{\"" + RunDirectory.ONE_WAY + "\": \"" + worth + "\",");
            StoredRun stored = StoredRun.read(run);
            assertThat(stored.notes()).singleElement().asString().startsWith("Times from one agent to another are left out");
            assertThat(stored.times()).containsOnlyKeys(Metric.SEND_DELAY, Metric.SEND);
            assertThat(stored.latencyLog()).contains("Tag=send,").doesNotContain("Tag=response", "Tag=transfer", "warmup-response");
            assertThat(stored.intervals()).hasSize(10).allSatisfy(interval -> {
                assertThat(interval.micros(Metric.RESPONSE, "50")).isNaN();
                assertThat(interval.samples(Metric.TRANSFER)).isZero();
                assertThat(interval.received()).isPositive();
            });
            assertThat(stored.result().number(ResultField.SENT)).isEqualTo(10_000);
            assertThat(stored.result().document().times().keySet().toString()).contains("send-delay").doesNotContain("response",
                "transfer");
            assertThat(StoredRun.resultIn(run).orElseThrow().document().times().keySet().toString()).contains("send-delay")
                .doesNotContain("response", "transfer");
            Files.delete(run.resolve(RunDirectory.RESULT));
            assertThat(StoredRun.resultIn(run)).isEmpty();
            assertThat(StoredRun.read(run).result().document().times().keySet().toString()).contains("send-delay")
                .doesNotContain("response", "transfer");
        }
        run = Fixtures.copy(Fixtures.RUN, directory.resolve(RunDirectory.JUDGED));
        change(RunDirectory.ENVIRONMENT, "{", "{\"" + RunDirectory.ONE_WAY + "\": \"" + RunDirectory.JUDGED + "\",");
        assertThat(StoredRun.read(run).notes()).isEmpty();
        assertThat(StoredRun.read(run).times()).containsKeys(Metric.RESPONSE, Metric.TRANSFER);
    }

    @Test
    void aRunOfTheSecondFormatIsReadWhole() throws IOException {
        StoredRun stored = StoredRun.read(Fixtures.SECOND_RUN);
        assertThat(stored.format()).isEqualTo(2);
        assertThat(stored.notes()).isEmpty();
        assertThat(stored.labels()).contains(Map.entry("build", "117"), Map.entry("git.branch", "trunk"), Map.entry("git.changes", "true"));
        assertThat(stored.intervals().stream().mapToLong(StoredInterval::sent).sum()).as("counts are exact")
            .isEqualTo((long) stored.result().number(ResultField.SENT));
        assertThat(stored.intervals()).extracting(StoredInterval::phase).contains("calm", "storm");
        assertThat(stored.result().thresholds()).hasSize(3);
        assertThat(stored.generator()).hasSameSizeAs(stored.intervals());
        assertThat(stored.endpoints()).hasSize(5);
        Path cut = Fixtures.copy(Fixtures.SECOND_RUN, directory.resolve("cut"));
        Files.delete(cut.resolve("result.json"));
        StoredRun rest = StoredRun.read(cut);
        assertThat(rest.result().number(ResultField.SENT)).isEqualTo(stored.result().number(ResultField.SENT));
        assertThat(rest.result().generator().cpuPercent()).isPositive();
        assertThat(rest.result().document().what()).startsWith("3 producers, 2 consumers, queue://ORDERS");
    }

    @Test
    void aBrokerThatDidNothingIsNotOneOfWhichNothingIsKnown() throws IOException {
        Files.delete(run.resolve("result.json"));
        Path intervals = run.resolve("intervals.jsonl");
        Files.writeString(intervals, Files.readString(intervals).replaceAll("\"cpuPercent\":[0-9.]+", "\"cpuPercent\":0"));
        assertThat(StoredRun.read(run).result().broker().cpuPercent()).isZero();
        Files.writeString(intervals, Files.readString(intervals).replace("\"cpuPercent\":0", "\"cpuPercent\":null"));
        assertThat(StoredRun.read(run).result().broker().cpuPercent()).isNaN();
    }

    @Test
    void aNewerFormatIsReadAsFarAsItIsKnownAndSaysSo() throws IOException {
        change("result.json", "\"format\":1,", "\"format\":7,\"fromTheFuture\":{\"a\":[1]},");
        change("intervals.jsonl", "\"sampleType\":\"interval\"", "\"sampleType\":\"interval\",\"unheardOf\":[{}]");
        Files.writeString(run.resolve("events.jsonl"), "{\"elapsedSeconds\":3,\"kind\":\"earthquake\",\"sentence\":\"It shook.\"}\n",
            StandardOpenOption.APPEND);
        Files.writeString(run.resolve("latency.hlog"), "Tag=new-time,0.000,1.000,1.000,AAAA\n", StandardOpenOption.APPEND);
        StoredRun stored = StoredRun.read(run);
        assertThat(stored.result().number(ResultField.SENT)).isEqualTo(10_000);
        assertThat(stored.intervals()).hasSize(10);
        assertThat(stored.events()).hasSize(2);
        assertThat(stored.times()).hasSize(4);
        assertThat(stored.notes()).containsExactly("The files of this run have format 7, and this brokermeter knows formats up to "
            + RunDirectory.FORMAT + ": what it does not know is left out.");
    }

    @Test
    void aRunWithoutAResultIsMadeOfItsIntervals() throws IOException {
        StoredRun whole = StoredRun.read(Fixtures.RUN);
        Files.delete(run.resolve("result.json"));
        StoredRun stored = StoredRun.read(run);
        assertThat(stored.state()).isEqualTo(StoredRun.State.CUT_OFF);
        assertThat(stored.notes()).singleElement().asString().contains("cut off", "10 intervals");
        assertThat(stored.result().success()).isFalse();
        assertThat(stored.result().document().result()).isEqualTo("cut off");
        assertThat(stored.result().causes()).singleElement().asString().startsWith("The run was cut off after 10.0 s");
        assertThat(stored.result().number(ResultField.SENT)).isCloseTo(10_000, within(10.0));
        assertThat(stored.result().number(ResultField.MEAN_SENT)).isCloseTo(whole.result().number(ResultField.MEAN_SENT), within(5.0));
        for (String figure : List.of("mean", "p50", "p99")) {
            double exact = whole.result().micros(Metric.RESPONSE, figure);
            assertThat(stored.result().micros(Metric.RESPONSE, figure)).isCloseTo(exact, within(exact * 0.003 + 1));
        }
        assertThat(stored.result().micros(Metric.RESPONSE, "p99.9")).isNaN();
        assertThat(stored.result().broker().cpuPercent()).isCloseTo(whole.result().broker().cpuPercent(), within(3.0));
        assertThat(stored.result().number(ResultField.LOST)).isNaN();
        assertThat(stored.result().document().start()).startsWith("2026-11-22T09:25:11.4");
        assertThat(Headline.of(stored)).startsWith("cut off after 10.0 s, 998 msg/s, response p99 3.6");
    }

    @Test
    void linesThatWereCutOffAreLeftOutAndCounted() throws IOException {
        Files.delete(run.resolve("result.json"));
        cut("intervals.jsonl", 300);
        cut("latency.hlog", 200);
        Files.writeString(run.resolve("events.jsonl"), "{\"elapsedSec");
        Files.writeString(run.resolve("environment.json"), "");
        StoredRun stored = StoredRun.read(run);
        assertThat(stored.intervals()).hasSize(9);
        assertThat(stored.events()).isEmpty();
        assertThat(stored.result().samples(Metric.SEND)).isBetween(6900.0, 8000.0);
        assertThat(stored.notes()).anySatisfy(note -> assertThat(note).startsWith("intervals.jsonl has 1 line that cannot be read"))
            .anySatisfy(note -> assertThat(note).startsWith("latency.hlog has 1 line"))
            .anySatisfy(note -> assertThat(note).startsWith("events.jsonl has 1 line"))
            .anySatisfy(note -> assertThat(note).startsWith("environment.json is damaged"));
        assertThat(stored.latencyLog().lines().count()).isEqualTo(Files.readAllLines(run.resolve("latency.hlog")).size() - 1);
    }

    @Test
    void timesThatEndEarlierThanTheIntervalsAreSaidToBeFewer() throws IOException {
        Files.delete(run.resolve("result.json"));
        List<String> log = Files.readAllLines(run.resolve("latency.hlog"));
        Files.write(run.resolve("latency.hlog"), log.subList(0, log.size() - 12));
        StoredRun stored = StoredRun.read(run);
        long there = (long) stored.result().samples(Metric.RESPONSE);
        assertThat(there).isBetween(1L, 8_999L);
        assertThat(stored.notes()).anySatisfy(note -> assertThat(note).startsWith(
            "latency.hlog ends earlier than intervals.jsonl: the times of the whole run are those of ").matches(".* of [0-9]+ samples\\."));
    }

    private void cut(String file, int bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(run.resolve(file), StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - bytes);
        }
    }

    @Test
    void aRunThatWroteNothingYetIsReadToo() throws IOException {
        for (String file : List.of("intervals.jsonl", "latency.hlog", "events.jsonl", "broker.csv")) {
            Files.writeString(run.resolve(file), "");
        }
        Files.delete(run.resolve("result.json"));
        StoredRun stored = StoredRun.read(run);
        assertThat(stored.result().causes().getFirst()).contains("cut off after 0.0 s");
        assertThat(Headline.of(stored)).isEqualTo("did not come to its end");
        assertThat(KeptRuns.hasMeasured(run)).isFalse();
    }

    /**
     * Ten seconds of sends, then twenty in which late consumers receive the messages. Guards against rates of sends and deliveries that are
     * divided by all thirty.
     */
    @Test
    void aRunThatWasCutOffWhileLateConsumersTookItsBacklogHasTheRatesOfBothParts() throws IOException {
        StoredResult result = cutOffInItsDrain("\"received\":0", "\"received\":400", "\"workload\": {\"durationSeconds\": 10}");
        assertThat(result.number(ResultField.SENDING_SECONDS)).isCloseTo(10, within(0.1));
        assertThat(result.number(ResultField.SENT_PER_SECOND)).isCloseTo(1000, within(10.0));
        assertThat(result.number(ResultField.MEAN_SENT)).isCloseTo(1000, within(10.0));
        assertThat(result.number(ResultField.MEAN_RECEIVED)).isCloseTo(400, within(0.5));
        assertThat(result.number(ResultField.RECEIVED_PER_SECOND)).isCloseTo(400, within(0.5));
        assertThat(result.number(ResultField.ELAPSED)).isCloseTo(30, within(0.1));
    }

    /**
     * Ten seconds of load, then twenty of waiting for a message that never came. Guards against a rate of deliveries that is divided by all
     * thirty.
     */
    @Test
    void aRunThatWasCutOffWhileNothingCameAnyMoreHasTheRatesOfItsLoad() throws IOException {
        StoredResult result = cutOffInItsDrain("\"received\":1000", "\"received\":0", "\"workload\": {\"durationSeconds\": 10}");
        assertThat(result.number(ResultField.MEAN_SENT)).isCloseTo(1000, within(10.0));
        assertThat(result.number(ResultField.MEASURED_SENT) / result.number(ResultField.MEASURED_SECONDS)).as("of these two")
            .isCloseTo(result.number(ResultField.MEAN_SENT), within(0.1));
        assertThat(result.number(ResultField.MEAN_RECEIVED)).isCloseTo(1000, within(10.0));
        assertThat(result.number(ResultField.RECEIVED_PER_SECOND)).isCloseTo(1000, within(10.0));
        assertThat(result.number(ResultField.MEASURED_RECEIVING_SECONDS)).isCloseTo(8, within(0.1));
    }

    /** The planned end is within an interval without sends. Guards against leaving that interval out as a whole. */
    @Test
    void aLoadThatEndsInSilenceIsDividedByItsPlannedLengthWhenCutOff() throws IOException {
        StoredResult result = cutOffInItsDrain("\"received\":1000", "\"received\":0", "\"workload\": {\"durationSeconds\": 12.5}");
        assertThat(result.number(ResultField.SENDING_SECONDS)).isEqualTo(12.5);
        assertThat(result.number(ResultField.MEAN_SENT)).isCloseTo(8000 / 10.5, within(10.0));
        assertThat(result.number(ResultField.MEASURED_RECEIVING_SECONDS)).isCloseTo(10.5, within(0.1));
    }

    /**
     * The first 30 s of a load of 60 s, with consumers from 10 s on. Guards against a rate of deliveries that includes the time before the
     * consumers started.
     */
    @Test
    void aRunThatWasCutOffInItsLoadHasTheRateOfItsConsumersFromTheirStart() throws IOException {
        StoredResult result = cutOffInItsDrain("\"received\":0", "\"received\":400",
            "\"workload\": {\"durationSeconds\": 60, \"consumersStartSeconds\": 10}");
        assertThat(result.number(ResultField.MEASURED_RECEIVING_SECONDS)).isCloseTo(20, within(0.1));
        assertThat(result.number(ResultField.MEAN_RECEIVED)).isCloseTo(400, within(2.0));
    }

    /** Ten of the first 30 s of a load of 60 s were sent at 1,000/s; the asked rate is that of the producers from their start on. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"'\"producersStartSeconds\": 20', 1000", "'\"producersStartSeconds\": 0', 333.3",
        "'\"producersStartSeconds\": null', -", "'\"producersStartSeconds\": 20, \"publishesCounts\": true', -",
        "'\"load\": \"constant\"', 333.3"})
    void aRunThatGoesOnReachesOfItsRateWhatItsProducersSentFromTheirStart(String start, @Nullable Double reached) throws IOException {
        SentRate rate = SentRate.of(cutOffInItsDrain("\"received\":0", "\"received\":400",
            "\"workload\": {\"ratePerSecond\": 1000, \"durationSeconds\": 60, " + start + "}"));
        assertThat(rate.isAsked()).isEqualTo(reached != null);
        if (reached != null) {
            assertThat(rate.perSecond()).isCloseTo(reached, within(10.0));
        }
    }

    /** Returns the result of a run that was cut off 20 s after the end of 10 s of load. */
    private StoredResult cutOffInItsDrain(String receivedInLoad, String receivedLater, String workload) throws IOException {
        Files.delete(run.resolve("result.json"));
        Path environment = run.resolve("environment.json");
        Files.writeString(environment, Files.readString(environment).replaceFirst("\\}\\s*$", ", " + workload + "}"));
        Path intervals = run.resolve("intervals.jsonl");
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(intervals)) {
            lines.add(line.replaceFirst("\"received\":[0-9]+", receivedInLoad));
        }
        String load = lines.get(9);
        double end = ((Number) JsonText.read(load).get("elapsedSeconds")).doubleValue();
        for (int i = 1; i <= 20; i++) {
            lines.add(load.replaceFirst("\"sent\":[0-9]+", "\"sent\":0")
                .replaceFirst("\"received\":[0-9]+", receivedLater)
                .replaceFirst("\"intervalSeconds\":[0-9.]+", "\"intervalSeconds\":1.0")
                .replaceFirst("\"elapsedSeconds\":[0-9.]+", "\"elapsedSeconds\":" + (end + i)));
        }
        Files.write(intervals, lines);
        return StoredRun.read(run).result();
    }

    @Test
    void whatIsNoRunIsRefused() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThatThrownBy(() -> StoredRun.read(empty)).isInstanceOf(UsageException.class)
            .hasMessageContaining("is not the directory of a run: it has neither result.json nor intervals.jsonl.");
    }

    @Test
    void aSweepOfTheFirstFormatIsRead() {
        StoredSweep sweep = StoredSweep.read(Fixtures.SWEEP);
        assertThat(sweep.notes()).isEmpty();
        assertThat(sweep.experiments()).containsExactly("case-3-rate");
        assertThat(sweep.trials()).hasSize(2).allSatisfy(trial -> {
            assertThat(trial.isDone()).isTrue();
            assertThat(trial.causes()).singleElement().asString().startsWith("The asked rate was missed");
            assertThat(trial.run().orElseThrow().result().sends()).isTrue();
        });
        assertThat(sweep.trials().getFirst().variant(true)).isEqualTo("producers.threads 2, repeat 1");
        assertThat(Headline.of(sweep)).isEqualTo("0 of 2 trials passed, 2 failed");
    }

    @Test
    void aSweepThatWasKilledInItsFirstTrialHasMeasuredSomething() throws IOException {
        Path sweep = Fixtures.copy(Fixtures.SWEEP, directory.resolve("sweep"));
        String text = Files.readString(sweep.resolve("sweep.json"));
        Files.writeString(sweep.resolve("sweep.json"),
            text.replaceFirst("\"failed\"", "\"running\"").replaceFirst("\"failed\"", "\"waiting\""));
        for (StoredTrial trial : StoredSweep.read(sweep).trials()) {
            Files.delete(trial.directory().resolve("result.json"));
        }
        assertThat(KeptRuns.hasMeasured(sweep)).isFalse();
        Files.copy(run.resolve("intervals.jsonl"), StoredSweep.read(sweep).trials().getFirst().directory().resolve("intervals.jsonl"));
        assertThat(KeptRuns.hasMeasured(sweep)).isTrue();
        StoredSweep stored = StoredSweep.read(sweep);
        assertThat(stored.notes()).containsExactly("The sweep was cut off: 2 of 2 trials have no result.");
        assertThat(Headline.of(stored)).isEqualTo("0 of 2 trials passed, 0 failed, 2 without a result");
        assertThat(SweepTables.markdown(stored)).contains("cut off").doesNotContain("running");
    }

    @Test
    void namesHaveTheOrderOfTimeWhateverIsBehindIt() throws IOException {
        RunStore store = new RunStore(directory.resolve("quick"));
        List<Path> created = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            created.add(store.create(i % 2 == 0 ? "window" : "client"));
        }
        assertThat(store.all().reversed()).isEqualTo(created);
    }

    @Test
    void runsAreFoundByWhatTheyAreCalled() throws IOException {
        KeptRuns runs = new KeptRuns(new RunStore(directory.resolve("store")));
        Path first = runs.store().create("client");
        Path second = runs.store().create("client");
        Path third = runs.store().create("sweep");
        Path nothing = runs.store().create("client");
        for (Path one : List.of(first, second)) {
            Files.delete(one);
            Fixtures.copy(Fixtures.RUN, one);
        }
        Files.delete(third);
        Fixtures.copy(Fixtures.SWEEP, third);
        Files.copy(run.resolve("scenario.yaml"), nothing.resolve("scenario.yaml"));
        Files.writeString(first.resolve("result.json"), Files.readString(first.resolve("result.json")).replace("mwrmsg7s", "my-id"));
        assertThat(runs.find("last")).isEqualTo(third);
        assertThat(runs.find("last~2")).isEqualTo(first);
        assertThat(runs.find(first.getFileName().toString())).isEqualTo(first);
        assertThat(runs.find(first.toString())).isEqualTo(first);
        assertThat(runs.find("my-id")).isEqualTo(first);
        assertThatThrownBy(() -> runs.find("20")).isInstanceOf(UsageException.class).hasMessageContaining("is the beginning of 4 runs");
        assertThatThrownBy(() -> runs.find("last~3")).isInstanceOf(UsageException.class).hasMessageContaining("There is no 'last~3'");
        assertThatThrownBy(() -> runs.find("nobody")).isInstanceOf(UsageException.class).hasMessageContaining("There is no run 'nobody'");
    }

    @Test
    void labelsAreMatchedAndCommitsByTheirFirstDigits() {
        Map<String, String> labels = Map.of("a", "1", "git.commit", "0123456789abcdef");
        assertThat(RunLabels.match(labels, Map.of())).isTrue();
        assertThat(RunLabels.match(labels, Map.of("a", "1", "git.commit", "01234"))).isTrue();
        assertThat(RunLabels.match(labels, Map.of("git.commit", "012"))).as("too few digits").isFalse();
        assertThat(RunLabels.match(labels, Map.of("git.commit", "1234"))).isFalse();
        assertThat(RunLabels.match(labels, Map.of("a", ""))).isFalse();
        assertThat(RunLabels.match(labels, Map.of("b", "1"))).isFalse();
    }

    @Test
    void pruningTakesTheOldTheManyAndTheLarge() throws IOException {
        RunStore store = new RunStore(directory.resolve("store"));
        Files.createDirectory(store.root());
        Instant now = Instant.parse("2026-11-22T12:00:00Z");
        for (int day = 1; day <= 5; day++) {
            Path one = Files.createDirectory(store.root().resolve("2026110" + day + "T120000.000Z-client"));
            Files.write(one.resolve(RunDirectory.RESULT), new byte[1000]);
        }
        List<Path> all = store.all();
        assertThat(going(all, new Pruning.Limits(Duration.ofDays(19), -1, -1), now)).containsExactly(all.get(3), all.get(4));
        assertThat(going(all, new Pruning.Limits(null, 1, -1), now)).containsExactlyElementsOf(all.subList(1, 5));
        assertThat(going(all, new Pruning.Limits(null, -1, 3000), now)).containsExactlyElementsOf(all.subList(3, 5));
        assertThat(going(all, new Pruning.Limits(Duration.ofDays(365), 10, 5000), now)).isEmpty();
        assertThat(Pruning.of(all, new Pruning.Limits(null, 1, -1), now).bytes()).isEqualTo(5000);
        assertThat(Pruning.remove(all.get(4))).isTrue();
        assertThat(store.all()).hasSize(4);
    }

    private static List<Path> going(List<Path> all, Pruning.Limits limits, Instant now) throws IOException {
        return Pruning.of(all, limits, now).going().stream().map(Pruning.Going::directory).toList();
    }

    @Test
    void pruningSparesWhatMayGoOnAndNeverFollowsALink() throws IOException {
        RunStore store = new RunStore(directory.resolve("store"));
        Path fresh = store.create("client");
        Files.writeString(fresh.resolve("intervals.jsonl"), "");
        Path linked = Files.createSymbolicLink(store.root().resolve("20260101T000000.000Z-link"), run);
        Pruning pruning = Pruning.of(store.all(), new Pruning.Limits(null, 0, -1), Instant.now());
        assertThat(pruning.spared()).containsExactly(fresh);
        assertThat(pruning.going()).extracting(Pruning.Going::directory).containsExactly(linked);
        assertThat(Pruning.remove(fresh)).isFalse();
        assertThat(Pruning.remove(linked)).isTrue();
        assertThat(linked).doesNotExist();
        assertThat(run.resolve("result.json")).exists();
    }
}
