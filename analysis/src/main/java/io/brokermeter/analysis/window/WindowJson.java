package io.brokermeter.analysis.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.WindowAnswer.Measured;
import io.brokermeter.analysis.window.WindowChange.Tried;
import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/** Formats answers as JSON. Times are in seconds, sizes and windows in bytes or messages. */
public final class WindowJson {

    /** The number of parts into which a curve divides the range of distances. */
    private static final int CURVE = 24;

    private WindowJson() {}

    /**
     * Returns the answers in one object.
     *
     * @param way how the distances were made: {@code link} or {@code proxy}; empty for a protocol with a way of its own
     */
    public static String text(List<WindowAnswer> answers, String way) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("way", way.isEmpty() ? null : way);
        all.put("answers", answers.stream().map(WindowJson::answer).toList());
        return JsonText.lines(all);
    }

    private static Map<String, @Nullable Object> answer(WindowAnswer answer) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        one.put("side", answer.side().word());
        one.put("protocol", answer.protocol());
        one.put("broker", answer.broker().isEmpty() ? null : answer.broker());
        WindowFit fit = answer.claim();
        one.put("limit", fit == null ? null : fit.limit().name().toLowerCase(Locale.ROOT));
        one.put("contradictory", answer.contradicts());
        one.put("unexplained", answer.isUnexplained());
        one.put("limitWords", WindowWords.limit(fit));
        one.put("rangeWords", fit == null ? null : WindowWords.ranges(fit));
        one.put("probability", fit == null ? null : known(fit.probability()));
        WindowFit other = fit == null ? null : fit.other();
        one.put("otherLimit", other == null ? null : other.limit().name().toLowerCase(Locale.ROOT));
        one.put("otherProbability", other == null ? null : other.probability());
        one.put("windowMessages", fit == null ? null : window(fit.messages()));
        one.put("windowBytes", fit == null ? null : window(fit.bytes()));
        one.put("overheadBytes", fit == null ? null : known(fit.overhead()));
        one.put("extraSeconds", fit == null ? null : known(fit.extra()));
        WindowAnswer.ServiceTime time = fit == null ? null : answer.serviceTime(fit);
        one.put("secondsPerMessage", time == null ? null : known(time.perMessage()));
        one.put("secondsPerByte", time == null ? null : known(time.perByte()));
        one.put("leastShareOfRate", fit == null ? null : fit.falls());
        Tried governing = answer.governing();
        one.put("governedBy", governing == null ? null : tried(governing));
        one.put("sentence", WindowWords.sentence(answer));
        one.put("rates", answer.rates().stream().map(rate -> measured(rate, fit)).toList());
        one.put("curves", fit == null ? List.of() : curves(answer, fit));
        one.put("trialsWithoutRate", answer.missing() + answer.notRun());
        one.put("trialsNotRun", answer.notRun());
        one.put("changesAt", point(answer.at(), answer.unchanged()));
        one.put("tried", answer.tried().stream().map(WindowJson::tried).toList());
        one.put("byHand", answer.others().stream().map(row -> Map.of("setting", row.name(), "place", row.place().words())).toList());
        return one;
    }

    private static @Nullable Map<String, Object> window(@Nullable ConfidenceInterval window) {
        return window == null ? null
            : Map.of("estimate", window.estimate(), "low", window.low(), "high", window.high(), "confidence", window.confidence());
    }

    private static @Nullable Double known(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private static Map<String, @Nullable Object> point(DistantTrial trial, double rate) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        one.put("roundTripSeconds", trial.roundTrip());
        one.put("size", trial.size());
        one.put("askedPerSecond", known(trial.most()));
        one.put("perSecond", known(rate));
        return one;
    }

    private static Map<String, @Nullable Object> measured(Measured rate, @Nullable WindowFit fit) {
        DistantTrial trial = rate.trial();
        Map<String, @Nullable Object> one = point(trial, rate.rate());
        double way = trial.roundTrip() + (fit == null || Double.isNaN(fit.extra()) ? 0 : fit.extra());
        double messages = rate.rate() * way;
        one.put("explainedPerSecond", fit == null ? null : fit.rate(trial.roundTrip(), trial.size(), trial.most()));
        one.put("messagesUnderWay", messages);
        one.put("bytesUnderWay", messages * trial.size());
        one.put("windowBytesUsed", fit == null || fit.bytes() == null ? null : messages * (trial.size() + fit.overhead()));
        one.put("trialNumber", rate.number() > 0 ? rate.number() : null);
        one.put("doubtful", rate.doubtful());
        return one;
    }

    /** Returns the rates that the explanation predicts for each size over all distances, at points close enough for a line. */
    private static List<Map<String, Object>> curves(WindowAnswer answer, WindowFit fit) {
        double[] distances =
            answer.rates().stream().mapToDouble(one -> one.trial().roundTrip()).filter(one -> one > 0).distinct().sorted().toArray();
        List<Map<String, Object>> curves = new ArrayList<>();
        if (distances.length < 2) {
            return curves;
        }
        double least = distances[0];
        double most = distances[distances.length - 1];
        double[] all = DoubleStream.concat(Arrays.stream(distances),
            IntStream.range(1, CURVE).mapToDouble(i -> least * Math.pow(most / least, i / (double) CURVE))).sorted().toArray();
        for (double size : answer.rates().stream().mapToDouble(one -> one.trial().size()).distinct().toArray()) {
            double asked = answer.rates().stream().filter(one -> one.trial().size() == size).mapToDouble(one -> one.trial().most()).max()
                .orElseThrow();
            curves.add(Map.of("size", size, "points", Arrays.stream(all)
                .mapToObj(way -> Map.of("roundTripSeconds", way, "perSecond", fit.rate(way, size, asked))).toList()));
        }
        return curves;
    }

    private static Map<String, @Nullable Object> tried(Tried tried) {
        Map<String, @Nullable Object> one = new LinkedHashMap<>();
        WindowSetting setting = tried.change().setting();
        one.put("setting", setting.name());
        one.put("place", setting.place().words());
        one.put("key", setting.key());
        one.put("before", known(tried.change().now()));
        one.put("after", tried.change().value());
        one.put("perSecond", tried.rate());
        one.put("gain", known(tried.gain()));
        one.put("source", setting.source());
        return one;
    }
}
