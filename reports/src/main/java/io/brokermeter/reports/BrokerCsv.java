package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;

/**
 * What was seen of the broker, one line for each interval in which anything was, as comma-separated values with a head
 * (RFC 4180, lines end with a line feed). A cell is empty where a figure is not known. Each line goes to the operating
 * system at once.
 */
public final class BrokerCsv implements RunObserver {

    private static final List<String> HEAD = List.of("time", "elapsed_seconds", "warmup", "phase", "seconds", "cpu_percent",
            "resident_bytes", "memory_percent", "threads", "open_files", "disk_read_bytes", "disk_written_bytes",
            "voluntary_switches", "involuntary_switches", "heap_used_bytes", "heap_committed_bytes", "heap_max_bytes",
            "gc_pauses", "gc_pause_millis", "depth_messages", "processes");

    private final ReportFile file;
    private final List<String> metrics;

    private BrokerCsv(ReportFile file, List<String> metrics) {
        this.file = file;
        this.metrics = List.copyOf(metrics);
    }

    /**
     * Creates the file, with its head, or empties it.
     *
     * @param option the option that led to the file, for messages
     * @param metrics names of further metrics, each with a column of its own at the end
     * @throws io.brokermeter.engine.scenario.UsageException when it cannot be opened
     * @throws IOException when its head cannot be written
     */
    public static BrokerCsv open(String option, Path path, List<String> metrics) throws IOException {
        BrokerCsv csv = new BrokerCsv(ReportFile.open(option, path), metrics);
        List<String> head = new ArrayList<>(HEAD);
        head.addAll(metrics);
        try {
            csv.line(head);
        } catch (IOException e) {
            csv.close();
            throw e;
        }
        return csv;
    }

    @Override
    public void interval(Interval i) throws IOException {
        BrokerSample s = i.broker();
        if (s == null) {
            return;
        }
        BrokerSample.Usage u = s.usage();
        BrokerSample.Heap h = s.heap();
        List<String> cells = new ArrayList<>();
        cells.add(Instant.ofEpochMilli(i.endEpochNanos() / 1_000_000).toString());
        cells.add(Numbers.fixed(i.elapsedNanos() / 1e9, 3));
        cells.add(Boolean.toString(i.warmup()));
        cells.add(i.phase());
        cells.add(number(s.seconds(), 3));
        cells.add(number(u.cpuPercent(), 2));
        cells.add(count(u.residentBytes()));
        cells.add(number(u.memoryPercent(), 3));
        cells.add(count(u.threads()));
        cells.add(count(u.openFiles()));
        cells.add(count(u.diskReadBytes()));
        cells.add(count(u.diskWrittenBytes()));
        cells.add(count(u.voluntarySwitches()));
        cells.add(count(u.involuntarySwitches()));
        cells.add(count(h.usedBytes()));
        cells.add(count(h.committedBytes()));
        cells.add(count(h.maxBytes()));
        cells.add(count(h.gcCount()));
        cells.add(count(h.gcMillis()));
        cells.add(count(s.depth()));
        cells.add(s.processes().stream().map(BrokerCsv::process).collect(Collectors.joining(" ")));
        for (String name : metrics) {
            Double value = s.metrics().get(name);
            cells.add(value == null ? "" : Numbers.plain(value));
        }
        line(cells);
    }

    /** Blanks and colons set processes and their figures apart, so the name of a program must not have them. */
    private static String process(BrokerSample.Part part) {
        return part.name().replaceAll("[\\s:]", "_") + ":" + part.pid() + ":" + number(part.usage().cpuPercent(), 2) + ":"
                + count(part.usage().residentBytes());
    }

    private static String number(double value, int decimals) {
        return Double.isFinite(value) ? Numbers.fixed(value, decimals) : "";
    }

    private static String count(long value) {
        return value < 0 ? "" : Long.toString(value);
    }

    private void line(List<String> cells) throws IOException {
        file.append(cells.stream().map(BrokerCsv::quoted).collect(Collectors.joining(",", "", "\n")));
    }

    private static String quoted(String cell) {
        return cell.matches("(?s).*[\",\r\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
