package io.brokermeter.reports.csv;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.health.GeneratorReading;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.reports.FileReport;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.document.GeneratorRow;

/**
 * Writes the resource usage of the generator itself as comma-separated values with a header, one line for each interval. The names are
 * those of {@link BrokerCsv}: amounts and CPU cover {@code seconds}, which end when the interval was reported; the CPU of the first line
 * is counted from the opening of the file, and its collections from the start of the process. A cell is empty if its figure is unknown.
 * Each line is passed to the operating system at once.
 */
public final class GeneratorCsv extends FileReport {

    private boolean ofOthers;
    private GeneratorReading last = GeneratorReading.cpuOnly();
    private long lastNanos = System.nanoTime();

    private GeneratorCsv(ReportFile file) {
        super(file);
    }

    /**
     * Creates the file with its header, or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be opened
     * @throws IOException if its header cannot be written
     */
    public static GeneratorCsv open(Path path) throws IOException {
        return new GeneratorCsv(Csv.open("", path, Csv.columns(GeneratorRow.class)));
    }

    /** Leaves the file without lines, because other processes generate the load and the usage of this one says nothing about it. */
    public void leaveOut() {
        ofOthers = true;
    }

    @Override
    public void interval(Interval i) throws IOException {
        if (ofOthers) {
            return;
        }
        GeneratorReading now = GeneratorReading.now();
        long nanos = System.nanoTime();
        double seconds = (nanos - lastNanos) / 1e9;
        boolean cpu = seconds > 0 && last.cpuSeconds() >= 0 && now.cpuSeconds() >= last.cpuSeconds();
        List<String> cells = new ArrayList<>(Csv.moment(i));
        cells.addAll(List.of(Numbers.fixed(seconds, 3), cpu ? Numbers.fixed(100 * (now.cpuSeconds() - last.cpuSeconds()) / seconds, 2) : "",
            now.residentBytes() < 0 ? "" : Long.toString(now.residentBytes()), Long.toString(now.heapUsedBytes()),
            Long.toString(now.gcPauses() - last.gcPauses()), Long.toString(now.gcPauseMillis() - last.gcPauseMillis())));
        file.append(Csv.line(cells));
        last = now;
        lastNanos = nanos;
    }
}
