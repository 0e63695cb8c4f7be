package io.brokermeter.reports.picture;

import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.screen.Wrapping;

/** A picture that is composed from the top down: a title, a verdict, sentences, and drawings with their captions. */
public final class Sheet {

    /** Width of every picture of its own, as much as a pull request shows without scaling it down. */
    static final int WIDTH = 800;
    static final int MARGIN = 16;
    private static final int TITLE = 18;
    private static final int TEXT = 13;
    private static final int SMALL = 12;
    /** Width of a letter as a share of its size, in the widest of the usual fonts. */
    private static final double LETTER = 0.6;
    private static final double BOLD = 1.16;

    private final Drawing body;
    private final String description;
    private double y = 10;

    /** @param description the picture in words, for those who do not see it */
    public Sheet(String description) {
        this.description = description;
        this.body = new Drawing(WIDTH, 0, description);
    }

    /** Returns about how wide a text is. */
    static double widthOf(String text, int size) {
        return text.length() * size * LETTER;
    }

    private static int letters(int size) {
        return (int) ((WIDTH - 2 * MARGIN) / (size * LETTER * (size == TITLE ? BOLD : 1)));
    }

    /** Returns where the next thing begins. */
    double y() {
        return y;
    }

    Drawing body() {
        return body;
    }

    Sheet down(double room) {
        y += room;
        return this;
    }

    public Sheet title(String words) {
        return lines("title", words, TITLE, 23);
    }

    Sheet verdict(Verdict verdict) {
        y += 24;
        body.words(switch (verdict.tone()) {
            case GOOD -> "good";
            case MIND -> "doubt";
            case BAD -> "bad";
        }, "start", MARGIN, y, verdict.sign() + " " + verdict.title());
        return this;
    }

    public Sheet text(String words) {
        return words.isEmpty() ? this : lines("", Character.toUpperCase(words.charAt(0)) + words.substring(1), TEXT, 19);
    }

    private Sheet lines(String kind, String words, int size, int height) {
        for (String line : Wrapping.lines("", "", words, letters(size))) {
            y += height;
            body.words(kind, "start", MARGIN, y, line);
        }
        return this;
    }

    /**
     * Adds what stands above a drawing.
     *
     * @param note how to read it; empty for nothing
     */
    public Sheet caption(String words, String note) {
        y += 28;
        body.words("caption", "start", MARGIN, y, words);
        if (note.isEmpty()) {
            return this;
        }
        double beside = MARGIN + BOLD * widthOf(words, TEXT) + 8;
        if (beside + widthOf(note, SMALL) < WIDTH - MARGIN) {
            body.words("quiet", "start", beside, y, note);
            return this;
        }
        return lines("quiet", note, SMALL, 16);
    }

    /** Adds a drawing in the middle. */
    public Sheet drawing(Drawing drawing) {
        body.add(drawing, (WIDTH - drawing.width()) / 2.0, y + 10);
        y += 10 + drawing.height();
        return this;
    }

    /**
     * Returns the picture.
     *
     * @param about further facts for its last line, which is cut off where they are too long
     */
    public Drawing done(String about) {
        y += 28;
        int most = letters(SMALL);
        body.words("quiet", "start", MARGIN, y, about.length() <= most ? about : about.substring(0, most - 1) + "…");
        Drawing whole = new Drawing(WIDTH, (int) Math.ceil(y) + 12, description);
        whole.add(body, 0, 0);
        return whole;
    }
}
