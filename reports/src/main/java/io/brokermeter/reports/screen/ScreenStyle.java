package io.brokermeter.reports.screen;

/**
 * The properties of the screen that a summary is shown on.
 *
 * @param width number of columns, at least 40
 * @param rows number of lines, at least 20; the summary leaves one for the prompt
 * @param colour whether the screen has colours, in the codes of ANSI X3.64
 * @param blocks whether the screen can show the block elements of Unicode
 */
public record ScreenStyle(int width, int rows, boolean colour, boolean blocks) {

    private static final int NARROWEST = 40;
    private static final int LOWEST = 20;

    /** A screen of the usual size that shows letters alone. */
    public static final ScreenStyle PLAIN = new ScreenStyle(80, 24, false, false);

    public ScreenStyle {
        width = Math.max(NARROWEST, width);
        rows = Math.max(LOWEST, rows);
    }

    /** The importance of a word, shown by its colour. */
    public enum Tone {
        GOOD("\033[1;32m"), MIND("\033[1;33m"), BAD("\033[1;31m");

        private final String code;

        Tone(String code) {
            this.code = code;
        }
    }

    /** Returns the text in the colour of a tone, if the screen has colours. */
    String paint(Tone tone, String text) {
        return colour ? tone.code + text + "\033[0m" : text;
    }
}
