package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of messages of all kinds in whole runs. */
class MessagesRunTest {

    private static final Destination TOPIC = Destination.parse("topic://T");

    @TempDir
    Path directory;

    private final VirtualClock clock = new VirtualClock();

    @AfterEach
    void closeClock() {
        clock.close();
    }

    private static ConnectionSettings settings(String name) {
        return new ConnectionSettings("loopback://" + name, null, null, null, Duration.ofSeconds(5));
    }

    private static Messages messages(String sizes, String content, @Nullable String keys, String priorities) {
        return Messages.of(its -> {
            its.sizes = Sizes.parse(sizes);
            its.content = Content.parse(content);
            its.keys = keys == null ? null : Keys.parse(keys);
            its.priorities = priorities.isEmpty() ? List.of() : Messages.priorities(priorities);
        });
    }

    private Plan plan(String name, Load load, long count, Duration duration, Messages messages) {
        Endpoint endpoint = new Endpoint("LOOPBACK", settings(name));
        ProducerGroupSpec producers = ProducerGroupSpec.plain(endpoint, List.of(TOPIC), 100, messages).with(group -> {
            group.perDestination = 2;
            group.load = load;
            group.messageCount = count;
        });
        Limits limits = new Limits(Duration.ZERO, duration, Duration.ofSeconds(5), Duration.ofSeconds(1));
        return Plan.of(Scenario.of("test", limits, its -> {
            its.producers = List.of(producers);
            its.consumers = List.of(ConsumerGroupSpec.plain(endpoint, List.of(TOPIC)));
            its.pacing = Pacing.PARK;
        }), List.of(new LoopbackDriver(clock.broker())));
    }

    private RunResult run(Plan plan) throws RunFailure {
        return new Run(plan, RunShare.whole(plan), new RunObserver() {}, null, null, Setting::key, clock, null).execute();
    }

    @Test
    void eachLineOfALogIsSentAtTheMomentOfItsTimeStamp() throws Exception {
        Path log = directory.resolve("access.log");
        List<Long> moments = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            long millis = i * 5 + i % 7 * i / 20;
            moments.add(moments.isEmpty() ? millis : Math.max(moments.getLast(), millis));
            text.append(String.format("2026-01-31T12:00:00.%03d GET /page/%d%n", moments.getLast(), i));
            text.append(i % 10 == 0 ? "\n" : "");
        }
        Files.writeString(log, text);
        Map<Integer, Long> sent = new ConcurrentHashMap<>();
        RunResult result;
        try (Connection spy = new LoopbackDriver(clock.broker()).connect(settings("trace"), LoopbackRun.DEAF)) {
            spy.consumer(TOPIC, ConsumerSettings.DEFAULT, new Spy(sent));
            result = run(plan("trace", Load.parse("trace:" + log, 1), 0, Duration.ofMillis(600), messages("64", "lines:" + log, null, "")));
        }

        assertThat(result.failures()).isEmpty();
        assertThat(result.received()).isEqualTo(60);
        Map<Integer, Long> inOrder = new TreeMap<>(sent);
        long first = inOrder.get(0);
        assertThat(inOrder.values().stream().map(intended -> (intended - first) / 1_000_000)).isEqualTo(moments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "compressible:40%", "constant:0", "json:{\"n\":{{counter}},\"who\":\"{{uuid}}\"}"})
    void messagesThatVaryArriveWholeAndAreAllAccountedFor(String content) throws Exception {
        RunResult result = run(plan("vary", new Load.AllOut(), 20_000, Duration.ZERO,
            messages("lognormal:200,1.2", content, "zipf:50,1", "4:90%,9:10%")));

        assertThat(result.failures()).isEmpty();
        assertThat(result.completed()).isEqualTo(20_000);
        assertThat(result.received()).isEqualTo(20_000);
        LedgerReport report = Objects.requireNonNull(result.ledger());
        assertThat(report.corrupt() + report.foreign() + report.lost()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "compressible:40%", "constant:0", "json:{\"n\":{{counter}},\"who\":\"{{uuid}}\"}"})
    void bodiesThatTheBrokerCutOrChangedAreFoundWhateverTheyAre(String content) throws Exception {
        RunResult cut = run(plan("cut?truncate-every=100", new Load.AllOut(), 1_000, Duration.ZERO, messages("200", content, null, "")));
        RunResult changed =
            run(plan("changed?corrupt-every=100", new Load.AllOut(), 1_000, Duration.ZERO, messages("200", content, null, "")));

        for (RunResult result : List.of(cut, changed)) {
            assertThat(result.failures()).containsExactly(new Finding.Corrupt(10));
            LedgerReport report = Objects.requireNonNull(result.ledger());
            assertThat(report.corrupt()).isEqualTo(10);
            assertThat(report.foreign() + report.old() + report.lost()).isZero();
        }
    }

    @Test
    void aFileThatIsMissingIsFoundBeforeAnythingConnects() {
        assertThatThrownBy(() -> plan("nobody", new Load.AllOut(), 1, Duration.ZERO, messages("64", "file:/no/such/file", null, "")))
            .isInstanceOf(UsageException.class).hasMessage("File /no/such/file, which bodies are to be made of, does not exist.");
    }

    /** Records when each line was intended to be sent. */
    private record Spy(Map<Integer, Long> intended) implements DeliveryListener {

        @Override
        public Settlement delivered(ByteBuffer body, boolean redelivered) {
            throw new AssertionError("The envelope is missing.");
        }

        @Override
        public Settlement delivered(ByteBuffer envelope, ByteBuffer body, boolean redelivered) {
            String line = StandardCharsets.UTF_8.decode(body.duplicate()).toString();
            intended.put(Integer.parseInt(line.substring(line.lastIndexOf('/') + 1)), Envelope.intended(envelope));
            return Settlement.ACCEPT;
        }

        @Override
        public void failed(Throwable cause) {
            throw new AssertionError(cause);
        }
    }
}
