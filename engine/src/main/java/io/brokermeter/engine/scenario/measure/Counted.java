package io.brokermeter.engine.scenario.measure;

import java.util.Locale;

/** Formats counted things in sentences: {@code 1 message}, {@code 1,200 messages}. */
public final class Counted {

    private Counted() {}

    /**
     * Formats a number of things, with commas between groups of three digits.
     *
     * @param thing noun for one thing, whose plural ends in s
     */
    public static String of(long count, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", count, thing, word(count, "", "s"));
    }

    /** Formats like {@link #of}, as a subject with its verb: {@code 1 send is}, {@code 2 sends are}. */
    public static String are(long count, String thing) {
        return of(count, thing) + word(count, " is", " are");
    }

    /** Formats like {@link #of}, as a subject with its verb: {@code 1 send was}, {@code 2 sends were}. */
    public static String were(long count, String thing) {
        return of(count, thing) + word(count, " was", " were");
    }

    /** Returns the word for one thing, or that for any other number of things. */
    public static String word(long count, String one, String several) {
        return count == 1 ? one : several;
    }
}
