package io.brokermeter.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.MeanRate;
import io.brokermeter.experiment.table.Key;
import io.brokermeter.experiment.table.Section;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/**
 * What a file asks for whose trials search for the highest load that meets its thresholds. Immutable.
 *
 * @param searched the number that is searched
 * @param key path of its key
 * @param along the number at whose values the rate is searched; null where there is one search
 * @param alongKey path of its key; empty for none
 * @param values its values, in the order of the file; empty for none
 * @param from smallest load of the search
 * @param to greatest load
 * @param start load of the first trial
 * @param width relative width of the interval that ends the search
 * @param trials the greatest number of trials of one search
 * @param time the time after which no further trial begins; null for no limit
 * @param confirmation duration of the long trial at the lower end; zero for none
 */
public record Search(Searched searched, String key, @Nullable Searched along, String alongKey, List<Long> values, double from, double to,
        double start, double width, int trials, @Nullable Duration time, Duration confirmation) {

    /** Its keys. */
    public static final Section SECTION = Section.of("search",
        "Searches for the highest load that meets the `thresholds`, in place of trials at loads that "
            + "are known before: `run` and `search` do the same with such a file. Without thresholds the goal is a response p99 below 50 ms, a send p99 where "
            + "nothing receives.",
        "over",
        Key.of("over", ValueSyntax.TEXT, "rate",
            "What is searched: `rate`, or at the rate of `load` the number of `producers`, `consumers` or "
                + "`destinations`, the `message-size` or `max-pending`; or the rate at each of several values of these, `producers=1,2,4,8`."),
        Key.of("from", ValueSyntax.TEXT, "10/s of a rate, 64 of a size, else 1", "The smallest load."),
        Key.of("to", ValueSyntax.TEXT, "10M/s of a rate, 16 MiB of a size, else 10,000", "The greatest load, at least twice the smallest."),
        Key.of("start", ValueSyntax.TEXT, "1000/s of a rate, else the smallest",
            "The load of the first trial; the next ones have twice or half "
                + "of it until both outcomes were seen."),
        Key.of("width", ValueSyntax.SHARE, "10%", "Width of the interval of 98 % that ends the search: how far its upper end may be above "
            + "its lower end."),
        Key.of("trials", ValueSyntax.POSITIVE, "60", "The greatest number of trials; of each value, where there are several."),
        Key.of("time", ValueSyntax.TIME, "no limit", "Limit for the whole search; no trial begins that would not end in time."),
        Key.of("confirmation", ValueSyntax.TIME, "5m",
            "Duration of a long trial at the lower end of the interval; 0 is none. There is none "
                + "where the rate is searched at several values."))
        .orSwitched();

    /** The warm-up of a trial where the user says none. */
    public static final String WARMUP = "auto";
    /** The duration of a trial, with its warm-up, where the user says none. */
    public static final String DURATION = "30s";

    /** The fewest trials after which an answer may be clear. */
    private static final int FEWEST = 8;
    /** The most values at which the rate is searched; each takes the time of a search. */
    private static final int MOST_VALUES = 20;
    private static final double DEFAULT_START = 1_000;

    /** A number of the load that can be searched. */
    public enum Searched {
        RATE("load", "rate", "", 10, 10e6), PRODUCERS("producers", "count", "producers", 1, 10_000),
        CONSUMERS("consumers", "count", "consumers", 1, 10_000), DESTINATIONS("destinations", "count", "destinations", 1, 10_000),
        MESSAGE_SIZE("message", "size", "bytes", 64, 16 << 20), MAX_PENDING("producers", "maxPending", "in flight", 1, 10_000);

        private final String section;
        private final String key;
        private final String unit;
        private final double least;
        private final double most;

        Searched(String section, String key, String unit, double least, double most) {
            this.section = section;
            this.key = key;
            this.unit = unit;
            this.least = least;
            this.most = most;
        }

        /** Returns its name in files and options: {@code message-size}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Returns the words that follow one of its values, without a blank; empty for the rate. */
        public String unit() {
            return unit;
        }

        /** Returns whether several of them at once share a broker, so that the law of scalability says how the rate depends on them. */
        public boolean isCount() {
            return this != RATE && this != MESSAGE_SIZE;
        }

        private static Searched of(String word) {
            return Arrays.stream(values()).filter(one -> one.word().equals(word)).findFirst()
                .orElseThrow(() -> new UsageException("'" + word
                    + "' cannot be searched; there are " + Arrays.stream(values()).map(Searched::word).collect(Collectors.joining(", "))
                    + ", and the rate at each of several values of these, like producers=1,2,4,8."));
        }

        private double number(String text) {
            return this == MESSAGE_SIZE ? Units.bytes(text) : Units.count(this == RATE ? text.replaceFirst("/s$", "") : text);
        }

        /** Returns the path of its key in a file. */
        private String path(Tree.Fields file) {
            if (file.get(section) instanceof Tree.Items list) {
                if (list.items().size() > 1) {
                    throw new UsageException("'" + word() + "' cannot be searched, since '" + section + "' is a list of "
                        + list.items().size() + ", and none of them is meant more than the others.");
                }
                return section + ".0." + key;
            }
            return section + "." + key;
        }
    }

    public Search {
        values = List.copyOf(values);
    }

    /** Reads the section of a file; mistakes are added to those of the section. Returns null after some of them. */
    static @Nullable Search read(SectionValues search, Tree.Fields file) {
        String over = search.text("over", Searched.RATE.word()).strip();
        int equals = over.indexOf('=');
        Searched searched;
        Searched along = null;
        String key;
        String alongKey = "";
        List<Long> values = new ArrayList<>();
        try {
            searched = equals < 0 ? Searched.of(over) : Searched.RATE;
            key = searched.path(file);
            if (equals >= 0) {
                along = Searched.of(over.substring(0, equals).strip());
                if (along == Searched.RATE) {
                    throw new UsageException("'" + over + "': the rate is what is searched at each value of something else.");
                }
                alongKey = along.path(file);
                for (String value : over.substring(equals + 1).split(",", -1)) {
                    values.add((long) along.number(value.strip()));
                }
                require(over, values);
            }
        } catch (UsageException e) {
            search.wrong("over", Validator.sentence(e));
            return null;
        }
        double from = search.read("from", searched.least, searched::number);
        double to = search.read("to", searched.most, searched::number);
        double start = search.read("start", searched == Searched.RATE ? Math.clamp(DEFAULT_START, from, Math.max(from, to)) : from,
            searched::number);
        if (!(from > 0 && to >= 2 * from)) {
            search.wrong(search.has("to") ? "to" : "from", "'from' and 'to' leave nothing to search: 'to' must be at least twice 'from'.");
        } else if (start < from || start > to) {
            search.wrong("start", "it must lie between 'from' and 'to'.");
        }
        double width = search.read("width", Units::share);
        if (!(width > 0)) {
            search.wrong("width", "it must be above 0.");
        }
        int trials = search.read("trials", ValueSyntax::whole);
        if (trials < FEWEST) {
            search.wrong("trials", "it must be at least " + FEWEST + ": fewer trials decide nothing.");
        }
        return new Search(searched, key, along, alongKey, values, from, to, start, width, trials,
            search.has("time") ? search.read("time", Duration.ZERO, ValueSyntax::time) : null,
            search.read("confirmation", ValueSyntax::time));
    }

    private static void require(String over, List<Long> values) {
        if (values.size() < 2 || values.size() > MOST_VALUES) {
            throw new UsageException("'" + over + "' must have from 2 to " + MOST_VALUES + " values, like producers=1,2,4,8.");
        }
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i) < 1 || i > 0 && values.get(i) <= values.get(i - 1)) {
                throw new UsageException("'" + over + "' must have values of at least 1, each greater than the one before it.");
            }
        }
    }

    /** Returns why a scenario cannot be searched in this way, as one sentence; null when it can. */
    @Nullable String unfit(Scenario scenario) {
        if (!scenario.sends()) {
            return "a search needs producers, whose load it changes.";
        }
        if (searched != Searched.RATE && scenario.producers().stream().allMatch(side -> side.load() instanceof Load.AllOut)) {
            return "'" + searched.word()
                + "' needs a rate: without one each trial sends as fast as it can, and no number of them is too great.";
        }
        for (Threshold goal : scenario.thresholds()) {
            if (searched == Searched.RATE && goal.phase() == null && goal.figure() instanceof Threshold.Single(var figure)
                && figure.equals(new MeanRate(Count.SENT)) && !isMetSomewhere(goal)) {
                return "the goal '" + goal.text() + "' contradicts the range: no rate from " + Math.round(from) + "/s to " + Math.round(to)
                    + "/s can meet it.";
            }
        }
        return null;
    }

    private boolean isMetSomewhere(Threshold goal) {
        DoublePredicate met = rate -> goal.comparison().holds(rate, goal.limit());
        return met.test(from) || met.test(to) || met.test(Math.clamp(goal.limit(), from, to));
    }
}
