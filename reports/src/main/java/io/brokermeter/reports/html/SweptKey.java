package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Units;
import org.jspecify.annotations.Nullable;

/**
 * The key of a sweep that is the x axis of its charts: of the keys whose values differ, the one with the most values, one with numbers
 * before one with words.
 *
 * @param name name of the key, empty if nothing differs
 * @param values values in the order of x
 * @param places positions of the values: on their own scale if all are numbers of one kind, otherwise one after the other
 */
record SweptKey(String name, List<String> values, double[] places) {

    /** The factor between the least and the greatest value from which positions are logarithmic. */
    private static final double WIDE = 20;

    private static final List<ToDoubleFunction<String>> READINGS = List.of(Double::parseDouble, text -> Rate.parse(text).perSecond(),
        Units::bytes, Units::count, text -> Units.duration(text, "s").toNanos() / 1e9);

    static SweptKey of(List<Map<String, String>> points) {
        Set<String> names = new LinkedHashSet<>();
        points.forEach(point -> names.addAll(point.keySet()));
        SweptKey best = new SweptKey("", List.of(""), new double[] {0});
        int bestRank = 0;
        for (String name : names) {
            List<String> values = points.stream().map(point -> point.getOrDefault(name, "")).distinct().toList();
            double[] numbers = numbers(values);
            int rank = values.size() < 2 ? 0 : values.size() + (numbers == null ? 0 : 1_000_000);
            if (rank > bestRank) {
                bestRank = rank;
                best = of(name, values, numbers);
            }
        }
        return best;
    }

    private static SweptKey of(String name, List<String> values, double @Nullable [] numbers) {
        double[] places = new double[values.size()];
        if (numbers == null) {
            for (int i = 0; i < places.length; i++) {
                places[i] = i;
            }
            return new SweptKey(name, values, places);
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            order.add(i);
        }
        order.sort((a, b) -> Double.compare(numbers[a], numbers[b]));
        double least = numbers[order.getFirst()];
        double most = numbers[order.getLast()];
        boolean logarithmic = least > 0 && most / least >= WIDE;
        List<String> sorted = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            double value = numbers[order.get(i)];
            places[i] = logarithmic ? Math.log10(value) : value;
            sorted.add(values.get(order.get(i)));
        }
        return new SweptKey(name, sorted, places);
    }

    /** Returns the texts as numbers of one kind; null if they are not, or if two are the same. */
    private static double @Nullable [] numbers(List<String> values) {
        for (ToDoubleFunction<String> reading : READINGS) {
            try {
                double[] numbers = values.stream().mapToDouble(reading).toArray();
                Set<Double> different = new HashSet<>();
                boolean fit = true;
                for (double number : numbers) {
                    fit &= Double.isFinite(number) && different.add(number);
                }
                if (fit) {
                    return numbers;
                }
            } catch (RuntimeException e) {
                // not of this kind
            }
        }
        return null;
    }

    /** Returns the index of a point's value; -1 if it is absent. */
    int indexOf(Map<String, String> point) {
        return name.isEmpty() ? 0 : values.indexOf(point.getOrDefault(name, ""));
    }

    /** Describes what distinguishes a point besides this key; empty for nothing. */
    String rest(Map<String, String> point, Set<String> differing) {
        List<String> parts = new ArrayList<>();
        point.forEach((key, value) -> {
            if (!key.equals(name) && differing.contains(key)) {
                parts.add(key + " " + value);
            }
        });
        return String.join(", ", parts);
    }
}
