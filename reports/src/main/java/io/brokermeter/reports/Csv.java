package io.brokermeter.reports;

import java.util.List;
import java.util.stream.Collectors;

/** Comma-separated values (RFC 4180, lines end with a line feed). */
public final class Csv {

    private Csv() {}

    public static String line(List<String> cells) {
        return cells.stream().map(Csv::quoted).collect(Collectors.joining(",", "", "\n"));
    }

    private static String quoted(String cell) {
        return cell.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r') ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
