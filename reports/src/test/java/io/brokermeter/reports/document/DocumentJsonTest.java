package io.brokermeter.reports.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import io.brokermeter.reports.document.DocumentJson.Inline;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.ResultDocument.FaultBegin;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a record becomes in a file, and what becomes of files of all kinds. */
class DocumentJsonTest {

    private static final Path RUNS = Path.of(System.getProperty("brokermeter.root", ".."), "reports", "src", "test", "resources", "runs");

    record Inner(@Nullable Boolean said, double least) {}

    record Outer(
            String name, @IfKnown double sometimes, @IfKnown(orWith = "name") double withName, double always, @Inline Inner inner,
            @Inline @Nullable Seldom seldom, @IfKnown List<String> few, @IfKnown @Nullable Map<String, Long> counts,
            @Inline Map<String, Double> rest) {}

    record Seldom(double rare) {}

    private static String text(Record record) {
        return JsonText.of(DocumentJson.tree(record));
    }

    private static Outer read(String text) {
        return DocumentJson.read(Outer.class, JsonText.read(text));
    }

    @Test
    void keysAreInTheOrderOfTheComponentsAndNumbersHaveNoExponents() {
        Outer full = new Outer("a", 1e10, 2.50, 1e-5, new Inner(true, -0.0), new Seldom(3), List.of("x"), Map.of("n", 5L),
            Map.of("p99.9Micros", 12345678.25));
        assertThat(text(full)).isEqualTo("{\"name\":\"a\",\"sometimes\":10000000000,\"withName\":2.5,\"always\":0.00001,\"said\":true,"
            + "\"least\":0,\"rare\":3,\"few\":[\"x\"],\"counts\":{\"n\":5},\"p99.9Micros\":12345678.25}");
        assertThat(read(text(full))).isEqualTo(new Outer("a", 1e10, 2.5, 1e-5, new Inner(true, 0.0), new Seldom(3), List.of("x"),
            Map.of("n", 5L), Map.of("p99.9Micros", 12345678.25)));
        assertThat(JsonText.of(DocumentJson.treeOfJavaNumbers(new Seldom(1e10)))).isEqualTo("{\"rare\":1.0E10}");
    }

    @Test
    void whatIsUnknownIsNullOrLeftOut() {
        double unknown = Double.NaN;
        Outer empty = new Outer("", unknown, unknown, Double.POSITIVE_INFINITY, new Inner(null, unknown), null, List.of(), null, Map.of());
        assertThat(text(empty)).isEqualTo("{\"name\":\"\",\"always\":null,\"said\":null,\"least\":null}");
        assertThat(text(new Outer("a", unknown, unknown, 1, new Inner(false, 2), new Seldom(unknown), List.of(), Map.of(), Map.of())))
            .isEqualTo("{\"name\":\"a\",\"withName\":null,\"always\":1,\"said\":false,\"least\":2,\"rare\":null}");
    }

    @Test
    void aDocumentIsMadeOfAnythingAndWhatIsOfAnotherFormIsUnknown() {
        assertThat(read("{}")).isEqualTo(new Outer("", Double.NaN, Double.NaN, Double.NaN, new Inner(null, Double.NaN), null, List.of(),
            null, Map.of()));
        assertThat(
            read("{\"name\":17,\"always\":\"much\",\"said\":\"yes\",\"few\":{},\"counts\":{\"n\":\"x\"},\"other\":\"text\",\"more\":2,"
                + "\"none\":null,\"rare\":null}"))
            .isEqualTo(new Outer("17", Double.NaN, Double.NaN, Double.NaN, new Inner(null, Double.NaN),
                new Seldom(Double.NaN), List.of(), Map.of("n", 0L), Map.of("more", 2.0, "none", Double.NaN)));
    }

    /** A rounded number is written as it was rounded, and a half goes away from zero. */
    @Test
    void numbersAreRoundedAsFilesHaveThem() {
        assertThat(DocumentJson.rounded(1.0005, 3)).isEqualTo(1.001);
        assertThat(DocumentJson.rounded(-2.5, 0)).isEqualTo(-3);
        assertThat(DocumentJson.rounded(1e-9, 3)).isZero();
        assertThat(DocumentJson.rounded(Double.POSITIVE_INFINITY, 3)).isNaN();
        assertThat(text(new FaultBegin(null, Double.NaN, DocumentJson.rounded(1e15 / 3, 3))))
            .isEqualTo("{\"recovered\":null,\"faultSeconds\":333333333333333.3}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"format-1/result.json", "format-2/result.json"})
    void nothingOfAnEarlierResultGetsLost(String name) throws IOException {
        Map<String, Object> written = JsonText.read(Files.readString(RUNS.resolve(name)));
        assertThat(JsonText.read(text(DocumentJson.read(ResultDocument.class, written)))).satisfies(again -> isKept(written, again));
    }

    @ParameterizedTest
    @ValueSource(strings = {"format-1", "format-2"})
    void norOfEarlierIntervalsAndEvents(String run) throws IOException {
        for (String line : Files.readAllLines(RUNS.resolve(run).resolve("intervals.jsonl"))) {
            Map<String, Object> written = JsonText.read(line);
            isKept(written, JsonText.read(text(DocumentJson.read(IntervalDocument.class, written))));
        }
        for (String line : Files.readAllLines(RUNS.resolve(run).resolve("events.jsonl"))) {
            Map<String, Object> written = JsonText.read(line);
            isKept(written, JsonText.read(text(DocumentJson.read(EventDocument.class, written))));
        }
    }

    /** Asserts that all of an object is in another one, which may have more. */
    private static void isKept(@Nullable Object one, @Nullable Object other) {
        if (one instanceof Map<?, ?> map) {
            assertThat(other).isInstanceOf(Map.class);
            map.forEach((key, value) -> {
                assertThat(((Map<?, ?>) other).containsKey(key)).as("key %s", key).isTrue();
                isKept(value, ((Map<?, ?>) other).get(key));
            });
        } else if (one instanceof List<?> list) {
            assertThat(other).asInstanceOf(InstanceOfAssertFactories.LIST).hasSameSizeAs(list);
            for (int i = 0; i < list.size(); i++) {
                isKept(list.get(i), ((List<?>) other).get(i));
            }
        } else {
            assertThat(other instanceof Number number ? number.doubleValue() : other)
                .isEqualTo(one instanceof Number number ? number.doubleValue() : one);
        }
    }
}
