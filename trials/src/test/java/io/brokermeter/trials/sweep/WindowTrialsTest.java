package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.analysis.window.FarSide;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Trial;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.trials.Speaking;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials of {@code window}: a resumed search assigns each rate to the setting that its trial changed. */
class WindowTrialsTest {

    private static final String WINDOW = "window";
    private static final String PLAIN = "tcp://127.0.0.1:1";
    private static final String PENDING = "producers.maxPending=40000";
    private static final String CONFIRMATION = "producers.properties.confirmationWindowSize=131072";
    private static final String CREDIT = "producers.properties.producerWindowSize=4194304";
    private static final String SOCKET = "producers.properties.tcpSendBufferSize=4194304";

    @TempDir
    Path directory;

    private static WindowTrials begun(String url, Consumer<WindowPlan.Request.Values> more) {
        return WindowTrials.of(WindowPlan.Request.of(its -> {
            its.sides = List.of(FarSide.PRODUCER);
            its.roundTrips = List.of(Duration.ofMillis(1), Duration.ofMillis(100));
            its.sizes = List.of(256, 2048);
            its.access = Map.of("url", url, "protocol", "CORE");
            its.protocol = "CORE";
            its.destination = "queue://Q";
            more.accept(its);
        }), Speaking.ONLY, Duration.ofMinutes(10));
    }

    private SweepFiles kept(WindowTrials begun, SweepDocument.Question question) throws IOException {
        Path place = Files.createTempDirectory(directory, "sweep");
        SweepFiles.create(place, List.of(), SweepPlan.of(begun.plan().experiments(), Speaking.ONLY, null), null, question);
        return SweepFiles.open(place);
    }

    private WindowTrials rest(WindowTrials begun) throws IOException {
        WindowTrials rest = WindowTrials.rest(kept(begun, begun.kept()), Speaking.ONLY, null);
        assertThat(rest.kept()).isEqualTo(begun.kept());
        return rest;
    }

    private WindowTrials restOfBefore(WindowTrials begun) throws IOException {
        return WindowTrials.rest(kept(begun, saying(begun, null)), Speaking.ONLY, null);
    }

    private static SweepDocument.Question saying(WindowTrials begun, @Nullable Map<String, String> tried) {
        SweepDocument.AskedWindow its = Objects.requireNonNull(begun.kept().window());
        assertThat(its.tried()).isNotNull();
        return SweepDocument.Question.of(new SweepDocument.AskedWindow(its.sides(), its.roundTripsMicros(), its.sizes(), its.protocol(),
            its.broker(), its.destination(), its.scale(), its.sets(), its.access(), its.seconds(), tried));
    }

    private static Map<String, String> all(String... settings) {
        Map<String, String> all = new HashMap<>();
        for (String setting : settings) {
            all.put("producer-change-" + (all.size() + 1), setting);
        }
        return all;
    }

    @Test
    void aChangeThatWasNotPossibleAtTheBeginningIsNoneLater() throws Exception {
        WindowTrials begun = begun(PLAIN + "?confirmationWindowSize=1048576", its -> its.sets = List.of("name=mine"));
        assertThat(begun.plan().tried()).isEqualTo(all(PENDING, CREDIT, SOCKET));

        WindowTrials rest = rest(begun);

        assertThat(rest.plan().tried()).isEqualTo(all(PENDING, CREDIT, SOCKET));
        assertThat(rest.plan().halves().getFirst().changes().keySet()).isEqualTo(begun.plan().halves().getFirst().changes().keySet());
        assertThat(rest.plan().halves().getFirst().points()).isEqualTo(begun.plan().halves().getFirst().points());
        assertThat(rest.plan().halves().getFirst().at()).isEqualTo(begun.plan().halves().getFirst().at());
        assertThatThrownBy(() -> restOfBefore(begun)).isInstanceOf(UsageException.class)
            .hasMessageContaining("does not say which settings its trials change");
    }

    @Test
    void aChangeThatWasPossibleWithALoginIsPossibleWithoutIt() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "geheim\n");
        WindowTrials begun = begun(PLAIN, its -> {
            its.access = Map.of("url", PLAIN, "protocol", "CORE", "user", "u");
            its.sets = List.of("passwordFile=" + secret);
        });
        assertThat(begun.plan().tried()).isEqualTo(all(PENDING, CONFIRMATION, CREDIT, SOCKET));

        assertThat(rest(begun).plan().tried()).isEqualTo(all(PENDING, CONFIRMATION, CREDIT, SOCKET));
        assertThatThrownBy(() -> restOfBefore(begun)).isInstanceOf(UsageException.class);
    }

    private static void measured(SweepFiles files, SweepPlan.Step step, double perSecond) throws IOException {
        Files.writeString(files.begin(step).resolve("result.json"), String.format(Locale.ROOT, """
            {"format":1,"name":"s","success":true,"signal":0,"sends":true,"receives":true,"messages":{"sent":1000,"measuredSent":900},
            "rates":{"completedPerSecond":%f,"measuredSentPerSecond":%f},"groups":[],"health":{"reasons":[]}}
            """, perSecond, perSecond));
        files.end(step, SweepFiles.State.PASSED, List.of());
    }

    /**
     * A window of 10 messages over three distances. One trial over the shortest distance fails and one is not run. The repeat without a
     * change has four times the rate.
     */
    @Test
    void whatCameToNothingIsNotWhatWasNotRun() throws Exception {
        WindowTrials begun =
            begun(PLAIN, its -> its.roundTrips = List.of(Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofMillis(100)));
        WindowPlan.Half half = begun.plan().halves().getFirst();
        SweepPlan plan = SweepPlan.of(begun.plan().experiments(), Speaking.ONLY, null);
        Path place = Files.createTempDirectory(directory, "measured");
        SweepFiles files = SweepFiles.create(place, List.of(), plan, null, begun.kept());
        int near = 0;
        for (SweepPlan.Step step : plan.steps()) {
            String experiment = plan.experiment(step).name();
            if (experiment.equals(half.unchanged().name())) {
                measured(files, step, 400);
            } else if (experiment.equals(half.distances().name())) {
                double roundTrip = half.points().get(step.trial().index()).roundTrip();
                if (roundTrip != 0.001) {
                    measured(files, step, 10 / roundTrip);
                } else if (near++ == 0) {
                    files.begin(step);
                    files.end(step, SweepFiles.State.FAILED, List.of("no broker"));
                }
            }
        }

        String text = WindowTrials.rest(SweepFiles.open(place), Speaking.ONLY, null).conclusion(place);

        assertThat(text).contains(" One trial came to nothing. One trial was not run to its end.");
        assertThat(place.resolve("window.json")).content().containsPattern("\"trialsWithoutRate\" ?: ?2,\\s*\"trialsNotRun\" ?: ?1,")
            .as("the geometric mean of 100 and 400").containsPattern("\"changesAt\" ?: ?\\{[^}]*\"perSecond\" ?: ?200.0");
    }

    /** A producer fills what may be under way as fast as it can, which is no rate of the broker's: 2,000 a second are confirmed. */
    @Test
    void theRateOfAProducerIsThatOfItsConfirmations() throws Exception {
        WindowTrials begun = begun(PLAIN, _ -> {});
        SweepPlan plan = SweepPlan.of(begun.plan().experiments(), Speaking.ONLY, null);
        Path place = Files.createTempDirectory(directory, "filling");
        SweepFiles files = SweepFiles.create(place, List.of(), plan, null, begun.kept());
        for (SweepPlan.Step step : plan.steps()) {
            measured(files, step, 11_000);
            Files.writeString(place.resolve("trials").resolve(step.directory()).resolve("intervals.jsonl"), """
                {"sampleType":"interval","warmup":true,"intervalSeconds":0.1,"sentMessages":3000,"sent":30000,"completedMessages":100}
                {"sampleType":"interval","warmup":false,"intervalSeconds":0.1,"sentMessages":1100,"sent":11000,"completedMessages":190}
                {"sampleType":"interval","warmup":false,"intervalSeconds":0.2,"sentMessages":2200,"sent":11000,"completedMessages":410}
                {"sampleType":"interval","warmup":false,"intervalSeconds":0.1,"sentMessages":0,"sent":0,"completedMessages":300}
                """);
        }

        WindowTrials.rest(SweepFiles.open(place), Speaking.ONLY, null).conclusion(place);

        assertThat(place.resolve("window.json")).content().containsPattern("\"perSecond\" ?: ?2000.0").doesNotContain("11000");
    }

    @Test
    void aBrokerTooSlowForAllThatIsUnderWayIsToldWithWhatHelps() throws Exception {
        WindowTrials begun = begun(PLAIN, _ -> {});
        SweepPlan plan = SweepPlan.of(begun.plan().experiments(), Speaking.ONLY, null);
        Path place = Files.createTempDirectory(directory, "slow");
        SweepFiles files = SweepFiles.create(place, List.of(), plan, null, begun.kept());
        for (SweepPlan.Step step : plan.steps().subList(0, 3)) {
            Files.writeString(files.begin(step).resolve("result.json"), """
                {"format":1,"name":"s","success":false,"signal":0,"sends":true,"receives":true,"messages":{"sent":1000,"measuredSent":900},
                "rates":{"completedPerSecond":100,"measuredSentPerSecond":5000},"groups":[],"health":{"reasons":[]},
                "findings":[{"kind":"unconfirmed","failure":true,"sentence":"4,000 sends were never confirmed","count":4000}]}
                """);
            files.end(step, SweepFiles.State.FAILED, List.of("4,000 sends were never confirmed"));
        }
        assertThat(WindowTrials.rest(SweepFiles.open(place), Speaking.ONLY, null).conclusion(place))
            .contains(
                "The broker confirmed 100 messages a second and did not end within 60 s after a trial, so fewer at a time are enough: "
                    + "--set producers.maxPending=1500.");
    }

    private static List<String> tried(FarSide side, String... sets) {
        return List.copyOf(begun(PLAIN, its -> {
            its.sides = List.of(side);
            // The settings of OPENWIRE include a prefetch; the driver of this test accepts all of them.
            its.protocol = "OPENWIRE";
            its.sets = List.of(sets);
        }).plan().tried().values());
    }

    /** The value may need the parser of scenario files, and may be part of a group that is set as a whole. */
    @Test
    void whatTheUserSetsIsWhatIsChanged() {
        assertThat(tried(FarSide.PRODUCER, "producers.maxPending=1k")).contains("producers.maxPending=4000");
        assertThat(tried(FarSide.PRODUCER, "producers={maxPending: 50, properties: {socketBufferSize: 1000}}"))
            .contains("producers.maxPending=200", "producers.properties.socketBufferSize=4000");
        assertThat(tried(FarSide.CONSUMER, "consumers.prefetch=1k")).contains("consumers.prefetch=4000");
        assertThat(tried(FarSide.CONSUMER, "consumers={prefetch: 100}")).contains("consumers.prefetch=400");
        assertThat(tried(FarSide.CONSUMER)).contains("consumers.prefetch=4000", "consumers.properties.socketBufferSize=262144")
            .doesNotContain("consumers.ackMode=auto");
        assertThat(tried(FarSide.CONSUMER, "consumers.ackMode=transacted", "consumers.batch=1k"))
            .contains("consumers.batch=4000");
    }

    @Test
    void whatItsTrialsVaryCannotBeSet() {
        for (String set : List.of("message.size=2KiB", "message=2KiB", "load.rate=20k/s", "load={rate: 20k/s}", "duration=60s", "warmup=1s",
            "consumers.network=rtt=5ms", "sweep=null")) {
            assertThatThrownBy(() -> tried(FarSide.CONSUMER, set)).as(set).isInstanceOf(UsageException.class)
                .hasMessageContaining("' cannot be set: it is one of the keys that the trials of a window vary.");
        }
        assertThat(tried(FarSide.CONSUMER, "message={persistent: true}")).isNotEmpty();
    }

    @Test
    void producersMayHaveALoadOfTheirOwn() {
        for (String set : List.of("producers.load.rate=200/s", "producers={maxPending: 100, load: {rate: 200/s}}",
            "producers=[{load: 200/s}]")) {
            assertThat(rates(set)).as(set).containsOnly(200.0);
        }
        assertThat(rates("producers.load=null")).as("there is none").containsExactlyElementsOf(rates()).doesNotContain(1.0);
    }

    private static List<Double> rates(String... sets) {
        return begun(PLAIN, its -> {
            its.sides = List.of(FarSide.CONSUMER);
            its.sets = List.of(sets);
        }).plan().halves().getFirst().distances().trials().stream().sorted(Comparator.comparingInt(Trial::index))
            .map(trial -> trial.workload().scenario().producers().getFirst().load())
            .map(load -> load instanceof Load.Constant(var rate) ? (double) rate.events() / rate.seconds() : -1.0).toList();
    }

    @Test
    void aSearchOfBeforeGoesOnWhereItsChangesAreTheSame() throws Exception {
        WindowTrials begun = begun(PLAIN, _ -> {});

        assertThat(restOfBefore(begun).plan().tried()).isEqualTo(all(PENDING, CONFIRMATION, CREDIT, SOCKET));
    }

    @Test
    void aChangeThatNobodyKnowsAnyMoreIsRefused() throws Exception {
        WindowTrials begun = begun(PLAIN, _ -> {});
        SweepDocument.Question other = saying(begun, Map.of("producer-change-1", "producers.maxPending=20000"));

        assertThatThrownBy(() -> WindowTrials.rest(kept(begun, other), Speaking.ONLY, null))
            .isInstanceOf(UsageException.class).hasMessageContaining("nothing that fits 'producers.maxPending=20000'");
    }
}
