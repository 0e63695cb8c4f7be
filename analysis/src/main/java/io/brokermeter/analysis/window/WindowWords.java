package io.brokermeter.analysis.window;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.WindowFit;
import io.brokermeter.analysis.window.WindowAnswer.Apart;
import io.brokermeter.analysis.window.WindowAnswer.Measured;
import io.brokermeter.analysis.window.WindowAnswer.Point;
import io.brokermeter.analysis.window.WindowAnswer.ServiceTime;
import io.brokermeter.analysis.window.WindowChange.Tried;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.table.TextTable;
import org.jspecify.annotations.Nullable;

/** Formats answers as sentences and as a table. */
public final class WindowWords {

    /** The maximum certainty that is stated, whatever the criterion yields: all of the explanations may be wrong. */
    private static final double SUREST = 0.99;

    /** The share of the time of a message below which its time per message, or that for its bytes, is not named beside the other. */
    private static final double MINOR = 0.1;

    private static final String AGAIN = "Measure again on a machine that has less to do, with longer trials or more of each.";

    private WindowWords() {}

    /** Formats a number with three significant digits and with commas: 1.02, 60.2, 65,500. Whole numbers keep all digits. */
    static String number(double value) {
        if (!(value > 0) || !Double.isFinite(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        double unit = Math.pow(10, Math.floor(Math.log10(value)) - 2);
        double rounded = Math.rint(value / unit) * unit;
        if (rounded < 0.1) {
            return BigDecimal.valueOf(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
        }
        return value == Math.rint(value) && value < 1e15 ? String.format(Locale.ROOT, "%,.0f", value)
            : String.format(Locale.ROOT, rounded >= 100 ? "%,.0f" : rounded >= 10 ? "%.1f" : "%.2f", rounded);
    }

    private static String messages(ConfidenceInterval window) {
        double whole = Math.rint(window.estimate());
        boolean isWhole = whole >= 1 && Math.abs(window.estimate() / whole - 1) < 0.03 && whole < 1000;
        String number = isWhole ? String.format(Locale.ROOT, "%.0f", whole) : number(window.estimate());
        return number + (number.equals("1") ? " message" : " messages");
    }

    private static String bytes(ConfidenceInterval window) {
        return number(window.estimate()) + " bytes";
    }

    private static String range(ConfidenceInterval window) {
        return String.format(Locale.ROOT, "%.0f %%: %s to %s", window.confidence() * 100, number(window.low()), number(window.high()));
    }

    static String time(double seconds) {
        return number(seconds * 1e3) + " ms";
    }

    private static String sure(WindowFit fit) {
        return String.format(Locale.ROOT, "%.0f %% sure", 100 * Math.min(SUREST, fit.probability()));
    }

    /** Returns the finding in a few words: {@code 60 messages}, {@code 65,500 bytes}, {@code nothing}; null when it cannot be decided. */
    static @Nullable String limit(@Nullable WindowFit fit) {
        return fit == null ? null : switch (fit.limit()) {
            case NOTHING -> "nothing";
            case MESSAGES -> messages(window(fit.messages()));
            case BYTES -> bytes(window(fit.bytes()));
            case BOTH -> messages(window(fit.messages())) + " or " + bytes(window(fit.bytes()));
            case EITHER -> messages(window(fit.messages())) + ", or " + bytes(window(fit.bytes())) + " of bodies";
        };
    }

    /** Returns the certainty of the finding: {@code 95 %: 58.9 to 61.2; 99 % sure}; null where no other explanation was tried. */
    static @Nullable String ranges(WindowFit fit) {
        if (Double.isNaN(fit.probability())) {
            return null;
        }
        if (fit.limit() == WindowFit.Limit.EITHER) {
            return range(window(fit.messages())) + " messages; " + sure(fit) + "; one size cannot tell them apart";
        }
        String ranges = Stream.of(fit.messages(), fit.bytes()).filter(Objects::nonNull).map(window -> range(window(window)))
            .collect(Collectors.joining(" and "));
        return (ranges.isEmpty() ? "" : ranges + "; ") + sure(fit);
    }

    /** Returns the answer for one side in one or more sentences. */
    public static String sentence(WindowAnswer answer) {
        String who = "The " + answer.side().word();
        WindowFit fit = answer.fit();
        Measured far = answer.farthest();
        if (fit == null || far == null) {
            return who + ": only " + answer.rates().size() + " of " + (answer.rates().size() + answer.missing() + answer.notRun())
                + " trials came to a rate, which is too few to tell."
                + trials(answer.notRun(), Counted.word(answer.notRun(), "was not run to its end.", "were not run to their end."));
        }
        String besides = trials(answer.missing(), "came to nothing.")
            + trials(answer.notRun(), Counted.word(answer.notRun(), "was not run to its end.", "were not run to their end."))
            + doubts(answer);
        if (answer.contradicts()) {
            return contradiction(answer) + besides;
        }
        if (answer.isUnexplained()) {
            return "The rate of the " + answer.side().word() + " falls over distance, down to " + Math.round(fit.falls() * 100)
                + " % of that at the shortest one, but no window explains how." + besides;
        }
        if (fit.limit() == WindowFit.Limit.NOTHING) {
            return nothing(answer, fit) + other(answer, fit) + besides;
        }
        String what = switch (fit.limit()) {
            case MESSAGES -> messages(window(fit.messages())) + " under way (" + range(window(fit.messages())) + "; " + sure(fit)
                + "), whatever their size";
            case EITHER -> limit(fit) + ", under way (" + ranges(fit) + ")";
            case BYTES -> bytes(window(fit.bytes())) + " under way (" + range(window(fit.bytes())) + "; " + sure(fit) + ")" + overhead(fit);
            default -> messages(window(fit.messages())) + " (" + range(window(fit.messages())) + ") or " + bytes(window(fit.bytes())) + " ("
                + range(window(fit.bytes())) + ") under way, whichever is less (" + sure(fit) + ")";
        };
        Measured near = answer.rates().stream().filter(one -> one.trial().size() == far.trial().size())
            .min(Comparator.comparingDouble(one -> one.trial().roundTrip())).orElse(far);
        return who + " has at most " + what + ": messages of " + number(far.trial().size()) + " B go at "
            + number(near.rate()) + " a second over " + time(near.trial().roundTrip()) + " and at " + number(far.rate()) + " over "
            + time(far.trial().roundTrip()) + "." + other(answer, fit) + " " + cause(answer) + besides;
    }

    /** Returns a sentence on the explanation that the rates do not tell from the one that is given; empty for none. */
    private static String other(WindowAnswer answer, WindowFit fit) {
        WindowFit other = fit.other();
        if (other == null) {
            return "";
        }
        String what = switch (other.limit()) {
            case NOTHING -> "no limit by the distance";
            case BOTH -> limit(other) + " under way, whichever is less";
            default -> limit(other) + " under way" + overhead(other);
        };
        boolean sizes = answer.sizes().size() == 2 && (fit.messages() == null) != (other.messages() == null);
        return " It may also be " + what + " (" + sure(other) + "); " + (sizes ? "a third size tells (--sizes)."
            : "longer trials tell (--scale), or a machine that has less to do.");
    }

    private static ConfidenceInterval window(@Nullable ConfidenceInterval window) {
        return Objects.requireNonNull(window);
    }

    private static String overhead(WindowFit fit) {
        return fit.overhead() >= 10 ? ", of which each message takes " + number(fit.overhead()) + " beside its body" : "";
    }

    private static String trials(int count, String what) {
        return count == 0 ? "" : " " + (count == 1 ? "One trial" : count + " trials") + " " + what;
    }

    /** Returns a sentence on the number of rates from trials whose results list doubts; empty for none. */
    private static String doubts(WindowAnswer answer) {
        long doubtful = answer.rates().stream().filter(Measured::doubtful).count();
        return doubtful == 0 ? "" : " " + doubtful + " of the " + answer.rates().size() + " trials "
            + (doubtful == 1 ? "was doubtful, and its result says why." : "were doubtful, and their results say why.");
    }

    private static String contradiction(WindowAnswer answer) {
        String what = "The measured curves of the " + answer.side().word() + " contradict each other, and nothing is claimed: ";
        Apart rise = answer.rise();
        Apart disagreement = answer.disagreement();
        if (rise != null) {
            Point near = rise.one();
            Point far = rise.other();
            return what + "messages of " + number(near.size()) + " B go at " + number(near.rate()) + " a second over "
                + time(near.roundTrip())
                + " and at " + number(far.rate()) + ", which is more, over " + time(far.roundTrip()) + ". " + AGAIN;
        }
        Point falls = Objects.requireNonNull(disagreement, "curves that contradict each other rise or disagree").one();
        Point keeps = disagreement.other();
        return what + "over " + time(falls.roundTrip()) + " the rate of messages of " + number(falls.size()) + " B falls to "
            + Math.round(falls.rate() * 100) + " % of that at the shortest distance, and over " + time(keeps.roundTrip())
            + " that of messages of " + number(keeps.size()) + " B is " + Math.round(keeps.rate() * 100)
            + " %, which no window does. " + AGAIN;
    }

    private static String nothing(WindowAnswer answer, WindowFit fit) {
        Measured bytes =
            answer.rates().stream().max(Comparator.comparingDouble(one -> one.rate() * one.trial().roundTrip() * one.trial().size()))
                .orElseThrow();
        Measured messages =
            answer.rates().stream().max(Comparator.comparingDouble(one -> one.rate() * one.trial().roundTrip())).orElseThrow();
        double farthest = answer.rates().stream().mapToDouble(one -> one.trial().roundTrip()).max().orElseThrow();
        List<Double> slow = answer.slowSizes();
        String who = "the " + answer.side().word();
        String kept = fit.isUntouched() ? "it keeps up with all that was asked for" : "";
        String holds = slow.isEmpty() ? kept : slow.size() == answer.sizes().size() ? ownLimit(answer, fit, slow)
            : (kept.isEmpty() ? "for " : kept + " but ") + "messages of " + slow.stream().map(WindowWords::number)
                .collect(Collectors.joining(" and ")) + (kept.isEmpty() ? " B " : " B, for which ") + ownLimit(answer, fit, slow);
        String fell = fit.isUntouched() ? "" : "over the longest distance its rate fell to " + Math.round(fit.falls() * 100)
            + " % of that over the shortest, which " + (isHeldUp(answer) ? "hold-ups of the machine explain"
                : "the scatter of the rates explains");
        return "Nothing limits " + who + " by its distance up to " + time(farthest) + (fell.isEmpty() ? "" : ", as far as these rates tell")
            + ": " + Stream.of(fell, holds).filter(part -> !part.isEmpty()).collect(Collectors.joining(", and ")) + ". Up to "
            + number(messages.rate() * messages.trial().roundTrip()) + " messages and "
            + number(bytes.rate() * bytes.trial().roundTrip() * bytes.trial().size()) + " bytes were under way.";
    }

    /**
     * Returns the limit of rates that does not depend on the distance: a service time, a bandwidth, or both where both count.
     *
     * @param sizes sizes of the messages with limited rates, ascending
     */
    private static String ownLimit(WindowAnswer answer, WindowFit fit, List<Double> sizes) {
        ServiceTime time = answer.serviceTime(fit);
        double service = time.perMessage();
        double perByte = time.perByte();
        String ofMessage = "a service time of " + number(service * 1e6) + " us a message";
        String limit = Double.isNaN(perByte) || perByte * sizes.getLast() < MINOR * service ? ofMessage
            : service < MINOR * perByte * sizes.getFirst() ? "a bandwidth of " + number(1 / perByte / 1e6) + " MB/s"
                : ofMessage + " and " + number(perByte * 1e9) + " us a kB";
        return limit + " is its limit, however far it is";
    }

    /**
     * Returns whether the machine stalled a trial of the size whose rate falls most, over its longest distance, for at least half of the
     * missing share of that rate.
     */
    private static boolean isHeldUp(WindowAnswer answer) {
        Point fallen = answer.mostFallen();
        return answer.rates().stream().anyMatch(one -> one.trial().size() == fallen.size() && one.trial().roundTrip() == fallen.roundTrip()
            && one.held() / one.trial().seconds() >= (1 - fallen.rate()) / 2);
    }

    private static String cause(WindowAnswer answer) {
        Tried governing = answer.governing();
        List<Tried> all = answer.tried();
        String at = " over " + time(answer.at().roundTrip());
        if (governing != null) {
            WindowSetting setting = governing.change().setting();
            return "It is " + setting.place().words() + ", " + governing.change().before() + ": with " + written(governing) + " the rate"
                + at
                + " is " + number(governing.gain()) + " times as high.";
        }
        List<String> parts = new ArrayList<>();
        if (all.isEmpty()) {
            parts.add("No setting was tried.");
        }
        named(all.stream().filter(Tried::isJudged)).ifPresent(names -> parts.add("None of what was tried changes it: " + names + "."));
        named(all.stream().filter(one -> one.rate() == null)).ifPresent(names -> parts.add("Nothing came of the trial of " + names + "."));
        named(all.stream().filter(one -> one.rate() != null && !one.isJudged()))
            .ifPresent(names -> parts.add("It cannot be judged, without a rate of no change, what this does: " + names + "."));
        List<WindowSetting> others = answer.others();
        if (!others.isEmpty()) {
            parts.add("What may be it and must be changed by hand: "
                + others.stream().map(row -> row.name() + " (" + row.place().words() + ")").collect(Collectors.joining("; ")) + ".");
        }
        return String.join(" ", parts);
    }

    private static Optional<String> named(Stream<Tried> some) {
        return some.map(one -> one.change().setting().name() + " = " + written(one)).reduce((before, one) -> before + ", " + one);
    }

    static String written(Tried tried) {
        String value = tried.change().value();
        return value.matches("[0-9]+") ? number(Double.parseDouble(value)) : value;
    }

    /** Returns the table of both sides, and the answer for each. */
    public static String text(List<WindowAnswer> answers) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(
            List.of("far side", "size", "round trip", "change", "msg/s", "MB/s", "under way, msg", "under way, kB", "explained", "gain"));
        for (WindowAnswer answer : answers) {
            for (Measured one : answer.rates()) {
                rows.add(row(answer, one.trial(), "", one.rate(), ""));
            }
            if (!answer.tried().isEmpty() && answer.unchanged() > 0) {
                rows.add(row(answer, answer.at(), "none", answer.unchanged(), "1"));
            }
            for (Tried one : answer.tried()) {
                Double rate = one.rate();
                rows.add(row(answer, answer.at(), one.change().setting().name() + " = " + written(one), rate == null ? Double.NaN : rate,
                    one.isJudged() ? number(one.gain()) : rate == null ? "failed" : ""));
            }
        }
        return table(rows) + "\n" + answers.stream().map(answer -> sentence(answer) + "\n").collect(Collectors.joining());
    }

    private static List<String> row(WindowAnswer answer, DistantTrial trial, String change, double rate, String gain) {
        WindowFit fit = answer.claim();
        double way = trial.roundTrip() + (fit == null || Double.isNaN(fit.extra()) ? 0 : fit.extra());
        boolean known = Double.isFinite(rate);
        String expected = fit == null || !change.isEmpty() ? "" : number(fit.rate(trial.roundTrip(), trial.size(), trial.most()));
        return List.of(answer.side().word(), number(trial.size()) + " B", time(trial.roundTrip()), change, known ? number(rate) : "",
            known ? number(rate * trial.size() / 1e6) : "", known ? number(rate * way) : "",
            known ? number(rate * way * trial.size() / 1e3) : "",
            expected, gain);
    }

    private static String table(List<List<String>> rows) {
        TextTable table = new TextTable();
        for (int i = 0; i < rows.getFirst().size(); i++) {
            int column = i;
            List<String> cells = rows.stream().map(row -> row.get(column)).toList();
            table.add(cells.getFirst(), i == 0 || i == 3, TextTable.ALWAYS, cells.subList(1, cells.size()));
        }
        StringBuilder text = new StringBuilder();
        table.markdown(text);
        return text.toString();
    }
}
