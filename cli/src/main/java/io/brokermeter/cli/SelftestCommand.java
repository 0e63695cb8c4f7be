package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.IoCause;
import io.brokermeter.trials.ProgressLine;
import io.brokermeter.trials.Shell;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.selftest.Baseline;
import io.brokermeter.trials.selftest.SelfTest;
import io.brokermeter.trials.selftest.SelfTestReport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code selftest}: shows in a minute what readings of this machine are worth. */
@Command(name = "selftest",
    description = "Show in a minute what readings of this machine are worth: its clock, how late threads wake, the harness, the shortest times that can be "
        + "measured, and answers that are known beforehand. Needs no broker.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter selftest",
        "  brokermeter selftest --json -",
        "",
        "The result is kept, and later runs say when this machine has become worse.",
        "Exit status: 0 good, 1 a known answer is wrong, 2 wrong usage, 3 the machine is too disturbed for such",
        "readings, 129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class SelftestCommand implements Action.Measuring {

    /** The property that shortens all runs, for tests. */
    private static final double SCALE = Double.parseDouble(System.getProperty("brokermeter.selftest.scale", "1"));
    private static final int WIDEST = 100;

    @Option(names = "--json", order = 1, paramLabel = "FILE",
        description = "The result as JSON; - for standard output. Default: none.")
    @Nullable String json;

    @Override
    public int run(PrintStream out, PrintStream err) throws RunFailure, IOException, InterruptedException {
        ReportTargets files = new ReportTargets().with("--json", json);
        files.require();
        PrintStream screen = files.takeStandardOutput() ? err : out;
        @Nullable SelfTestReport report;
        SelfTest test;
        try (ProgressLine progress = ProgressLine.on(err); Interruption interruption = Interruption.install(() -> {})) {
            test = new SelfTest(Drivers.load(), SCALE, progress::drawOnly);
            interruption.runs(test);
            report = test.run();
        }
        if (report == null) {
            err.println("Ended before its end; nothing was kept.");
            return 128 + test.signal();
        }
        screen.print(report.text(Math.min(WIDEST, Terminal.columns())));
        try {
            Path kept = Baseline.keep(report, System.getenv());
            screen.println("Kept in " + Shell.belowHome(kept.toString()));
        } catch (IOException e) {
            err.println("warning: The result cannot be kept, so later runs are not compared with it: " + IoCause.of(e));
        }
        files.write(_ -> ReportTarget.bytes(report.json()), out);
        return report.exitCode();
    }
}
