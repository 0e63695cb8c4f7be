package io.brokermeter.cli.results;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.cli.options.TableOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.formats.JUnitXml;
import io.brokermeter.reports.formats.OmbJson;
import io.brokermeter.reports.formats.RunCsv;
import io.brokermeter.reports.formats.RunJson;
import io.brokermeter.reports.formats.RunMarkdown;
import io.brokermeter.reports.formats.SweepTables;
import io.brokermeter.reports.formats.TrackedResults;
import io.brokermeter.reports.html.HtmlReport;
import io.brokermeter.reports.picture.Drawing;
import io.brokermeter.reports.screen.ScorecardText;
import io.brokermeter.reports.screen.ScreenSummary;
import io.brokermeter.reports.stored.KeptRuns;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code report}: shows a run or a sweep from its files. */
@Command(name = "report",
    description = "Show what an earlier run or sweep came to, from the files that it left: as text, and in files of other forms. FILE may be - for "
        + "standard output, which then has nothing else.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter report",
        "  brokermeter report last --html out.html",
        "  brokermeter report last~1 --json run.json --junit run.xml",
        "  brokermeter report last --markdown - >> \"$GITHUB_STEP_SUMMARY\"",
        "  brokermeter report last --svg heat=heat.svg --png course=course.png",
        "  brokermeter report sweep/trials/003-async-send --omb async-send.json"})
public final class ReportCommand implements Action {

    private static final String OMB = "--omb";

    @Parameters(paramLabel = "last|last~N|NAME|DIR", arity = "0..1", defaultValue = "last",
        description = "The newest run or sweep that measured anything and has ended, the Nth one before it, the name of one, or its "
            + "directory. Default: ${DEFAULT-VALUE}.")
    String which = "last";

    @Option(names = "--html", order = 1, paramLabel = "FILE",
        description = "One HTML file with charts that opens offline in any browser: docs/output.md says what is in it. Default: none.")
    @Nullable String html;

    @Option(names = "--json", order = 2, paramLabel = "FILE",
        description = "Everything as one JSON object, as docs/report.schema.json describes it. Default: none.")
    @Nullable String json;

    @Option(names = "--csv", order = 3, paramLabel = "FILE",
        description = "Figures as comma-separated values, a line for the run or for each trial. Default: none.")
    @Nullable String csv;

    @Option(names = "--markdown", order = 4, paramLabel = "FILE",
        description = "Tables in Markdown, as for a pull request or the summary of a build's step. Default: none.")
    @Nullable String markdown;

    @Option(names = "--junit", order = 5, paramLabel = "FILE",
        description = "Test cases in the XML of JUnit, for build servers: the run and its thresholds, or each trial. Default: none.")
    @Nullable String junit;

    @Option(names = "--intervals", order = 6, paramLabel = "FILE",
        description = "Intervals as comma-separated values, a line for each. Of a sweep: a directory, for a file of each trial. Default: none.")
    @Nullable String intervals;

    @Option(names = "--hdr", order = 7, paramLabel = "FILE",
        description = "Times as an HdrHistogram interval log. Of a sweep: a directory, for a file of each trial. Default: none.")
    @Nullable String hdr;

    @Option(names = OMB, order = 8, paramLabel = "FILE",
        description = "A result file of the OpenMessaging Benchmark, for its chart script; the labels workload and driver name what it shows. Of a "
            + "sweep: a directory, for a file of each trial; of a search: the long trial at its limit, and the limit. Default: none.")
    @Nullable String omb;

    @Option(names = "--svg", order = 9, paramLabel = "PICTURE[=FILE]",
        description = "A picture in SVG for places where no script runs, as a pull request: the heat map of times, heat; the percentiles; or the course of "
            + "the run. FILE is PICTURE.svg unless it is named. Of a sweep: a directory, for a file of each trial. May be given more than once. "
            + "Default: none.")
    List<String> svg = new ArrayList<>();

    @Option(names = "--png", order = 9, paramLabel = "PICTURE[=FILE]",
        description = "The same in PNG, for which the machine needs a font. Default: none.")
    List<String> png = new ArrayList<>();

    @Option(names = "--bencher", order = 10, paramLabel = "FILE",
        description = "Rates and percentiles with their intervals in the Bencher Metric Format. Default: none.")
    @Nullable String bencher;

    @Option(names = "--bigger-is-better", order = 10, paramLabel = "FILE",
        description = "Rates for the customBiggerIsBetter of github-action-benchmark, with their ranges. Default: none.")
    @Nullable String bigger;

    @Option(names = "--smaller-is-better", order = 10, paramLabel = "FILE",
        description = "Percentiles and CPU time of a message for its customSmallerIsBetter. Default: none.")
    @Nullable String smaller;

    @Option(names = "--otava", order = 10, paramLabel = "FILE",
        description = "Rates and percentiles as comma-separated values for Apache Otava, a line for each run. Default: none.")
    @Nullable String otava;

    @Mixin
    TableOptions shown = new TableOptions();

    /**
     * An output format that an option requests.
     *
     * @param target a file, a directory, or {@code -} for standard output
     * @param ofSweep formats a whole sweep; null where each trial of a sweep has a file of its own
     * @param suffix end of the names of the trials' files
     */
    private record Form(String option, String target, Function<StoredRun, byte[]> ofRun, @Nullable Function<StoredSweep, byte[]> ofSweep,
            String suffix) {}

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        List<Form> forms = forms();
        TableView tables = shown.view();
        KeptRuns runs = KeptRuns.of(System.getenv());
        Path directory = runs.find(which);
        ReportTargets single = new ReportTargets();
        // Several forms of the trials of a sweep fit into one directory, under different names.
        forms.stream().filter(form -> form.ofSweep != null || form.target.equals(ReportTarget.OUTPUT) || !StoredSweep.isSweep(directory))
            .forEach(form -> single.with(form.option, form.target));
        single.requireDistinct();
        boolean text = forms.stream().noneMatch(form -> form.target.equals(ReportTarget.OUTPUT));
        List<String> notes;
        if (StoredSweep.isSweep(directory)) {
            StoredSweep sweep = StoredSweep.read(directory);
            for (Form form : forms) {
                write(form, sweep, out);
            }
            if (text) {
                out.print(SweepTables.text(sweep, tables));
            }
            notes = sweep.notes();
        } else {
            StoredRun run = StoredRun.read(directory);
            for (Form form : forms) {
                ReportTarget.write(form.option, form.target, form.ofRun.apply(run), out);
            }
            if (text) {
                out.print(ScreenSummary.text(run.result(), Terminal.style(System.getenv()), run.directory().toString(), List.of()));
                ScorecardText.of(List.of(run.result())).ifPresent(card -> out.print("\n" + card));
            }
            notes = run.notes();
        }
        out.flush();
        if (which.equals("last")) {
            runs.passedOver(directory).ifPresent(newer -> err.println("note: " + newer.getFileName() + " is newer, but "
                + (StoredSweep.isRunning(newer) || RunDirectory.isRunning(newer) ? "goes on."
                    : "measured nothing before it was cut off.")));
        }
        notes.forEach(note -> err.println("note: " + note));
        return 0;
    }

    private List<Form> forms() {
        List<Form> forms = new ArrayList<>();
        add(forms, "--html", html, HtmlReport::of, HtmlReport::of, ".html");
        add(forms, "--json", json, RunJson::of, RunJson::of, ".json");
        add(forms, "--csv", csv, RunCsv::of, RunCsv::of, ".csv");
        add(forms, "--markdown", markdown, RunMarkdown::of, SweepTables::markdown, ".md");
        add(forms, "--junit", junit, JUnitXml::of, JUnitXml::of, ".xml");
        add(forms, "--intervals", intervals, RunCsv::intervals, null, ".csv");
        add(forms, "--hdr", hdr, StoredRun::latencyLog, null, ".hlog");
        add(forms, OMB, omb, OmbJson::of, null, ".json");
        svg.forEach(text -> forms.add(picture("--svg", text, ".svg", drawing -> ReportTarget.bytes(drawing.svg()))));
        png.forEach(text -> forms.add(picture("--png", text, ".png", Drawing::png)));
        add(forms, "--bencher", bencher, TrackedResults::bencher, TrackedResults::bencher, ".json");
        add(forms, "--bigger-is-better", bigger, TrackedResults::biggerIsBetter, TrackedResults::biggerIsBetter, ".json");
        add(forms, "--smaller-is-better", smaller, TrackedResults::smallerIsBetter, TrackedResults::smallerIsBetter, ".json");
        add(forms, "--otava", otava, TrackedResults::otava, TrackedResults::otava, ".csv");
        return forms;
    }

    private static void add(List<Form> forms, String option, @Nullable String target, Function<StoredRun, String> ofRun,
            @Nullable Function<StoredSweep, String> ofSweep, String suffix) {
        if (target != null) {
            forms.add(new Form(option, target, ofRun.andThen(ReportTarget::bytes), ofSweep == null ? null
                : ofSweep.andThen(ReportTarget::bytes), suffix));
        }
    }

    private static Form picture(String option, String text, String suffix, Function<Drawing, byte[]> file) {
        int end = text.indexOf('=');
        String name = end < 0 ? text : text.substring(0, end);
        HtmlReport.Part part = Arrays.stream(HtmlReport.Part.values()).filter(one -> one.word().equals(name)).findFirst()
            .orElseThrow(() -> new UsageException(option + " " + text + " must begin with "
                + Arrays.stream(HtmlReport.Part.values()).map(HtmlReport.Part::word).collect(Collectors.joining(", "))
                + ", and may go on with =FILE."));
        return new Form(option + " " + name, end < 0 ? name + suffix : text.substring(end + 1),
            run -> file.apply(HtmlReport.picture(run, part)), null, "-" + name + suffix);
    }

    private static void write(Form form, StoredSweep sweep, PrintStream out) throws IOException {
        if (form.ofSweep != null) {
            ReportTarget.write(form.option, form.target, form.ofSweep.apply(sweep), out);
            return;
        }
        if (form.option.equals(OMB) && sweep.limit().limit() != null) {
            ReportTarget.write(form.option, form.target, OmbJson.of(sweep), out);
            return;
        }
        if (form.target.equals(ReportTarget.OUTPUT)) {
            throw new UsageException(form.option + " of a sweep makes a file for each trial: name a directory, or a trial of it, like "
                + sweep.directory().resolve(StoredSweep.TRIALS).resolve("...") + ".");
        }
        Path directory = ReportTarget.directory(form.option, form.target);
        for (StoredTrial trial : sweep.trials()) {
            StoredRun run = trial.run().orElse(null);
            if (run != null) {
                ReportTarget.write(form.option, directory.resolve(run.directoryName() + form.suffix).toString(), form.ofRun.apply(run),
                    out);
            }
        }
    }
}
