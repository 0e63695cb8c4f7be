package io.brokermeter.engine.scenario.message;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;

/**
 * One of several values, with its frequency.
 *
 * @param value the value
 * @param share share of the value, above 0; shares need not add up to 1
 */
public record Weighted<T>(T value, double share) {

    private static final Pattern NUMBER = Pattern.compile("\\s*([0-9]{1,9}(?:\\.[0-9]{1,9})?|\\.[0-9]{1,9})\\s*(%)?\\s*");
    /** The largest deviation of a sum of percentages from 100: three thirds are written 33%. */
    private static final double ROUNDING = 1.001;

    public Weighted {
        if (!(share > 0) || Double.isInfinite(share)) {
            throw new UsageException("A share must be greater than 0.");
        }
    }

    /**
     * Reads values with commas between them: with percentages that add up to 100 ({@code eu:30%,us:70%}), with weights
     * ({@code eu:3,us:7}), or with neither, which makes all values equally frequent ({@code eu,us}).
     *
     * @param separator character between a value and its share
     * @param reader function that reads one value
     * @throws UsageException with one sentence that names the wrong part
     */
    public static <T> List<Weighted<T>> parse(String text, char separator, Function<String, T> reader) {
        List<Weighted<T>> all = new ArrayList<>();
        int shares = 0;
        int percentages = 0;
        double sum = 0;
        for (String part : text.split(",", -1)) {
            int at = part.lastIndexOf(separator);
            Matcher number = NUMBER.matcher(at < 0 ? "" : part.substring(at + 1));
            boolean weighted = number.matches();
            String value = (weighted ? part.substring(0, at) : part).strip();
            if (value.isEmpty()) {
                throw new UsageException("In '" + text + "' something is missing at a comma or before a share.");
            }
            double share = weighted ? Double.parseDouble(number.group(1)) : 1;
            if (weighted) {
                shares++;
                percentages += number.group(2) == null ? 0 : 1;
                sum += share;
            }
            all.add(new Weighted<>(reader.apply(value), share));
        }
        if (shares > 0 && shares < all.size() || percentages > 0 && percentages < shares) {
            throw new UsageException("In '" + text + "' either each part has a share in % or none has.");
        }
        if (percentages > 0 && Math.abs(sum - 100) > ROUNDING) {
            throw new UsageException("The shares in '" + text + "' add up to "
                + (sum == Math.rint(sum) ? "" + (long) sum : "" + sum) + "%, not to 100%.");
        }
        return List.copyOf(all);
    }
}
