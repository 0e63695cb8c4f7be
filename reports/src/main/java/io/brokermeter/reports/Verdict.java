package io.brokermeter.reports;

import io.brokermeter.reports.screen.ScreenStyle.Tone;

/** The verdict on a run, or on several: a word, a sign and a colour. Those on one run are in order from the best to the worst. */
public enum Verdict {
    PASSED("Passed", "PASSED", "✓", Tone.GOOD),
    DOUBTFUL("Passed, but doubtful", "PASSED, BUT DOUBTFUL", "?", Tone.MIND),
    RATE_MISSED("Rate missed", "RATE MISSED", "!", Tone.MIND),
    INTERRUPTED("Interrupted", "INTERRUPTED", "■", Tone.MIND),
    RUNNING("Still running", "GOES ON", "…", Tone.MIND),
    INVALID("Invalid", "INVALID: the generator was measured, not the broker", "✗", Tone.BAD),
    THRESHOLD_MISSED("Threshold missed", "THRESHOLD MISSED", "✗", Tone.BAD),
    CUT_OFF("Cut off", "CUT OFF", "✂", Tone.BAD),
    FAILED("Failed", "FAILED", "✗", Tone.BAD),
    /** A search, or {@code window}, found what it was to find. */
    ANSWERED("Found", "FOUND", "✓", Tone.GOOD),
    /** It did not. */
    OPEN("Not known", "NOT KNOWN", "?", Tone.MIND);

    private final String title;
    private final String words;
    private final String sign;
    private final Tone tone;

    Verdict(String title, String words, String sign, Tone tone) {
        this.title = title;
        this.words = words;
        this.sign = sign;
        this.tone = tone;
    }

    /** Returns the verdict as a page begins its sentence. */
    public String title() {
        return title;
    }

    /** Returns the verdict as a terminal shows it. */
    public String words() {
        return words;
    }

    public String sign() {
        return sign;
    }

    public Tone tone() {
        return tone;
    }
}
