package io.brokermeter.reports.csv;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.Interval;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.json.BrokerJson;

/** Writes and reads comma-separated values (RFC 4180, lines end with a line feed). */
public final class Csv {

    static final List<String> MOMENT = List.of("time", "elapsed_seconds", "warmup", "phase");

    private Csv() {}

    public static String line(List<String> cells) {
        return cells.stream().map(Csv::quoted).collect(Collectors.joining(",", "", "\n"));
    }

    /**
     * Creates a file with a header, or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be opened
     * @throws IOException if its header cannot be written
     */
    static ReportFile open(String option, Path path, List<String> head) throws IOException {
        ReportFile file = ReportFile.open(option, path);
        try {
            file.append(line(head));
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Returns the first cells of a line about an interval; {@link #MOMENT} has their names. */
    static List<String> moment(Interval i) {
        return List.of(Instant.ofEpochMilli(i.endEpochNanos() / 1_000_000).toString(), Numbers.fixed(i.elapsedNanos() / 1e9, 3),
            Boolean.toString(i.warmup()), i.phase());
    }

    private static String quoted(String cell) {
        return cell.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r') ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    /** Returns the columns of a document, in the order of its components. */
    static List<String> columns(Class<? extends Record> type) {
        return Arrays.stream(type.getRecordComponents()).map(one -> BrokerJson.column(one.getName())).toList();
    }

    /**
     * Reads a file as documents, whose components are its columns: {@code cpuPercent} is {@code cpu_percent}.
     *
     * @throws IOException if the file cannot be read
     */
    public static <R extends Record> List<R> read(Path file, Class<R> type) throws IOException {
        RecordComponent[] components = type.getRecordComponents();
        List<String> columns = columns(type);
        return read(file).stream().map(row -> {
            JsonObject tree = new JsonObject();
            for (int i = 0; i < components.length; i++) {
                RecordComponent component = components[i];
                String cell = row.getOrDefault(columns.get(i), "");
                tree.put(component.getName(), component.getType() == String.class ? cell
                    : component.getType() == boolean.class ? Boolean.valueOf(cell) : Numbers.parsed(cell));
            }
            return DocumentJson.read(type, tree);
        }).toList();
    }

    /**
     * Reads a file that these classes wrote: returns, for each line below the header, its cells by name. A missing file has no lines; a
     * last line that was cut off has the cells that were written.
     *
     * @throws IOException if the file cannot be read
     */
    public static List<Map<String, String>> read(Path file) throws IOException {
        List<Map<String, String>> rows = new ArrayList<>();
        if (!Files.exists(file)) {
            return rows;
        }
        // InputStreamReader replaces bytes that are not UTF-8, so they do not end the file.
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            String head = lines.readLine();
            List<String> names = head == null ? List.of() : cells(head);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                List<String> cells = cells(line);
                Map<String, String> row = new LinkedHashMap<>();
                for (int c = 0; c < Math.min(cells.size(), names.size()); c++) {
                    row.put(names.get(c), cells.get(c));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** Splits a line into cells, none of which may contain a line end. */
    static List<String> cells(String line) {
        List<String> cells = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int at = 0; at < line.length(); at++) {
            char c = line.charAt(at);
            if (quoted && c == '"' && at + 1 < line.length() && line.charAt(at + 1) == '"') {
                cell.append(c);
                at++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                cells.add(cell.toString());
                cell.setLength(0);
            } else {
                cell.append(c);
            }
        }
        cells.add(cell.toString());
        return cells;
    }
}
