package io.brokermeter.experiment;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.engine.scenario.message.Weighted;

/** Formats parts of a scenario as texts that can be parsed to equal parts again. */
public final class ScenarioTexts {

    private ScenarioTexts() {}

    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? Long.toString((long) value)
            : BigDecimal.valueOf(value).toPlainString();
    }

    public static String share(double value) {
        BigDecimal percent = BigDecimal.valueOf(value).movePointRight(2).stripTrailingZeros();
        return percent.toPlainString() + "%";
    }

    static String bytes(int bytes) {
        return bytes > 0 && bytes % (1 << 20) == 0 ? bytes / (1 << 20) + "MiB"
            : bytes > 0 && bytes % 1024 == 0 ? bytes / 1024 + "KiB" : bytes + "B";
    }

    static String sizes(Sizes sizes) {
        return switch (sizes) {
            case Sizes.Fixed(int bytes) -> bytes(bytes);
            case Sizes.Cycle(List<Integer> all) -> "list:" + all.stream().map(ScenarioTexts::bytes).collect(Collectors.joining(","));
            case Sizes.Uniform(int smallest, int largest) -> "uniform:" + bytes(smallest) + ".." + bytes(largest);
            case Sizes.LogNormal(int median, double sigma, int largest) ->
                "lognormal:" + bytes(median) + "," + number(sigma) + "," + bytes(largest);
            case Sizes.Empirical(List<Weighted<Integer>> shares) -> "empirical:" + weighted(shares, "=", ScenarioTexts::bytes);
        };
    }

    static <T> String weighted(List<Weighted<T>> all, String separator, Function<T, String> text) {
        return all.stream().map(one -> text.apply(one.value()) + separator + number(one.share()))
            .collect(Collectors.joining(","));
    }

    /** Formats the content of bodies, with absolute paths of files. A template is written as its text, which may change in its file. */
    static String content(Content content) {
        return switch (content) {
            case Content.Random() -> "random";
            case Content.Compressible(double share) -> "compressible:" + share(share);
            case Content.Constant(byte value) -> "constant:" + (value > ' ' && value < 127 && !Character.isDigit(value)
                ? Character.toString(value) : Integer.toString(value & 255));
            case Content.WholeFile(Path file) -> "file:" + file.toAbsolutePath().normalize();
            case Content.Lines(Path file) -> "lines:" + file.toAbsolutePath().normalize();
            case Content.Template template -> "text:" + template.text();
        };
    }

    public static String keys(Keys keys) {
        if (keys.count() == 1) {
            return keys.name().contains(":") ? "name:" + keys.name() : keys.name();
        }
        return switch (keys.spread()) {
            case Keys.Spread.InTurn() -> "round-robin:" + keys.count();
            case Keys.Spread.Uniform() -> "uniform:" + keys.count();
            case Keys.Spread.Zipf(double exponent) -> "zipf:" + keys.count() + "," + number(exponent);
        };
    }

    public static String processing(TimeLaw processing) {
        return switch (processing) {
            case TimeLaw.Constant(Duration time) -> time.isZero() ? "0" : Units.text(time);
            case TimeLaw.Uniform(Duration shortest, Duration longest) -> "uniform:" + Units.text(shortest) + ".." + Units.text(longest);
            case TimeLaw.Exponential(Duration mean) -> "exponential:" + Units.text(mean);
        };
    }

    /** Formats a rate in the shortest unit of time in which it has at most 6 decimals; else rounded to 6 decimals per second. */
    static String rate(Rate rate) {
        for (int per : new int[] {1, 60, 3600}) {
            BigDecimal events = BigDecimal.valueOf(rate.events()).multiply(BigDecimal.valueOf(per));
            try {
                BigDecimal value = events.divide(BigDecimal.valueOf(rate.seconds())).stripTrailingZeros();
                if (value.scale() <= 6) {
                    return value.toPlainString() + (per == 1 ? "/s" : per == 60 ? "/m" : "/h");
                }
            } catch (ArithmeticException e) {
                // no finite decimal in this unit
            }
        }
        return BigDecimal.valueOf(rate.perSecond()).setScale(6, RoundingMode.HALF_UP).toPlainString() + "/s";
    }

    private static String rate(double perSecond) {
        return BigDecimal.valueOf(perSecond).setScale(6, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
    }

    static String load(Load load) {
        return switch (load) {
            case Load.AllOut() -> "unlimited";
            case Load.Silence() -> "none";
            case Load.Constant(Rate rate) -> rate(rate);
            case Load.Steps(List<Load.Step> stretches) -> "steps:" + stretches.stream().map(one -> (one.from() == one.to()
                ? rate(one.from()) : rate(one.from()) + ".." + rate(one.to())) + "@" + Units.text(one.length()))
                .collect(Collectors.joining(","));
            case Load.Sine(double mean, double amplitude, Duration period) ->
                "sine:" + rate(mean) + "," + rate(amplitude) + "@" + Units.text(period);
            case Load.Bursts(Rate rate, Duration on, Duration off) -> "bursts:" + rate(rate) + "@" + Units.text(on) + "/" + Units.text(off);
            case Load.Poisson(double mean, long ignored) -> "poisson:" + rate(mean);
            case Load.Trace trace -> "trace:" + trace.file().toAbsolutePath().normalize();
        };
    }
}
