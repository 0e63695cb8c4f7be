package io.brokermeter.analysis.window;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.brokermeter.analysis.statistics.WindowFit.Limit;
import io.brokermeter.analysis.window.WindowSetting.Component;

/** The table of settings that govern windows, {@code windows.txt}: one row per line, with columns separated by bars. */
public final class WindowSettings {

    private static final String ANY = "*";
    private static final List<WindowSetting> ALL = read();

    private WindowSettings() {}

    /** Returns all rows, in the order of the table. */
    public static List<WindowSetting> all() {
        return ALL;
    }

    /**
     * Returns the rows that apply to one end of a protocol and a broker, in the order of the table.
     *
     * @param broker name of the broker without a version; empty when it is not known
     */
    public static List<WindowSetting> of(FarSide side, String protocol, String broker) {
        return ALL.stream().filter(row -> row.side() == side && counts(row.protocol(), protocol) && counts(row.broker(), broker)).toList();
    }

    private static boolean counts(String row, String name) {
        return row.equals(ANY) || List.of(row.split(",")).contains(name);
    }

    private static List<WindowSetting> read() {
        List<WindowSetting> rows = new ArrayList<>();
        try (InputStream in = Objects.requireNonNull(WindowSettings.class.getResourceAsStream("windows.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    rows.add(row(line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(rows);
    }

    private static WindowSetting row(String line) {
        String[] cells = line.split("\\|", -1);
        if (cells.length != 10) {
            throw new IllegalStateException("windows.txt has a row with " + cells.length + " cells: " + line);
        }
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cells[i].strip();
        }
        String[] values = cells[6].split("/");
        return new WindowSetting(cells[0], cells[1], FarSide.valueOf(cells[2].toUpperCase(Locale.ROOT)),
            Component.valueOf(cells[3].toUpperCase(Locale.ROOT).replace(' ', '_')), Limit.valueOf(cells[4].toUpperCase(Locale.ROOT)),
            cells[5], number(values[0]), number(values[values.length - 1]), cells[7], cells[8], cells[9]);
    }

    private static double number(String text) {
        return text.equals("?") ? Double.NaN : Double.parseDouble(text);
    }
}
