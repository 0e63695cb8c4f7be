package io.brokermeter.reports.html;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page that is made again and again while its run grows has what the page has that is made of all files at once. */
class GrowingRunPageTest {

    @TempDir
    Path directory;

    private static @Nullable Object charts(String news) {
        return JsonText.read(news).get("data");
    }

    private static String whole(Path run) {
        return JsonText.of(RunPage.of(StoredRun.read(run)).page().news());
    }

    /** Returns the size of the file of samples at the end of each interval of a second. */
    private static long[] sizes(Path run, int seconds) throws Exception {
        long[] sizes = new long[seconds];
        long at = 0;
        for (String line : Files.readAllLines(run.resolve(RunDirectory.HISTOGRAMS))) {
            at += line.length() + 1;
            if (line.startsWith("Tag=")) {
                sizes[(int) Double.parseDouble(line.split(",")[1])] = at;
            }
        }
        return sizes;
    }

    @Test
    void itHasTheSameChartsAndTables() throws Exception {
        Path run = new MadeRun().in(directory.resolve("run"));
        Files.delete(run.resolve(RunDirectory.RESULT));
        List<StoredInterval> intervals = StoredRun.read(run).intervals();
        long[] sizes = sizes(run, 20);
        GrowingRunPage page = new GrowingRunPage(run);
        assertThat(page.news()).contains("The run has no interval");
        for (StoredInterval one : intervals) {
            page.add(one.document(), sizes[one.index()]);
            page.news();
        }
        Map<String, @Nullable Object> grown = JsonText.read(page.news());
        Map<String, @Nullable Object> all = JsonText.read(whole(run));
        assertThat(grown.get("header")).isEqualTo(all.get("header"));
        assertThat(grown.get("data")).isEqualTo(all.get("data"));
        assertThat(grown.get("main")).asString().contains("response time");
    }

    @Test
    void aLongRunHasTheSameColumns() throws Exception {
        MadeRun made = new MadeRun();
        Path run = made.in(directory.resolve("run"));
        made.stretch(run, 1901);
        Files.delete(run.resolve(RunDirectory.RESULT));
        List<StoredInterval> intervals = StoredRun.read(run).intervals();
        long[] sizes = sizes(run, 1901);
        GrowingRunPage page = new GrowingRunPage(run);
        for (StoredInterval one : intervals) {
            page.add(one.document(), sizes[one.index()]);
            if (one.index() % 477 == 0 || one.index() > 1896) {
                page.news();
            }
        }
        assertThat(charts(page.news())).isEqualTo(charts(whole(run)));
    }
}
