package io.brokermeter.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes which messages are missing, arrived more than once, or were not expected. */
public final class Difference {

    private static final Pattern NUMBERED = Pattern.compile("(.*?)(\\d{1,9})");
    private static final int MOST = 20;

    private Difference() {}

    /** Returns the differences between the expected texts and those that arrived, in one sentence; empty when there is none. */
    public static String between(List<String> expected, List<String> arrived, boolean ordered) {
        List<String> parts = new ArrayList<>();
        var missing = new ArrayList<>(expected);
        var surplus = new ArrayList<String>();
        var left = new HashSet<>(expected);
        for (String text : arrived) {
            if (left.remove(text)) {
                missing.remove(text);
            } else {
                surplus.add(text);
            }
        }
        var known = new HashSet<>(expected);
        add(parts, "missing", missing);
        add(parts, "more than once", surplus.stream().filter(known::contains).toList());
        add(parts, "unexpected", surplus.stream().filter(text -> !known.contains(text)).toList());
        if (ordered && parts.isEmpty()) {
            for (int i = 0; i < expected.size(); i++) {
                if (!expected.get(i).equals(arrived.get(i))) {
                    parts.add(
                        "out of order: message " + i + " is " + shortened(arrived.get(i)) + " instead of " + shortened(expected.get(i)));
                    break;
                }
            }
        }
        return parts.isEmpty() ? "" : arrived.size() + " of " + expected.size() + " messages came; " + String.join("; ", parts);
    }

    private static void add(List<String> parts, String what, List<String> texts) {
        if (!texts.isEmpty()) {
            parts.add(what + ": " + list(texts));
        }
    }

    /** Formats texts as a list, in which texts with consecutive numbers are a range. */
    static String list(List<String> texts) {
        List<String> ranges = new ArrayList<>();
        int i = 0;
        while (i < texts.size() && ranges.size() < MOST) {
            int last = i;
            while (last + 1 < texts.size() && follows(texts.get(last), texts.get(last + 1))) {
                last++;
            }
            ranges.add(shortened(texts.get(i)) + (last > i ? " to " + shortened(texts.get(last)) : ""));
            i = last + 1;
        }
        return String.join(", ", ranges) + (i < texts.size() ? " and " + (texts.size() - i) + " more" : "");
    }

    private static boolean follows(String one, String next) {
        Matcher first = NUMBERED.matcher(one);
        Matcher second = NUMBERED.matcher(next);
        return first.matches() && second.matches() && first.group(1).equals(second.group(1))
            && Integer.parseInt(second.group(2)) == Integer.parseInt(first.group(2)) + 1;
    }

    private static String shortened(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "…";
    }

    /** Returns the numbers from 0 to less than {@code count} that are absent, as a list. */
    static String numbers(Collection<Long> there, int count) {
        List<String> absent = new ArrayList<>();
        for (long number = 0; number < count; number++) {
            if (!there.contains(number)) {
                absent.add(Long.toString(number));
            }
        }
        return list(absent);
    }

    /**
     * Returns which of {@code count} messages are missing, by the numbers at the end of the texts; without such numbers, returns the texts
     * that arrived.
     */
    static String missing(Collection<String> texts, int count) {
        var numbers = new TreeSet<Long>();
        for (String text : texts) {
            Matcher matcher = NUMBERED.matcher(text);
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) >= count) {
                return "there are: " + list(List.copyOf(texts));
            }
            numbers.add(Long.parseLong(matcher.group(2)));
        }
        return numbers.size() < new HashSet<>(texts).size() ? "there are: " + list(List.copyOf(texts))
            : "missing: " + numbers(numbers, count);
    }
}
