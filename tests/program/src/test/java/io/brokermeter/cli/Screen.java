package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a terminal after a program has written to it, including lines that have scrolled off the top. Supports only the control
 * sequences that brokermeter uses, and refuses others.
 */
final class Screen {

    private static final Pattern SEQUENCE = Pattern.compile("\033\\[([0-9;]*)([A-Za-z])");

    private final int width;
    private final List<StringBuilder> rows = new ArrayList<>(List.of(new StringBuilder()));
    private int row;
    private int column;
    private int colours;
    private final List<String> broken = new ArrayList<>();

    /**
     * @param width columns of the terminal
     * @param written the text that was written to the terminal
     */
    Screen(int width, String written) {
        this.width = width;
        Matcher sequence = SEQUENCE.matcher(written);
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c == '\033') {
                if (!sequence.region(i, written.length()).lookingAt()) {
                    throw new AssertionError("a sequence that is not known: " + written.substring(i, Math.min(i + 10, written.length())));
                }
                obey(sequence.group(1), sequence.group(2));
                i = sequence.end() - 1;
            } else if (c == '\r') {
                column = 0;
            } else if (c == '\n') {
                row++;
                at();
            } else {
                put(c);
            }
        }
    }

    private void obey(String numbers, String letter) {
        switch (letter) {
            case "m" -> colours++;
            case "K" -> at().setLength(Math.min(at().length(), column));
            case "A" -> row = Math.max(0, row - (numbers.isEmpty() ? 1 : Integer.parseInt(numbers)));
            default -> throw new AssertionError("a sequence that is not known: " + numbers + letter);
        }
    }

    private StringBuilder at() {
        while (rows.size() <= row) {
            rows.add(new StringBuilder());
        }
        return rows.get(row);
    }

    private void put(char c) {
        if (column == width) {
            broken.add(at().toString());
            row++;
            column = 0;
        }
        StringBuilder line = at();
        while (line.length() <= column) {
            line.append(' ');
        }
        line.setCharAt(column++, c);
    }

    /** Returns the lines from the top, without trailing blanks and without empty lines at the end. */
    List<String> lines() {
        List<String> lines = new ArrayList<>(rows.stream().map(line -> line.toString().stripTrailing()).toList());
        while (!lines.isEmpty() && lines.getLast().isEmpty()) {
            lines.removeLast();
        }
        return lines;
    }

    /** Returns the beginnings of the lines that did not fit the width. */
    List<String> broken() {
        return broken;
    }

    /** Returns the number of sequences that begin or end a colour. */
    int colours() {
        return colours;
    }
}
