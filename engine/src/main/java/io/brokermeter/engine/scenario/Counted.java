package io.brokermeter.engine.scenario;

import java.util.Locale;

/** Counted things in sentences: {@code 1 message}, {@code 1,200 messages}. */
public final class Counted {

    private Counted() {}

    /**
     * A number of things, thousands set apart by commas.
     *
     * @param thing one of them, by a noun whose plural ends in s
     */
    public static String of(long count, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", count, thing, word(count, "", "s"));
    }

    /** As {@link #of}, as a subject with its verb: {@code 1 send is}, {@code 2 sends are}. */
    public static String are(long count, String thing) {
        return of(count, thing) + word(count, " is", " are");
    }

    /** As {@link #of}, as a subject with its verb: {@code 1 send was}, {@code 2 sends were}. */
    public static String were(long count, String thing) {
        return of(count, thing) + word(count, " was", " were");
    }

    /** What a sentence says of one thing, or of another number of them. */
    public static String word(long count, String one, String several) {
        return count == 1 ? one : several;
    }
}
