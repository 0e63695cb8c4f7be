package io.brokermeter.reports.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contents of HTML reports, without a browser; {@link HtmlReportBrowserTest} opens them. */
class HtmlReportTest {

    @TempDir
    Path directory;

    private String page(MadeRun run) throws Exception {
        return HtmlReport.of(StoredRun.read(run.in(directory.resolve("run"))));
    }

    /** Package on npm: uplot 1.6.32, sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==. */
    @Test
    void theLibraryIsAsItsAuthorsPublishedItAndItsLicenceGoesWithIt() throws Exception {
        assertThat(sha256("uPlot.iife.min.js")).isEqualTo("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f");
        assertThat(sha256("uPlot.min.css")).isEqualTo("df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04");
        assertThat(sha256("uPlot.LICENSE")).isEqualTo("8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd");
        assertThat(page(new MadeRun())).contains("The MIT License (MIT)", "Copyright (c) 2022 Leon Sorokin", "uPlot (v1.6.32)");
    }

    private static String sha256(String resource) throws Exception {
        try (InputStream in = HtmlReport.class.getResourceAsStream(resource)) {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(in.readAllBytes()));
        }
    }

    @Test
    void onlyItsOwnScriptMayRunAndNothingMayBeFetched() throws Exception {
        String page = page(new MadeRun());
        Matcher policy = Pattern.compile("Content-Security-Policy\" content=\"([^\"]+)\"").matcher(page);
        assertThat(policy.find()).isTrue();
        Matcher script = Pattern.compile("<script>(.*)</script>", Pattern.DOTALL).matcher(page);
        assertThat(script.find()).isTrue();
        String hash = Base64.getEncoder()
            .encodeToString(MessageDigest.getInstance("SHA-256").digest(script.group(1).getBytes(StandardCharsets.UTF_8)));
        assertThat(policy.group(1))
            .isEqualTo("default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-"
                + hash + "&#39;");
        assertThat(page).doesNotContain(" src=", " href=", "@import", "url(");
    }

    @Test
    void whatOthersNamedIsText() throws Exception {
        String page = page(new MadeRun().with(run -> {
            run.name = "</title><script>alert(1)</script>";
            run.scenario = "name: \"</pre><script>alert(2)</script>\"\n";
            run.stall = 5;
        }));
        assertThat(page).doesNotContain("<script>alert", "Connection <reset>").contains("&lt;/title&gt;", "&lt;/pre&gt;",
            "Connection &lt;reset&gt;");
        assertThat(page.split("</script>", -1)).hasSize(3);
    }

    @Test
    void whatConsumersWereToWorkIsAPartOfTheTime() throws Exception {
        assertThat(words(page(new MadeRun().with(run -> run.processingMicros = 2_500))))
            .contains("consumer, as its processing time was asked for mean 2.50 ms", "2.5 in it on average");
    }

    @Test
    void whatTheHandlerTookIsShownWhereItWasMeasured() throws Exception {
        String page = page(new MadeRun().with(run -> {
            run.processingMicros = 2_500;
            run.handlerTimed = true;
        }));
        assertThat(words(page)).contains("handler: delivered, processed", "consumer: delivered, processed mean 2.8")
            .doesNotContain("as its processing time was asked for");
    }

    /** The share is rounded as in the doubt, but it is 100 % only if all messages were sent in time. */
    @ParameterizedTest
    @CsvSource({"15387, 23.1 %", "19971, 0.1 %", "19969, 0.2 %", "1, 99.9 %", "0, 100 %"})
    void theShareThatWasSentInTimeIsRounded(long late, String share) throws Exception {
        assertThat(words(page(new MadeRun().with(run -> run.late = late)))).contains("asked, " + share + " sent in time");
    }

    @Test
    void theFirstScreenHasTheResult() throws Exception {
        String text = words(page(new MadeRun()));
        assertThat(text).contains("✓ Passed: 1,000/s of 1,000/s asked, response time p99 ", "nothing lost or duplicated",
            "of 20,000 expected", "62.5 %", "20,000 expected = 20,000 received.", "made", "rate: 1000/s");
    }

    /** A loss that was allowed fails no run, so no figure of a run that passed is called bad. */
    @Test
    void whatFailsNoRunIsNotMarkedAsBad() throws Exception {
        assertThat(page(new MadeRun().with(run -> run.lost = 37))).contains("37 / 0").doesNotContain("\"bad\"");
        assertThat(page(new MadeRun().with(run -> {
            run.lost = 37;
            run.failures = List.of(new Finding.Lost(37, true, Duration.ofSeconds(10)));
        }))).contains("37 / 0", "\"bad\"");
    }

    @Test
    void aBrokerThatWasTheLimitIsNotTakenForTheGenerator() throws Exception {
        assertThat(words(page(new MadeRun().with(run -> run.doubts = missed(Finding.Blame.SLOW_BROKER)))))
            .contains("Nothing speaks against the generator.", "because the broker confirmed too slowly")
            .doesNotContain("may have been the limit");
        assertThat(words(page(new MadeRun().with(run -> run.doubts = missed(Finding.Blame.SLOW_SENDERS)))))
            .contains("The generator may have been the limit.");
    }

    /** These doubts concern the workload that was asked for: no warm-up, or producers that pause. */
    @Test
    void aColdStartAndProducersThatRestAreNotTakenForTheGenerator() throws Exception {
        for (List<Finding.Doubt> doubts : List.of(List.<Finding.Doubt>of(new Finding.ColdStart(80, 2, 3, true)),
            missed(Finding.Blame.PRODUCERS_RESTED))) {
            assertThat(words(page(new MadeRun().with(run -> run.doubts = doubts)))).contains("Passed, but doubtful")
                .doesNotContain("may have been the limit");
        }
        assertThat(words(page(new MadeRun().with(run -> run.doubts = List.of(new Finding.ColdStart(80, 2, 3, true),
            new Finding.CpuStolen(12.2)))))).contains("The generator may have been the limit.");
    }

    @Test
    void theNameOfAnAgentKeepsItsSmallLetter() throws Exception {
        assertThat(words(page(new MadeRun().with(run -> run.doubts =
            List.of(new Finding.DoubtOfAgent("db-a", new Finding.CpuStolen(12.2))))))).contains("db-a: a hypervisor took 12.2 %")
            .doesNotContain("Db-a");
    }

    private static List<Finding.Doubt> missed(Finding.Blame blame) {
        return List.of(new Finding.NotSentInTime(0.67, 670, 1000, new Finding.Reason(blame, 0.9, null)),
            new Finding.MostlyDelay(500, true, null));
    }

    @Test
    void whatCameFromOtherDestinationsIsNotTakenForWhatWasExpected() throws Exception {
        assertThat(words(page(new MadeRun().with(run -> run.others = 400)))).contains("nothing lost or duplicated of what was expected",
            "of 20,000 expected; 400 came from other destinations", "20,000 expected = 20,400 received − 400 from other destinations.");
    }

    /** The producers send 1,000 messages a second, 100 of which have a schedule. */
    @Test
    void whatSomeProducersWereAskedForIsNotComparedWithWhatAllSent() throws Exception {
        Path run = new MadeRun().with(one -> one.asked = 100).in(directory.resolve("run"));
        assertThat(words(HtmlReport.of(StoredRun.read(run)))).contains("✓ Passed: 1,000/s, response time p99 ",
            "Sent a second 1,000/s ✓ 100/s of 100/s asked of producers with a schedule, 100 % sent in time");
    }

    /** Nothing was counted in bytes here; a run with them has a rate of them. */
    @Test
    void theRateOfBytesStandsBesideThatOfMessages() throws Exception {
        Path run = new MadeRun().in(directory.resolve("run"));
        Path result = run.resolve("result.json");
        String text = Files.readString(result);
        assertThat(words(HtmlReport.of(StoredRun.read(run)))).contains("Sent a second 1,000/s").doesNotContain("MB/s");
        Files.writeString(result, text.replaceFirst("\"measuredSentBytesPerSecond\": *0", "\"measuredSentBytesPerSecond\":2500000"));
        assertThat(words(HtmlReport.of(StoredRun.read(run)))).contains("Sent a second 1,000/s ✓ 2.5 MB/s; of 1,000/s asked");
    }

    /** The intervals contain how much was sent, but not how much of it was sent in time. */
    @Test
    void theRateOfARunThatDidNotEndIsNeitherGoodNorBad() throws Exception {
        Path run = new MadeRun().with(one -> one.finished = false).in(directory.resolve("run"));
        Path environment = run.resolve("environment.json");
        Files.writeString(environment, Files.readString(environment).replaceFirst("\\{", "{\"workload\": {\"ratePerSecond\": 5000},"));
        assertThat(HtmlReport.of(StoredRun.read(run))).contains("of 5,000/s asked", "class=\"tile none\" id=\"tile-rate\"");
        assertThat(HtmlReport.of(StoredRun.read(new MadeRun().in(directory.resolve("kept")))))
            .contains("class=\"tile good\" id=\"tile-rate\"");
        assertThat(HtmlReport.of(StoredRun.read(new MadeRun().with(one -> one.late = 1000).in(directory.resolve("missed")))))
            .contains("class=\"tile bad\" id=\"tile-rate\"");
    }

    @Test
    void whatIsNotKnownOfTheEnvironmentIsSaidAsEverywhere() throws Exception {
        Path run = new MadeRun().in(directory.resolve("run"));
        Files.writeString(run.resolve("environment.json"), "{\"format\": 2, \"workload\": {\"durationSeconds\": null, "
            + "\"ratePerSecond\": 200}}");
        assertThat(words(HtmlReport.of(StoredRun.read(run)))).contains("workload: durationSeconds n/a", "workload: ratePerSecond 200 ")
            .doesNotContain(" null ");
    }

    @Test
    void whatAPhaseReceivedInTheDrainIsNotDividedByTheTimeBeforeIt() throws Exception {
        Path run = new MadeRun().in(directory.resolve("run"));
        Path result = run.resolve("result.json");
        Files.writeString(result, Files.readString(result).replace("\"phases\":[]", "\"phases\":["
            + "{\"name\":\"earlier\",\"seconds\":10.0,\"sent\":5000,\"received\":2000,\"times\":{}},"
            + "{\"name\":\"last\",\"seconds\":10.0,\"receivingSeconds\":12.5,\"sent\":1000,\"received\":4000,\"times\":{}}]"));
        assertThat(words(HtmlReport.of(StoredRun.read(run)))).contains("earlier 10.0 s 500/s 200/s", "last 10.0 s 100/s 320/s");
    }

    private static String words(String page) {
        return page.replaceAll("<(style|script)[^>]*>.*?</\\1>".replace(".*?", "[\\s\\S]*?"), "").replaceAll("<[^>]+>", " ")
            .replaceAll("\\s+", " ");
    }

    @Test
    void aScorecardIsReadWithoutScripts() throws Exception {
        assertThat(words(page(new MadeRun().with(MadeFault::in)))).contains("RECOVERED from 1,000/s, fault at 8.00 s.",
            "longest without a delivery 2.70 s", "no confirmed send for 2.50 s 8.000 s 10.500 s -0.004 s",
            "fault 2: pause broker 15.000 s the end");
        assertThat(words(page(new MadeRun()))).doesNotContain("Scorecard");
    }

    @Test
    void eachFaultOfATimeLineHasItsMomentsAndTimes() throws Exception {
        assertThat(words(page(new MadeRun().with(MadeFault::twice)))).contains(
            "2 faults were made, and all of them are marked. Each has times of its own.",
            "first fault fault at 14.0 s: recovered", "longest without a delivery 2.70 s 1.30 s", "confirmed and lost 5",
            "fault 1: kill broker, for 2.00 s 8.004 s 10.004 s 0.000 s noticed after 12.0 ms",
            "backlog gone in 750 ms 10.600 s 11.350 s 2.596 s fault 2: pause broker, for 1.00 s 14.000 s 15.000 s 0.000 s",
            "noticed after 200 ms 14.200 s 0.200 s", "no confirmed send for 1.20 s 13.900 s 15.100 s -0.100 s",
            "no delivery for 1.30 s 13.950 s 15.250 s", "95 % of the rate after 1.10 s 15.100 s",
            "backlog gone in 400 ms 15.250 s 15.650 s");
    }

    @Test
    void aFaultHasItsNumberOnTheTimeLine() throws Exception {
        assertThat(words(page(new MadeRun().with(MadeFault::outOfOrder)))).contains("fault 2: kill broker, for 2.00 s 8.004 s",
            "fault 1: pause broker 15.000 s the end");
    }

    @Test
    void thePictureIsNamedByAllFaultsThatItShows() throws Exception {
        assertThat(page(new MadeRun().with(MadeFault::twice))).contains("Messages a second around the faults");
        assertThat(page(new MadeRun().with(MadeFault::forGood))).contains("Messages a second around the fault")
            .doesNotContain("around the faults");
    }

    @Test
    void whatDidNotComeBackLastsToTheEnd() throws Exception {
        assertThat(words(page(new MadeRun().with(MadeFault::forGood))))
            .contains("NOT RECOVERED from 1,000/s", "no confirmed send to the end 8.000 s the end",
                "fault: kill broker 8.004 s the end", "from the fault to 95 % of the rate never")
            .doesNotContain("NaN", "faults were made");
    }

    @Test
    void aFaultBeforeAnythingWasConfirmedIsNotJudged() throws Exception {
        assertThat(words(page(new MadeRun().with(MadeFault::tooEarly))))
            .contains("NOT JUDGED: nothing was confirmed before the fault at 8.00 s.", "fault: kill broker 8.004 s the end",
                "until a client noticed 12.0 ms")
            .doesNotContain("NaN", "RECOVERED", "no confirmed send", "95 %", "never");
    }

    @Test
    void aWindowIsReadWithoutScripts() throws Exception {
        String text = words(HtmlReport.of(StoredSweep.read(MadeWindow.in(directory.resolve("window")))));
        assertThat(text).contains("Found: the producer has at most 60 messages under way",
            "1 KiB 50.0 ms producer-window 60 → 240 4,800/s 4.00 times",
            "Nothing limits the consumer");
    }

    @Test
    void aRateThatFallsUnexplainedIsNotCalledUnlimited() throws Exception {
        Path window = MadeWindow.in(directory.resolve("window"));
        Path file = window.resolve(StoredSweep.WINDOW);
        Files.writeString(file, Files.readString(file).replace("\"limit\":\"nothing\"", "\"limit\":null,\"unexplained\":true"));
        assertThat(words(HtmlReport.of(StoredSweep.read(window))))
            .contains("under way and no window explains how the rate of the consumer falls over distance.")
            .doesNotContain("no window limits");
    }

    /** Earlier versions wrote the limit {@code nothing} in this case. */
    @Test
    void aRateThatFallsToLessThanHalfIsNotLimitedByNothing() throws Exception {
        Path window = MadeWindow.in(directory.resolve("window"));
        Path file = window.resolve(StoredSweep.WINDOW);
        Files.writeString(file, Files.readString(file).replace("\"limit\":\"nothing\"", "\"limit\":\"nothing\",\"leastShareOfRate\":0.4"));
        assertThat(words(HtmlReport.of(StoredSweep.read(window))))
            .contains("Not known: ", "no window explains how the rate of the consumer falls over distance.")
            .doesNotContain("no window limits", "90 % sure");
    }

    @Test
    void aWindowOfLessThanAMessageIsNotRounded() throws Exception {
        Path window = MadeWindow.in(directory.resolve("window"));
        Path file = window.resolve(StoredSweep.WINDOW);
        String small = Files.readString(file).replace("60 messages\"", "0.78 messages\"").replace("59.94", "0.7797");
        Files.writeString(file, small);
        assertThat(data(HtmlReport.of(StoredSweep.read(window)))).contains("window found: 0.78 messages");
        Files.writeString(file, small.replace("\"limit\":\"messages\"", "\"limit\":\"either\""));
        assertThat(data(HtmlReport.of(StoredSweep.read(window)))).contains("window found: 0.78 messages");
    }

    /** Returns the decompressed data of the charts of a page. */
    private static String data(String page) throws Exception {
        String start = "id=\"data\">";
        int from = page.indexOf(start) + start.length();
        byte[] packed = Base64.getDecoder().decode(page.substring(from, page.indexOf('<', from)));
        try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(packed), new Inflater(true))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Without an answer, a search for a window is a sweep like any other. */
    @Test
    void aWindowWithoutAnAnswerIsASweep() throws Exception {
        Path window = MadeWindow.in(directory.resolve("window"));
        Files.delete(window.resolve(StoredSweep.WINDOW));
        assertThat(words(HtmlReport.of(StoredSweep.read(window)))).contains("brokermeter sweep",
            "The sweep was cut off: 1 of 4 trials has no result.");
        Files.writeString(window.resolve(StoredSweep.WINDOW), "{\"answers\":[");
        assertThat(words(HtmlReport.of(StoredSweep.read(window)))).contains("brokermeter sweep");
    }

    @Test
    void aWindowThatWasInterruptedWasCutOffThoughItHasAnswers() throws Exception {
        Path window = MadeWindow.in(directory.resolve("interrupted"));
        Path plan = window.resolve(StoredSweep.SWEEP);
        String text = Files.readString(plan);
        int third = text.indexOf("\"number\":3");
        Files.writeString(plan, text.substring(0, third) + text.substring(third).replaceFirst("passed", "interrupted"));
        StoredSweep sweep = StoredSweep.read(window);
        assertThat(sweep.notes()).containsExactly("The sweep was cut off: 2 of 4 trials have no result.");
        assertThat(sweep.missing()).isEqualTo(2);
        assertThat(words(HtmlReport.of(sweep))).contains("The sweep was cut off");
    }

    /** A comparison that has its answer needs no further trials, so it was not cut off. */
    @Test
    void aComparisonThatIsOverIsNotCutOff() throws Exception {
        Path sweep = MadeWindow.in(directory.resolve("over"));
        Files.delete(sweep.resolve(StoredSweep.WINDOW));
        Path plan = sweep.resolve(StoredSweep.SWEEP);
        Files.writeString(plan, Files.readString(plan).replaceFirst("\\{",
            "{\"comparison\":{\"ended\":\"The interval is narrow enough.\"},"));
        assertThat(words(HtmlReport.of(StoredSweep.read(sweep)))).contains("✓ Passed: 3 of 4 trials passed and 1 was not needed.")
            .doesNotContain("Cut off");
    }

    @Test
    void aComparisonThatHadNoMoreTimeIsNotCutOff() throws Exception {
        Path place = MadeWindow.in(directory.resolve("paused"));
        Files.delete(place.resolve(StoredSweep.WINDOW));
        Path plan = place.resolve(StoredSweep.SWEEP);
        Files.writeString(plan, Files.readString(plan).replaceFirst("\\{",
            "{\"comparison\":{\"ended\":\"\",\"paused\":\"The time was up after 1 pair.\"},"));
        StoredSweep sweep = StoredSweep.read(place);
        assertThat(sweep.notes()).containsExactly("The time was up after 1 pair. 1 of 4 trials has no result.");
        assertThat(sweep.missing()).isZero();
        assertThat(words(HtmlReport.of(sweep))).contains("✓ Passed: 3 of 4 trials passed and 1 was not run.").doesNotContain("ut off");
    }

    @Test
    void aSweepSaysWhichTrialsMissedAThreshold() throws Exception {
        Path sweep = MadeWindow.in(directory.resolve("missed"));
        Files.delete(sweep.resolve(StoredSweep.WINDOW));
        Path trial = sweep.resolve(StoredSweep.TRIALS).resolve("001");
        new MadeRun().in(trial);
        Path result = trial.resolve("result.json");
        Files.writeString(result, Files.readString(result).replaceFirst("\"thresholds\":\\[]",
            "\"thresholds\":[{\"expression\":\"lost == 0\",\"passed\":false,\"sentence\":\"lost == 0: it is 1\"}]"));
        Path plan = sweep.resolve(StoredSweep.SWEEP);
        Files.writeString(plan, Files.readString(plan).replace("waiting", "passed"));
        assertThat(words(HtmlReport.of(StoredSweep.read(sweep)))).contains(
            "✗ Threshold missed: 4 of 4 trials passed and 1 misses a threshold.",
            "✗ threshold missed");
    }

    /** Creates a sweep of four trials that passed. The first has a result of its own, to which {@code change} is applied. */
    private Path sweep(String name, UnaryOperator<String> change) throws Exception {
        Path sweep = MadeWindow.in(directory.resolve(name));
        Files.delete(sweep.resolve(StoredSweep.WINDOW));
        Path trial = sweep.resolve(StoredSweep.TRIALS).resolve("001");
        new MadeRun().in(trial);
        Path result = trial.resolve("result.json");
        Files.writeString(result, change.apply(Files.readString(result)));
        Path plan = sweep.resolve(StoredSweep.SWEEP);
        Files.writeString(plan, Files.readString(plan).replace("waiting", "passed"));
        return sweep;
    }

    @Test
    void aSweepSaysOfWhichConsumersItHasTheRate() throws Exception {
        String said = "received/s is that of the first of them";
        Path several = sweep("several", json -> json.replaceFirst("\"groups\":\\[", "\"groups\":[{\"kind\":\"consumers\",\"name\":\"fast\","
            + "\"messagesPerSecond\":777.0},"));
        String page = HtmlReport.of(StoredSweep.read(several));
        assertThat(words(page)).contains("Most received a second 777/s message.size 100; by the first group of consumers");
        assertThat(data(page) + page).contains(said);
        String one = HtmlReport.of(StoredSweep.read(sweep("one", json -> json)));
        assertThat(data(one) + one).doesNotContain(said, "by the first group");
    }

    /** The tables of the same sweep have the same marks. */
    @Test
    void timesOfATrialInWhichAllThatCameWasOverdueStandMarked() throws Exception {
        Path overdue = sweep("overdue", json -> json.replaceFirst("\"response\":\\{", "\"none\":{").replaceFirst("\\{",
            "{\"timesWithOverdue\":{\"response\":{\"count\":15561,\"p50Micros\":7100000.0,\"p99Micros\":7300000.0}},"));
        new MadeRun().in(overdue.resolve(StoredSweep.TRIALS).resolve("002"));
        String text = HtmlReport.of(StoredSweep.read(overdue));
        assertThat(words(text)).contains("7.10 s* 7.30 s*", "Times with * are with overdue: ")
            .containsPattern("✓ passed 1,000/s 1,000/s 7\\.30 s\\*");
        assertThat(data(text) + text).contains("Times with overdue have no point, and stand below.");
        String due = HtmlReport.of(StoredSweep.read(sweep("due", json -> json)));
        assertThat(data(due) + words(due)).doesNotContain("overdue", "s*");
    }

    /** The figures of a broker are missing while it restarts. */
    @Test
    void aSecondOfWhichTheBrokersCpuIsNotKnownIsNoIdleOne() throws Exception {
        Path run = new MadeRun().with(one -> one.finished = false).in(directory.resolve("unseen"));
        Path intervals = run.resolve("intervals.jsonl");
        Pattern cpu = Pattern.compile("\"cpuPercent\":([0-9.]+)");
        StringBuilder text = new StringBuilder();
        List<Double> known = new ArrayList<>();
        int number = 0;
        for (String line : Files.readAllLines(intervals)) {
            Matcher found = cpu.matcher(line);
            if (number++ % 2 == 0) {
                text.append(found.replaceFirst("\"cpuPercent\":null")).append('\n');
            } else {
                text.append(line).append('\n');
                if (line.contains("\"warmup\":false") && line.endsWith("}") && found.find()) {
                    known.add(Double.parseDouble(found.group(1)));
                }
            }
        }
        Files.writeString(intervals, text);
        double mean = known.stream().mapToDouble(one -> one).average().orElseThrow();
        assertThat(mean).isGreaterThan(30);
        assertThat(StoredRun.read(run).result().broker().cpuPercent()).isCloseTo(mean, within(1e-6));
    }

    @Test
    void fairnessIsJainsIndex() {
        // Jain, Chiu, Hawe 1984: the index of equal shares is 1, and that of one of n that takes all is 1/n.
        assertThat(Fairness.jain(5, 5, 5, 5)).isEqualTo(1);
        assertThat(Fairness.jain(7, 0, 0, 0)).isEqualTo(0.25);
        assertThat(Fairness.jain(1, 2, 3, 4)).isEqualTo(100.0 / 120);
        assertThat(Fairness.jain(0, 0)).isNaN();
    }

    @Test
    void everySampleIsInOneRowOfTheHeatMap() {
        HeatMap heat = new HeatMap(2);
        Histogram micros = new Histogram(3);
        long[] samples = {0, 1, 2, 9, 10, 11, 12, 99, 100, 101, 12_345, 3_600_000_000L};
        for (long sample : samples) {
            micros.recordValue(sample);
            assertThat(HeatMap.row(sample)).isGreaterThanOrEqualTo(0);
        }
        heat.add(1, micros);
        Map<String, Object> json = heat.json();
        List<?> cells = (List<?>) json.get("cells");
        assertThat((List<?>) cells.get(0)).isEmpty();
        List<?> counts = (List<?>) cells.get(1);
        assertThat(counts.subList(1, counts.size()).stream().mapToLong(count -> (Long) count).sum()).isEqualTo(samples.length);
        List<?> edges = (List<?>) json.get("edges");
        assertThat(edges.getFirst()).isEqualTo(0.5);
        assertThat(((Number) edges.getLast()).doubleValue()).isGreaterThan(3.6e9);
    }

    @Test
    void eachPartOfARunIsAPictureWithItsConclusion() throws Exception {
        StoredRun run = StoredRun.read(new MadeRun().with(made -> made.stall = 10).in(directory.resolve("run")));
        for (HtmlReport.Part part : HtmlReport.Part.values()) {
            String svg = HtmlReport.picture(run, part).svg();
            assertThat(svg).as(part.word()).contains("✓ Passed", "1,000/s of 1,000/s asked", ">made · 2026-01-02 03:04:05Z · ")
                .doesNotContain("NaN", "Infinity");
            assertThat(svg.length()).as("size of " + part.word()).isLessThan(200_000);
        }
        assertThat(HtmlReport.picture(run, HtmlReport.Part.PERCENTILES).svg()).contains(">99.9 %<", ">response time<", ">transfer time<",
            ">percentile<");
        assertThat(HtmlReport.picture(run, HtmlReport.Part.COURSE).svg()).contains(">Messages a second<", ">Broker CPU<", ">interrupted<",
            ">Waiting in the broker<");
        Path empty = new MadeRun().with(made -> made.seconds = 0).in(directory.resolve("empty"));
        assertThatThrownBy(() -> HtmlReport.picture(StoredRun.read(empty), HtmlReport.Part.HEAT)).isInstanceOf(UsageException.class)
            .hasMessage("There is nothing to draw: " + empty + " has no times of messages.");
    }

    /** However long the run was, a picture has at most a few hundred columns. */
    @Test
    void thePictureOfAnHourIsSmall() throws Exception {
        MadeRun made = new MadeRun();
        Path hour = made.in(directory.resolve("hour"));
        made.stretch(hour, 3600);
        assertThat(HtmlReport.picture(StoredRun.read(hour), HtmlReport.Part.COURSE).svg()).contains(">1:00:00<").hasSizeLessThan(400_000);
    }

    @Test
    void theSweptKeyIsTheOneWithTheMostNumbers() {
        List<Map<String, String>> points = new ArrayList<>();
        for (String rate : List.of("10k/s", "1k/s", "100k/s")) {
            for (String protocol : List.of("CORE", "AMQP")) {
                Map<String, String> point = new LinkedHashMap<>();
                point.put("protocol", protocol);
                point.put("load.rate", rate);
                points.add(point);
            }
        }
        SweptKey key = SweptKey.of(points);
        assertThat(key.name()).isEqualTo("load.rate");
        assertThat(key.values()).containsExactly("1k/s", "10k/s", "100k/s");
        assertThat(key.places()).containsExactly(3, 4, 5);
        points.forEach(point -> point.put("load.rate", point.get("load.rate").equals("1k/s") ? "unlimited" : point.get("load.rate")));
        assertThat(SweptKey.of(points).values()).containsExactly("10k/s", "unlimited", "100k/s");
        assertThat(SweptKey.of(points).places()).containsExactly(0, 1, 2);
        assertThat(SweptKey.of(List.of(Map.of(), Map.of())).name()).isEmpty();
    }
}
