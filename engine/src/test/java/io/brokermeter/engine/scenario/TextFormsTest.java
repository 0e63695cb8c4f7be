package io.brokermeter.engine.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.engine.scenario.message.Weighted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Known answers for the text forms of sizes, contents, keys, headers, times and starts. */
class TextFormsTest {

    @TempDir
    Path directory;

    private static final Function<String, Object> SIZES = Sizes::parse;
    private static final Function<String, Object> CONTENT = Content::parse;
    private static final Function<String, Object> KEYS = Keys::parse;
    private static final Function<String, Object> HEADER =
        text -> Header.parse(text.substring(0, text.indexOf('=')), text.substring(text.indexOf('=') + 1));
    private static final Function<String, Object> PRIORITIES = Messages::priorities;
    private static final Function<String, Object> TIME = text -> TimeLaw.parse(text, "us");
    private static final Function<String, Object> START = Start::parse;
    private static final Function<String, Object> SHARE = Units::share;

    static Stream<Arguments> right() {
        return Stream.of(
            Arguments.of(SIZES, "1KiB", new Sizes.Fixed(1024)),
            Arguments.of(SIZES, "fixed:39", new Sizes.Fixed(39)),
            Arguments.of(SIZES, "list:100, 1KiB", new Sizes.Cycle(List.of(100, 1024))),
            Arguments.of(SIZES, "uniform:100..2KiB", new Sizes.Uniform(100, 2048)),
            Arguments.of(SIZES, "Lognormal:1KiB,0.8,1MiB", new Sizes.LogNormal(1024, 0.8, 1 << 20)),
            Arguments.of(SIZES, "lognormal:1KiB,0.8", new Sizes.LogNormal(1024, 0.8, (int) (1024 * Math.exp(4)))),
            Arguments.of(SIZES, "lognormal:1MiB,3", new Sizes.LogNormal(1 << 20, 3, 16 << 20)),
            Arguments.of(SIZES, "lognormal:20MiB,3", new Sizes.LogNormal(20 << 20, 3, 20 << 20)),
            Arguments.of(SIZES, "empirical:100=70%,10KiB=30%",
                new Sizes.Empirical(List.of(new Weighted<>(100, 70), new Weighted<>(10_240, 30)))),
            Arguments.of(SIZES, "empirical:100=7,1KiB=1",
                new Sizes.Empirical(List.of(new Weighted<>(100, 7), new Weighted<>(1024, 1)))),
            Arguments.of(CONTENT, "random", new Content.Random()),
            Arguments.of(CONTENT, "compressible:50%", new Content.Compressible(0.5)),
            Arguments.of(CONTENT, "constant:x", new Content.Constant((byte) 'x')),
            Arguments.of(CONTENT, "constant:0", new Content.Constant((byte) 0)),
            Arguments.of(CONTENT, "constant:255", new Content.Constant((byte) 255)),
            Arguments.of(CONTENT, "file:a/b", new Content.WholeFile(Path.of("a/b"))),
            Arguments.of(CONTENT, "lines:a.log", new Content.Lines(Path.of("a.log"))),
            Arguments.of(CONTENT, "json:{\"a\":{{counter}}}", new Content.Template("{\"a\":{{counter}}}", "'{\"a\":{{counter}}}'")),
            Arguments.of(CONTENT, "text: a: b", new Content.Template(" a: b", "' a: b'")),
            Arguments.of(KEYS, "orders", Keys.one("orders")),
            Arguments.of(KEYS, "round-robin:10", new Keys("key-", 10, new Keys.Spread.InTurn())),
            Arguments.of(KEYS, "uniform:1k", new Keys("key-", 1000, new Keys.Spread.Uniform())),
            Arguments.of(KEYS, "uniform:1", new Keys("key-0", 1, new Keys.Spread.Uniform())),
            Arguments.of(KEYS, "zipf:1000,1.1", new Keys("key-", 1000, new Keys.Spread.Zipf(1.1))),
            Arguments.of(HEADER, "colour=red", Header.of("colour", "red")),
            Arguments.of(HEADER, "a==b", Header.of("a", "=b")),
            Arguments.of(HEADER, "a=", Header.of("a", "")),
            Arguments.of(HEADER, "region={eu:30%,us:70%}",
                new Header("region", List.of(new Weighted<>("eu", 30), new Weighted<>("us", 70)))),
            Arguments.of(HEADER, "u={a:b,c}", new Header("u", List.of(new Weighted<>("a:b", 1), new Weighted<>("c", 1)))),
            Arguments.of(HEADER, "t={a:33%,b:33%,c:33%}", new Header("t",
                List.of(new Weighted<>("a", 33), new Weighted<>("b", 33), new Weighted<>("c", 33)))),
            Arguments.of(PRIORITIES, "4", List.of(new Weighted<>(4, 1))),
            Arguments.of(PRIORITIES, "4:90%,9:10%", List.of(new Weighted<>(4, 90), new Weighted<>(9, 10))),
            Arguments.of(TIME, "100", new TimeLaw.Constant(Duration.ofNanos(100_000))),
            Arguments.of(TIME, "2ms", new TimeLaw.Constant(Duration.ofMillis(2))),
            Arguments.of(TIME, "uniform:1ms..5ms", new TimeLaw.Uniform(Duration.ofMillis(1), Duration.ofMillis(5))),
            Arguments.of(TIME, "exponential:3ms", new TimeLaw.Exponential(Duration.ofMillis(3))),
            Arguments.of(START, "5", Start.after(Duration.ofSeconds(5))),
            Arguments.of(START, "250ms", Start.after(Duration.ofMillis(250))),
            Arguments.of(START, "after-producers", new Start(Duration.ZERO, true, Duration.ZERO)),
            Arguments.of(START, "after-producers:5s", new Start(Duration.ofSeconds(5), true, Duration.ZERO)),
            Arguments.of(SHARE, "5%", 0.05),
            Arguments.of(SHARE, "0.05", 0.05),
            Arguments.of(SHARE, "100%", 1.0),
            Arguments.of(SHARE, "0", 0.0));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("right")
    void isUnderstood(Function<String, Object> form, String text, Object expected) {
        assertThat(form.apply(text)).isEqualTo(expected);
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
            Arguments.of(SIZES, "unifrom:1..2",
                "must be a number of bytes like 1KiB, or begin with list:, uniform:, lognormal: or empirical:."),
            Arguments.of(SIZES, "many", "Size 'many' is not a number of bytes"),
            Arguments.of(SIZES, "uniform:100", "need a smallest and a largest size, like uniform:100..2KiB."),
            Arguments.of(SIZES, "uniform:200..100", "go backwards"),
            Arguments.of(SIZES, "list:100,,5", "Size '' is not"),
            Arguments.of(SIZES, "lognormal:1KiB", "like lognormal:1KiB,0.8"),
            Arguments.of(SIZES, "lognormal:1KiB,x", "Sigma 'x'"),
            Arguments.of(SIZES, "lognormal:1KiB,0.8,100", "largest size that is not below the median"),
            Arguments.of(SIZES, "empirical:100=70%,200=20%", "add up to 90%, not to 100%."),
            Arguments.of(SIZES, "empirical:100=70%,200", "either each part has a share in % or none has."),
            Arguments.of(SIZES, "empirical:100=x", "Size '100=x'"),
            Arguments.of(CONTENT, "radnom", "must be random, or begin with compressible:, constant:"),
            Arguments.of(CONTENT, "compressible:150%", "from 0% to 100%"),
            Arguments.of(CONTENT, "compressible:0", "above 0%"),
            Arguments.of(CONTENT, "constant:xy", "one ASCII character or a byte from 0 to 255"),
            Arguments.of(CONTENT, "constant:256", "one ASCII character or a byte from 0 to 255"),
            Arguments.of(CONTENT, "file:", "needs the path of a file"),
            Arguments.of(CONTENT, "template:/no/such/file", "Template /no/such/file does not exist."),
            Arguments.of(CONTENT, "json:x", "must begin with { or ["),
            Arguments.of(CONTENT, "text:", "is empty"),
            Arguments.of(KEYS, "zipf:1000", "like zipf:1000,1.1."),
            Arguments.of(KEYS, "zipf:1000,-1", "exponent of Zipf's law"),
            Arguments.of(KEYS, "unifrom:10", "must be a name, or begin with round-robin:, uniform: or zipf:."),
            Arguments.of(KEYS, "uniform:1M", "from 1 to 100,000"),
            Arguments.of(HEADER, "a={}", "something is missing"),
            Arguments.of(HEADER, "a={b:0%,c:100%}", "share must be greater than 0"),
            Arguments.of(PRIORITIES, "10", "from 0 to 9"),
            Arguments.of(PRIORITIES, "4:50%,x:50%", "Priority 'x'"),
            Arguments.of(TIME, "unifrom:1..2", "must be like 2ms, uniform:1ms..5ms or exponential:3ms."),
            Arguments.of(TIME, "uniform:1ms", "shortest and a longest"),
            Arguments.of(TIME, "uniform:500..200", "A processing time from 500us to 200us goes backwards."),
            Arguments.of(TIME, "exponential:0", "longer than 0"),
            Arguments.of(START, "after-consumers", "must be a time like 5s, after-producers or after-producers:5s."),
            Arguments.of(START, "after-producers5", "must be after-producers or after-producers:5s."),
            Arguments.of(SHARE, "5", "like 5% or 0.05"),
            Arguments.of(SHARE, "-1%", "like 5% or 0.05"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("wrong")
    void isRefusedWithOneSentence(Function<String, Object> form, String text, String expected) {
        assertThatThrownBy(() -> form.apply(text)).isInstanceOf(UsageException.class).hasMessageContaining(expected)
            .message().endsWith(".").doesNotContain("\n");
    }

    @Test
    void aTemplateIsReadWithoutTheLineBreakAtItsEnd() throws Exception {
        Path file = Files.writeString(directory.resolve("t.json"), "{\n}\n");
        assertThat(Content.parse("template:t.json", directory)).isEqualTo(new Content.Template("{\n}", file.toString(), file));
        Files.writeString(file, "\uFEFF{}");
        assertThat(Content.parse("template:" + file)).isEqualTo(new Content.Template("{}", file.toString(), file));
        Files.write(file, new byte[] {(byte) 0xFF});
        assertThatThrownBy(() -> Content.parse("template:" + file)).hasMessage("Template " + file + " is not a text in UTF-8.");
        Files.write(file, new byte[0]);
        assertThatThrownBy(() -> Content.parse("template:" + file)).hasMessage("Template " + file + " is empty.");
    }
}
