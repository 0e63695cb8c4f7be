package io.brokermeter.reports.csv;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.reports.FileReport;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.json.BrokerJson;

/**
 * Writes the samples of the broker as comma-separated values with a header, one line for each interval with a sample
 * (RFC 4180, lines end with a line feed). A cell is empty if its figure is unknown. Each line is passed to the
 * operating system at once.
 */
public final class BrokerCsv extends FileReport {

    private final List<String> metrics;

    private BrokerCsv(ReportFile file, List<String> metrics) {
        super(file);
        this.metrics = List.copyOf(metrics);
    }

    /**
     * Creates the file with its header, or empties it.
     *
     * @param option the option that led to the file, for messages
     * @param metrics names of further metrics, each with a column of its own at the end
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be opened
     * @throws IOException if its header cannot be written
     */
    public static BrokerCsv open(String option, Path path, List<String> metrics) throws IOException {
        List<String> head = new ArrayList<>(Csv.MOMENT);
        BrokerJson.SAMPLE.forEach(figure -> head.add(figure.column()));
        head.add("processes");
        head.addAll(metrics);
        return new BrokerCsv(Csv.open(option, path, head), metrics);
    }

    @Override
    public void interval(Interval i) throws IOException {
        BrokerSample s = i.broker();
        if (s == null) {
            return;
        }
        List<String> cells = new ArrayList<>(Csv.moment(i));
        BrokerJson.SAMPLE.forEach(figure -> cells.add(figure.cell(s)));
        cells.add(s.processes().stream().map(BrokerCsv::process).collect(Collectors.joining(" ")));
        for (String name : metrics) {
            Double value = s.metrics().get(name);
            cells.add(value == null ? "" : Numbers.plain(value));
        }
        file.append(Csv.line(cells));
    }

    /** Formats a process. Blanks and colons separate processes and their figures, so they are replaced in the name of the program. */
    private static String process(BrokerSample.Part part) {
        return part.name().replaceAll("[\\s:]", "_") + ":" + part.pid() + ":" + BrokerJson.USAGE.getFirst().cell(part.usage()) + ":"
            + BrokerJson.USAGE.get(1).cell(part.usage());
    }
}
