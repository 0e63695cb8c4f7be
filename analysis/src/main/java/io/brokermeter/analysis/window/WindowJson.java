package io.brokermeter.analysis.window;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.WindowAnswer.Measured;
import io.brokermeter.analysis.window.WindowChange.Tried;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.WindowDocument;
import io.brokermeter.reports.document.WindowDocument.RateAtDistance;
import io.brokermeter.reports.document.WindowDocument.SideAnswer;
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
        return DocumentJson.lines(new WindowDocument(way.isEmpty() ? null : way, answers.stream().map(WindowJson::answer).toList()));
    }

    private static SideAnswer answer(WindowAnswer answer) {
        WindowFit fit = answer.claim();
        WindowFit other = fit == null ? null : fit.other();
        WindowAnswer.ServiceTime time = fit == null ? null : answer.serviceTime(fit);
        Tried governing = answer.governing();
        double unknown = Double.NaN;
        return new SideAnswer(answer.side().word(), answer.protocol(), answer.broker().isEmpty() ? null : answer.broker(),
            fit == null ? null : word(fit.limit()), answer.contradicts(), answer.isUnexplained(), WindowWords.limit(fit),
            fit == null ? null : WindowWords.ranges(fit), fit == null ? unknown : fit.probability(),
            other == null ? null : word(other.limit()), other == null ? unknown : other.probability(),
            fit == null ? null : estimate(fit.messages()), fit == null ? null : estimate(fit.bytes()),
            fit == null ? unknown : fit.overhead(), fit == null ? unknown : fit.extra(), time == null ? unknown : time.perMessage(),
            time == null ? unknown : time.perByte(), fit == null ? unknown : fit.falls(), governing == null ? null : tried(governing),
            WindowWords.sentence(answer), answer.rates().stream().map(rate -> measured(rate, fit)).toList(),
            fit == null ? List.of() : curves(answer, fit), answer.missing() + answer.notRun(), answer.notRun(),
            new WindowDocument.PointOfChange(answer.at().roundTrip(), answer.at().size(), answer.at().most(), answer.unchanged()),
            answer.tried().stream().map(WindowJson::tried).toList(), answer.others().stream()
                .map(row -> new WindowDocument.SettingByHand(row.name(), row.place().words())).toList());
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static WindowDocument.@Nullable Estimate estimate(@Nullable ConfidenceInterval window) {
        return window == null ? null
            : new WindowDocument.Estimate(window.estimate(), window.low(), window.high(), window.confidence());
    }

    private static RateAtDistance measured(Measured rate, @Nullable WindowFit fit) {
        DistantTrial trial = rate.trial();
        double way = trial.roundTrip() + (fit == null || Double.isNaN(fit.extra()) ? 0 : fit.extra());
        double messages = rate.rate() * way;
        return new RateAtDistance(trial.roundTrip(), trial.size(), trial.most(), rate.rate(),
            fit == null ? Double.NaN : fit.rate(trial.roundTrip(), trial.size(), trial.most()), messages, messages * trial.size(),
            fit == null || fit.bytes() == null ? Double.NaN : messages * (trial.size() + fit.overhead()),
            rate.number() > 0 ? (long) rate.number() : null, rate.doubtful());
    }

    /** Returns the rates that the explanation predicts for each size over all distances, at points close enough for a line. */
    private static List<WindowDocument.RateCurve> curves(WindowAnswer answer, WindowFit fit) {
        double[] distances =
            answer.rates().stream().mapToDouble(one -> one.trial().roundTrip()).filter(one -> one > 0).distinct().sorted().toArray();
        List<WindowDocument.RateCurve> curves = new ArrayList<>();
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
            curves.add(new WindowDocument.RateCurve(size,
                Arrays.stream(all).mapToObj(way -> new WindowDocument.PointOfCurve(way, fit.rate(way, size, asked))).toList()));
        }
        return curves;
    }

    private static WindowDocument.TriedChange tried(Tried tried) {
        WindowSetting setting = tried.change().setting();
        return new WindowDocument.TriedChange(setting.name(), setting.place().words(), setting.key(), tried.change().now(),
            tried.change().value(), tried.rate() == null ? Double.NaN : tried.rate(), tried.gain(), setting.source());
    }
}
