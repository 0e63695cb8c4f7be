package io.brokermeter.reports.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Weighted;
import io.brokermeter.reports.Samples;
import io.brokermeter.reports.document.RecordForm;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Round trips of records through JSON. */
class RecordJsonTest {

    private static final Endpoint ENDPOINT =
        new Endpoint("LOOPBACK", new ConnectionSettings("loopback://record-json", null, null, null, Duration.ofSeconds(5)));

    record Scalars(boolean flag, byte small, short less, int some, long many, float rough, double exact, char sign, String text) {}

    record Boxes(@Nullable Boolean flag, @Nullable Integer some, @Nullable Long many, @Nullable Double exact, @Nullable String text) {}

    record Parts(List<@Nullable String> texts, Set<Metric> set, Map<Metric, Long> byMetric, Map<Integer, List<Double>> byNumber,
            Map<Long, String> byLong, Weighted<String> weighted, List<Weighted<Duration>> laws, Map<String, ? extends Pet> pets) {}

    record Arrays64(long[] longs, int[] ints, double[] doubles, byte[] bytes, String[] texts, long[][] rows) {}

    record Times(Duration time, Instant moment, BitSet bits, Histogram histogram) {}

    sealed interface Pet {}

    record Cat(int lives) implements Pet {}

    sealed interface Other extends Pet {}

    record Dog(String name, @Nullable Pet chases) implements Other {}

    record Home(Pet pet) {}

    record Anything(Object what) {}

    private static <R extends Record> R back(Class<R> type, R record) {
        return RecordJson.read(type, RecordJson.text(record));
    }

    private static void returns(Record record) {
        assertThat((Record) RecordJson.read(record.getClass(), RecordJson.text(record))).isEqualTo(record);
    }

    @Test
    void numbersAreExact() {
        returns(new Scalars(true, (byte) -128, (short) -32768, Integer.MIN_VALUE, Long.MAX_VALUE, 0.1f, 0.1, 'x', "a \"b\"\n\u00e9"));
        for (long many : new long[] {(1L << 53) + 1, Long.MIN_VALUE, -1}) {
            assertThat(back(Boxes.class, new Boxes(false, 1, many, 0.0, "")).many()).isEqualTo(many);
        }
        for (double exact : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, Double.MIN_VALUE,
            Double.MAX_VALUE, 1e22, 1, 123456789012345678.0}) {
            returns(new Scalars(false, (byte) 0, (short) 0, 0, 0, (float) exact, exact, '\u0000', ""));
        }
        returns(new Boxes(null, null, null, null, null));
    }

    @Test
    void collectionsKeepTheirTypesAndTheirOrder() {
        Map<Metric, Long> byMetric = new EnumMap<>(Map.of(Metric.SEND, 1L, Metric.RESPONSE, 2L));
        Map<Integer, List<Double>> byNumber = new LinkedHashMap<>();
        byNumber.put(7, List.of(1.0, Double.NaN));
        byNumber.put(-1, List.of());
        Parts parts = new Parts(Arrays.asList("a", null, ""), Set.of(Metric.TRANSFER), byMetric, byNumber, Map.of(1L << 60, "x"),
            new Weighted<>("w", 0.5), List.of(new Weighted<>(Duration.ofNanos(1), 1)),
            Map.of("tom", new Cat(9), "spike", new Dog("Spike", new Cat(1))));
        Parts read = back(Parts.class, parts);
        assertThat(read).isEqualTo(parts);
        assertThat(read.byNumber().keySet()).containsExactly(7, -1);
        assertThatThrownBy(() -> read.texts().add("b")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void arraysTimesBitsAndHistograms() {
        Arrays64 arrays = new Arrays64(new long[] {Long.MAX_VALUE, -1}, new int[0], new double[] {Double.NaN, 0.5}, new byte[] {0, -1, 7},
            new String[] {"a"}, new long[][] {{1, 2}, {}});
        assertThat(Arrays.deepEquals(RecordForm.values(back(Arrays64.class, arrays)).values().toArray(),
            RecordForm.values(arrays).values().toArray())).isTrue();
        BitSet bits = new BitSet();
        bits.set(0);
        bits.set(1000, 1100);
        Histogram histogram = new Histogram(1, 3_600_000_000_000L, 3);
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            histogram.recordValue((long) Math.exp(random.nextDouble() * 28));
        }
        for (Duration time : List.of(Duration.ofNanos(-1), Duration.ZERO, Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
            Duration.ofSeconds(Long.MIN_VALUE))) {
            returns(new Times(time, Instant.ofEpochSecond(1, 123_456_789), bits, histogram));
        }
        returns(new Times(Duration.ZERO, Instant.MIN, new BitSet(), new Histogram(1, 2, 0)));
        returns(new Times(Duration.ZERO, Instant.MAX, new BitSet(), new Histogram(1, 3_600_000_000_000L, 3)));
    }

    /** Round trips of the records of a run: intervals, events, result, ledger, health of the generator, share. */
    @Test
    void aRunOverLoopback() throws Exception {
        List<Interval> intervals = new ArrayList<>();
        List<String> asTheyCame = new ArrayList<>();
        List<Event> events = new ArrayList<>();
        Plan plan = plan();
        Run run = new Run(plan, RunShare.whole(plan), new RunObserver() {
            @Override
            public void interval(Interval interval) {
                asTheyCame.add(RecordJson.text(interval));
                intervals.add(RecordJson.read(Interval.class, asTheyCame.getLast()));
                assertThat(intervals.getLast()).isEqualTo(interval);
            }

            @Override
            public void event(Event event) {
                events.add(event);
            }
        }, null, null, Setting::key);
        RunResult result = run.execute();
        assertThat(result.received()).isEqualTo(20_000);
        RunResult read = back(RunResult.class, result);
        assertThat(read).isEqualTo(result);
        assertThat(read.measured().get(Metric.RESPONSE).nanosAt(99)).isEqualTo(result.measured().get(Metric.RESPONSE).nanosAt(99));
        assertThat(intervals).isNotEmpty();
        assertThat(intervals.stream().mapToLong(Interval::received).sum()).isEqualTo(20_000);
        assertThat(intervals.stream().map(RecordJson::text)).isEqualTo(asTheyCame);
        events.forEach(RecordJsonTest::returns);
        returns(Share.whole(plan));
        returns(result.health());
        assertThat(result.ledger()).isNotNull();
        returns(result.ledger());
    }

    private static Plan plan() {
        List<Destination> queues = List.of(Destination.parse("queue://A"), Destination.parse("queue://B"));
        ProducerGroupSpec producers =
            ProducerGroupSpec.plain(ENDPOINT, queues, 100, Messages.ofSize(64)).with(its -> its.messageCount = 20_000);
        Limits limits = new Limits(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(5), Duration.ofMillis(20));
        Scenario scenario = Scenario.of("record-json", limits, its -> {
            its.producers = List.of(producers);
            its.consumers = List.of(ConsumerGroupSpec.plain(ENDPOINT, queues));
            its.pacing = Pacing.PARK;
        });
        return Plan.of(scenario.with(List.of(Threshold.parse("response.p99 < 1h"), Threshold.parse("lost == 0"))),
            List.of(new LoopbackDriver()));
    }

    static Stream<Class<?>> findings() {
        return leaves(Finding.class);
    }

    private static Stream<Class<?>> leaves(Class<?> type) {
        return type.isSealed() ? Arrays.stream(type.getPermittedSubclasses()).flatMap(RecordJsonTest::leaves) : Stream.of(type);
    }

    @ParameterizedTest
    @MethodSource("findings")
    void everyFindingInAnEvent(Class<?> type) throws Exception {
        Random random = new Random(type.getName().hashCode());
        for (int i = 0; i < 50; i++) {
            returns(new Event(random.nextLong(), Event.Kind.NOTICE, (Finding) made(type, random)));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {LedgerReport.class, Health.class, Scorecard.class, Interval.class, RunResult.class, Share.class,
        RunCoordination.Balance.class, Event.class, GeneratorVerdict.Doubtful.class})
    void whateverTheValuesAre(Class<?> type) throws Exception {
        Random random = new Random(type.getName().hashCode());
        for (int i = 0; i < 20; i++) {
            returns((Record) made(type, random));
        }
    }

    /** Returns a record with random values, or one of the constants of an enum. */
    private static Object made(Class<?> type, Random random) throws ReflectiveOperationException {
        if (type.isEnum()) {
            return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
        }
        RecordComponent[] components = type.getRecordComponents();
        Constructor<?> constructor =
            type.getDeclaredConstructor(Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        while (true) {
            @Nullable Object[] values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = any(components[i].getAnnotatedType(), random);
            }
            try {
                return constructor.newInstance(values);
            } catch (InvocationTargetException e) {
                // the record rejects these values; others are tried
            }
        }
    }

    private static @Nullable Object any(AnnotatedType type, Random random) throws ReflectiveOperationException {
        if (type.isAnnotationPresent(Nullable.class) && random.nextBoolean()) {
            return null;
        }
        if (type instanceof AnnotatedArrayType) {
            return random.longs(3).toArray();
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            AnnotatedType last = generic.getAnnotatedActualTypeArguments()[generic.getAnnotatedActualTypeArguments().length - 1];
            Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
            for (int i = 0; i < 3; i++) {
                map.put(any(generic.getAnnotatedActualTypeArguments()[0], random), any(last, random));
            }
            return ((ParameterizedType) type.getType()).getRawType() == Map.class ? map : List.copyOf(map.values());
        }
        Class<?> plain = (Class<?>) type.getType();
        if (plain == double.class || plain == Double.class) {
            return switch (random.nextInt(8)) {
                case 0 -> Double.NaN;
                case 1 -> Double.POSITIVE_INFINITY;
                default -> Double.longBitsToDouble(random.nextLong());
            };
        } else if (plain == long.class || plain == Long.class) {
            return random.nextLong() >> random.nextInt(64);
        } else if (plain == int.class || plain == Integer.class) {
            return random.nextInt();
        } else if (plain == boolean.class) {
            return random.nextBoolean();
        } else if (plain == String.class) {
            return random.ints(random.nextInt(20), 0, 0xd7ff).mapToObj(Character::toString).collect(Collectors.joining());
        } else if (plain == Duration.class) {
            return Duration.ofSeconds(random.nextLong(), random.nextInt(1_000_000_000));
        } else if (plain == Instant.class) {
            return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
        } else if (plain == BitSet.class) {
            return BitSet.valueOf(random.longs(random.nextInt(3)).toArray());
        } else if (plain == Histogram.class) {
            return Samples.ramp(random.nextInt(1000), random.nextInt(1, 1000)).histogram();
        }
        List<Class<?>> records = leaves(plain).toList();
        return made(records.get(random.nextInt(records.size())), random);
    }

    @Test
    void aSealedTypeSaysWhichOfItsRecordsItIs() {
        assertThat(RecordJson.text(new Home(new Dog("Spike", null))))
            .isEqualTo("{\"pet\":{\"@type\":\"Dog\",\"name\":\"Spike\",\"chases\":null}}");
    }

    @Test
    void aRecordAloneSaysWhichOfASealedTypeItIsWhereThatIsAsked() {
        String text = RecordJson.text(Pet.class, new Dog("Spike", null));
        assertThat(text).isEqualTo("{\"@type\":\"Dog\",\"name\":\"Spike\",\"chases\":null}");
        assertThat(RecordJson.read(Pet.class, text)).isEqualTo(new Dog("Spike", null));
        assertThatThrownBy(() -> RecordJson.read(Pet.class, "{\"@type\":\"Runtime\"}"))
            .hasMessageContaining("Pet is of the unknown type 'Runtime'; there are Cat, Dog");
    }

    @Test
    void whatIsNotAsAskedIsSaidWithItsPlace() {
        refused(Scalars.class, "{", "This is no JSON");
        refused(Scalars.class, "[]", "This is no JSON object");
        refused(Home.class, "{}", "Home has no 'pet'");
        refused(Home.class, "{\"pet\":null}", "Home.pet must not be null");
        refused(Home.class, "{\"pet\":1}", "Home.pet must be an object, not 1");
        refused(Home.class, "{\"pet\":{\"lives\":1}}", "Home.pet has no @type; there are Cat, Dog");
        refused(Home.class, "{\"pet\":{\"@type\":\"java.lang.Runtime\"}}",
            "Home.pet is of the unknown type 'java.lang.Runtime'; there are Cat, Dog");
        refused(Home.class, "{\"pet\":{\"@type\":\"Cat\",\"lives\":1.5}}",
            "Home.pet.lives must be a whole number from -2147483648 to 2147483647, not 1.5");
        refused(Home.class, "{\"pet\":{\"@type\":\"Cat\",\"lives\":3000000000}}",
            "Home.pet.lives must be a whole number from -2147483648 to 2147483647, not 3000000000");
        refused(Home.class, "{\"pet\":{\"@type\":\"Cat\",\"lives\":123456789012345678901234567890}}", "This is no JSON");
        refused(Home.class, "{\"pet\":{\"@type\":\"Cat\",\"lives\":1,\"tail\":2}}", "Home.pet has 'tail', which Cat does not know");
        refused(Home.class, "{\"pet\":{\"@type\":\"Cat\",\"lives\":1},\"@type\":\"Home\"}", "Home has '@type', which Home does not know");
        refused(Share.class, "{\"number\":0,\"producers\":\"?\",\"consumers\":\"\"}", "Share.producers must be base64, not ?");
        refused(Event.class, "{\"elapsedNanos\":0,\"kind\":\"PARTY\",\"what\":{\"@type\":\"Reconnected\"}}",
            "Event.kind must be one of PHASE, UNSEEN, NOTICE, FAULT, WARNING, STALL, INTERRUPTED, ATTEMPT, RESUMED, ERROR, not 'PARTY'");
        refused(Times.class, "{\"time\":\"1s\",\"moment\":\"\",\"bits\":\"\",\"histogram\":\"\"}",
            "Times.time must be a time like PT1.5S, not 1s");
        refused(Times.class, "{\"time\":\"PT1S\",\"moment\":\"2026-01-02T03:04:05Z\",\"bits\":\"\",\"histogram\":\"AAAA\"}",
            "Times.histogram is no histogram");
        refused(Weights.class, "{\"weight\":{\"value\":\"x\",\"share\":-1}}", "Weights.weight is refused: A share must be greater than 0.");
    }

    record Weights(Weighted<String> weight) {}

    private static void refused(Class<? extends Record> type, String text, String sentence) {
        assertThatThrownBy(() -> RecordJson.read(type, text)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith(sentence);
    }

    @Test
    void aTypeThatMayBeAnythingIsRefusedInBothDirections() {
        assertThatThrownBy(() -> RecordJson.text(new Anything("x"))).hasMessage("Anything.what is of the type java.lang.Object, which has "
            + "no form in JSON");
        refused(Anything.class, "{\"what\":\"x\"}", "Anything.what is of the type java.lang.Object, which has no form in JSON");
    }
}
