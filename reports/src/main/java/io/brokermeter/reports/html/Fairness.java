package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.document.EndpointRow;

/**
 * Shows how evenly messages were spread over producers, consumers and destinations, by Jain's index: (sum x)^2 / (n sum x^2), 1 if all
 * got the same number, 1/n if one got all (Jain, Chiu, Hawe, DEC-TR-301, 1984).
 */
final class Fairness {

    /** The largest number of bars; more are thinned out. */
    private static final int MOST_BARS = 400;
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 120;

    private final List<EndpointRow> endpoints;

    Fairness(List<EndpointRow> endpoints) {
        this.endpoints = endpoints;
    }

    /** Returns the index; NaN if all counts are 0. */
    static double jain(double... counts) {
        double sum = Arrays.stream(counts).sum();
        double squares = Arrays.stream(counts).map(count -> count * count).sum();
        return squares == 0 ? Double.NaN : sum * sum / (counts.length * squares);
    }

    void addTo(Page page) {
        Table table = new Table("fairness-table", "", "how many", "least", "median", "most", "Jain's index");
        Markup bars = new Markup();
        Map<String, List<Double>> groups = new LinkedHashMap<>();
        for (EndpointRow one : endpoints) {
            if (isKnown(one)) {
                groups.computeIfAbsent(one.kind() + "s of group '" + one.group() + "'", _ -> new ArrayList<>()).add(one.messages());
            }
        }
        groups.forEach((name, counts) -> add(table, bars, capital(name), counts));
        for (String kind : List.of("producer", "consumer")) {
            Map<String, Double> destinations = new LinkedHashMap<>();
            endpoints.stream().filter(one -> kind.equals(one.kind()))
                .forEach(one -> destinations.merge(one.destination(), one.messages(), Double::sum));
            add(table, bars, "Destinations, " + (kind.equals("producer") ? "sent to" : "received from"),
                destinations.values().stream().filter(Double::isFinite).toList());
        }
        Markup rows = table.markup();
        if (!rows.isEmpty()) {
            long lost = endpoints.stream().filter(one -> !isKnown(one)).count();
            page.section("fairness", "Fairness")
                .add(new Markup().element("p", "How many messages each one had, with the warm-up, from the least to the most."
                    + (lost == 0 ? ""
                        : " Of " + lost + " on agents that were lost it is not known; they and their destinations are left out."),
                    "class", "note"))
                .add(rows).add(bars).end();
        }
    }

    private static boolean isKnown(EndpointRow endpoint) {
        return Double.isFinite(endpoint.messages());
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** Adds a row and bars for some counts; nothing for a single one, whose index means nothing. */
    private static void add(Table table, Markup bars, String name, List<Double> counts) {
        if (counts.size() < 2) {
            return;
        }
        double[] sorted = counts.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = sorted.length;
        double jain = jain(sorted);
        table.row(name, Amounts.count(n), Amounts.count(sorted[0]), Amounts.count((sorted[(n - 1) / 2] + sorted[n / 2]) / 2),
            Amounts.count(sorted[n - 1]), Double.isNaN(jain) ? Amounts.UNKNOWN : String.format(Locale.ROOT, "%.4f", jain));
        if (sorted[n - 1] == sorted[0]) {
            return;
        }
        int drawn = Math.min(n, MOST_BARS);
        Markup svg = new Markup();
        for (int i = 0; i < drawn; i++) {
            double value = sorted[(int) Math.round((double) i * (n - 1) / Math.max(1, drawn - 1))];
            double height = value / sorted[n - 1] * HEIGHT;
            svg.open("rect", "x", number((double) i * WIDTH / drawn), "y", number(HEIGHT - height), "width",
                number(Math.max(1, 0.8 * WIDTH / drawn)), "height", number(height), "class", "fill0").close("rect");
        }
        bars.open("figure", "class", "bars fair").open("figcaption").element("b", name).text(" ")
            .element("span", Amounts.count(sorted[0]) + " to " + Amounts.count(sorted[n - 1]) + " messages", "class", "note")
            .close("figcaption")
            .open("svg", "viewBox", "0 0 " + WIDTH + " " + HEIGHT, "preserveAspectRatio", "none", "role", "img", "height", "80",
                "aria-label",
                name + ": from " + Amounts.count(sorted[0]) + " to " + Amounts.count(sorted[n - 1]) + " messages")
            .add(svg).close("svg").close("figure").line();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
