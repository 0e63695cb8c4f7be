package io.brokermeter.engine.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The messages that the selectors of a run select, so that the ledger expects those and no others. Conditions of the form
 * {@code name = 'value'} on the headers that the producers set are understood, also several of them joined by AND. For any
 * other condition, as on a field that a client or a broker sets, it is unknown which messages meet it.
 */
public final class Selections {

    /** The number of the selection that every message meets. */
    public static final int ALL = -1;
    /** The number of a selection of which only the broker knows the messages. */
    public static final int UNKNOWN = -2;

    private static final Pattern TERM = Pattern.compile("\\s*([A-Za-z_$][\\w$.-]*)\\s*=\\s*'((?:[^']|'')*)'\\s*");

    private final List<String> known = new ArrayList<>();
    private final List<List<Map.Entry<String, String>>> terms = new ArrayList<>();

    private Selections() {}

    /** Returns the selections of a plan. */
    public static Selections of(Plan plan) {
        Selections selections = new Selections();
        Set<String> headers = plan.producers().stream().flatMap(group -> group.variants().getFirst().headers().keySet().stream())
            .collect(Collectors.toSet());
        for (ConsumerGroup group : plan.consumers()) {
            String selector = group.spec().selector();
            if (selector != null && plan.scenario().sends() && !selections.known.contains(selector)) {
                List<Map.Entry<String, String>> parsed = parse(selector);
                if (parsed != null && parsed.stream().allMatch(term -> headers.contains(term.getKey()))) {
                    selections.known.add(selector);
                    selections.terms.add(parsed);
                }
            }
        }
        return selections;
    }

    private static @Nullable List<Map.Entry<String, String>> parse(String selector) {
        List<Map.Entry<String, String>> parsed = new ArrayList<>();
        for (String part : selector.split("(?i)\\bAND\\b(?=(?:[^']*'[^']*')*[^']*$)", -1)) {
            Matcher term = TERM.matcher(part);
            if (!term.matches()) {
                return null;
            }
            parsed.add(Map.entry(term.group(1), term.group(2).replace("''", "'")));
        }
        return parsed;
    }

    /** Returns the number of selections that are understood. */
    public int count() {
        return known.size();
    }

    /** Returns the number of the selection of a consumer, {@link #ALL} or {@link #UNKNOWN}. */
    public int of(ConsumerPlan consumer) {
        String selector = consumer.settings().selector();
        return selector == null ? ALL : known.contains(selector) ? known.indexOf(selector) : UNKNOWN;
    }

    /** Returns for each selection and each variant of a group's messages whether the variant is selected. */
    public boolean[][] of(ProducerGroup group) {
        boolean[][] selected = new boolean[known.size()][group.variants().size()];
        for (int s = 0; s < selected.length; s++) {
            for (int v = 0; v < selected[s].length; v++) {
                Map<String, String> headers = group.variants().get(v).headers();
                selected[s][v] = terms.get(s).stream().allMatch(term -> term.getValue().equals(headers.get(term.getKey())));
            }
        }
        return selected;
    }
}
