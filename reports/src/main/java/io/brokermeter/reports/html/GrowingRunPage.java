package io.brokermeter.reports.html;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/**
 * The page of a run of this process while it goes on: that of {@link HtmlReport}, made again and again. Samples are read once each, except
 * that they are all read again when a column becomes longer by one interval, which is at every {@value TimeColumns#MOST}th interval. Belongs to
 * one thread, which reads files.
 */
public final class GrowingRunPage {

    private final Path directory;
    private final List<StoredInterval> intervals = new ArrayList<>();
    /** Size of the file of samples when the last interval was over, and the size up to which it was read. */
    private long written;
    private long read;
    private @Nullable Latencies latencies;

    /** @param directory directory of the run */
    public GrowingRunPage(Path directory) {
        this.directory = directory;
    }

    /**
     * Adds an interval.
     *
     * @param size size of the file of samples at its end
     */
    public void add(IntervalDocument interval, long size) {
        intervals.add(new StoredInterval(intervals.size(), interval.withoutTimes()));
        written = size;
    }

    /**
     * Returns the page as it is now, for a server that feeds it from then on.
     *
     * @param now the state of the run in one sentence
     * @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read
     */
    public String page(String now) {
        return made().live(now);
    }

    /**
     * Returns what of it has changed, as an object of JSON in one line.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read
     */
    public String news() {
        return JsonText.of(made().news());
    }

    private Page made() {
        TimeColumns columns = new TimeColumns(intervals);
        Latencies all = latencies;
        if (all == null || !all.goOn(columns)) {
            all = new Latencies(columns);
            latencies = all;
            read = 0;
        }
        StoredRun run = StoredRun.ofThisProcess(directory, intervals, all.measured());
        run.samples(read, written, all::add);
        read = written;
        return new RunPage(run, columns, all).page();
    }
}
