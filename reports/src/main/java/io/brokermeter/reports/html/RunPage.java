package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.AgentRows;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EndpointRow;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.GeneratorRow;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.ResultDocument.BrokerUsage;
import io.brokermeter.reports.document.ResultDocument.GeneratorUsage;
import io.brokermeter.reports.document.ResultDocument.OneAgent;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Chart.Unit;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.html.chart.Series;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/** The page of one run: its parts and their order. A part for which the run has no data is left out or says so. */
final class RunPage {

    private final StoredRun run;
    private final StoredResult result;
    private final TimeColumns columns;
    private final Latencies latencies;
    private final List<GeneratorRow> generator;
    private final List<EndpointRow> endpoints;

    /** @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read */
    static RunPage of(StoredRun run) {
        return of(run, TimeColumns.MOST);
    }

    /** @param most largest number of columns */
    static RunPage of(StoredRun run, int most) {
        TimeColumns columns = new TimeColumns(run.intervals(), most);
        Latencies latencies = new Latencies(columns);
        run.samples(latencies::add);
        return new RunPage(run, columns, latencies);
    }

    /**
     * @param latencies all samples of the run
     * @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read
     */
    RunPage(StoredRun run, TimeColumns columns, Latencies latencies) {
        this.run = run;
        this.columns = columns;
        this.latencies = latencies.done();
        this.result = run.result();
        this.generator = run.generator();
        this.endpoints = run.endpoints();
    }

    Page page() {
        RunFacts facts = new RunFacts(run);
        Page page = new Page("run", title(), subtitle(), facts.conclusion());
        facts.tiles().forEach(page::tile);
        page.course(new Course(columns.edges(), marks(), bands()));
        course(page);
        new FaultPart(run).addTo(page, columns);
        thresholds(page);
        events(page);
        percentiles(page);
        whereTheTimeWent(page);
        bothSides(page);
        ledger(page);
        new Fairness(endpoints).addTo(page);
        agents(page);
        phases(page);
        environment(page);
        return page;
    }

    private String name() {
        return result.document().name().isBlank() ? run.directoryName() : result.document().name();
    }

    /** Returns what was measured: {@code CORE on Artemis 2.56.0: 2,000/s of 1 KiB}; of a run that has not ended what takes part. */
    private String title() {
        String protocols = result.document().groups().stream().map(ResultDocument.Group::protocol).distinct()
            .collect(Collectors.joining(" and "));
        if (protocols.isEmpty()) {
            return new ResultWords(result).what();
        }
        EnvironmentDocument.Workload workload = run.environment().workload();
        double asked = Double.isFinite(workload.ratePerSecond()) ? workload.ratePerSecond() : result.generator().askedPerSecond();
        String load = asked > 0 ? Amounts.rate(asked) : "unlimited".equals(workload.load()) ? "as fast as possible" : "";
        String size = workload.messageBytes() == null ? "" : (load.isEmpty() ? "messages of " : " of ")
            + Amounts.bytes(workload.messageBytes());
        return protocols + (result.brokerVersion().isEmpty() ? "" : " on " + result.brokerVersion())
            + (load.isEmpty() && size.isEmpty() ? "" : ": " + load + size);
    }

    private String subtitle() {
        List<String> parts = new ArrayList<>(List.of(name()));
        if (result.document().start() != null) {
            parts.add(result.document().start().replaceFirst("\\.\\d+Z$", "Z").replace('T', ' '));
        }
        double elapsed = result.number(ResultField.ELAPSED);
        if (Double.isFinite(elapsed)) {
            parts.add(Amounts.seconds(elapsed));
        }
        labels(parts, run.labels());
        return String.join(" · ", parts);
    }

    /** Adds the labels of the user, and the commit in its short form. */
    static void labels(List<String> parts, Map<String, String> labels) {
        labels.forEach((label, value) -> {
            if (!label.startsWith("git.")) {
                parts.add(label + "=" + value);
            }
        });
        String commit = labels.getOrDefault("git.commit", "");
        if (!commit.isEmpty()) {
            parts.add("commit " + commit.substring(0, Math.min(10, commit.length()))
                + ("true".equals(labels.get("git.changes")) ? " with changes" : ""));
        }
    }

    // ---- the course of the run ----

    private void course(Page page) {
        if (columns.count() == 0) {
            page.section("course", "Course of the run")
                .add(new Markup().element("p", "The run has no interval, so there is nothing to draw.", "class", "empty")).end();
            return;
        }
        String each = columns.each() == 1 ? "" : " Each column is " + columns.each() + " intervals.";
        page.section("course", "Course of the run");
        page.chart(Chart.ofTime("rate", "Messages a second", "", Unit.PER_SECOND, 105, rates()));
        Metric main = latencies.main();
        if (main != null) {
            String words = main.words();
            HeatMap heat = latencies.heat(main);
            Chart chart = Chart.ofTime("heat", Character.toUpperCase(words.charAt(0)) + words.substring(1) + " of every message",
                "Colour is how many, on a logarithmic scale." + each, Unit.MICROS, 250,
                List.of(Series.line("p50", 0, latencies.percentile(main, 0)), Series.line("p99", 1, latencies.percentile(main, 2)),
                    // The cells of the heat map show it; a line would cover them.
                    Series.line("max", 2, latencies.most(main)).as(Series.Form.HIDDEN)))
                .onLogarithm();
            page.chart(heat == null ? chart : chart.with(heat));
        } else {
            page.add(new Markup().element("p", "No message was timed, so there are no latencies to draw.", "class", "empty"));
        }
        page.chart(Chart.ofTime("broker-cpu", "Broker CPU", "100 % is one core.", Unit.PERCENT, 85,
            List.of(Series.line("broker", 3, columns.means(one -> one.broker("cpuPercent"))))));
        page.chart(Chart.ofTime("depth", "Waiting in the broker", "", Unit.COUNT, 85,
            List.of(Series.line("messages", 4, columns.most(one -> one.broker("depthMessages"))))));
        page.end();
    }

    private List<Series> rates() {
        List<Series> all = new ArrayList<>();
        all.add(Series.line("sent", 0, columns.means(StoredInterval::sentPerSecond)));
        all.add(Series.line("received", 1, columns.means(StoredInterval::receivedPerSecond)));
        double[] failed = columns.perSecond(one -> one.document().failedMessages());
        if (Arrays.stream(failed).anyMatch(value -> value > 0)) {
            all.add(Series.line("failed", 2, failed));
        }
        return all;
    }

    /** Returns the moments of events that explain a line. */
    private List<Course.Mark> marks() {
        return run.events().stream()
            .filter(event -> Double.isFinite(event.elapsedSeconds()) && !List.of("notice", "unseen", "phase").contains(event.kind()))
            .map(event -> new Course.Mark(event.elapsedSeconds(), event.kind(), event.sentence())).toList();
    }

    /** Returns the parts of the run with a name: the warm-up and the phases. */
    private List<Course.Band> bands() {
        List<Course.Band> all = new ArrayList<>();
        String name = "";
        double from = 0;
        double to = 0;
        for (StoredInterval one : run.intervals()) {
            String now = one.warmup() ? "warm-up" : one.phase();
            if (!now.equals(name)) {
                band(all, name, from, to);
                name = now;
                from = Math.max(0, one.elapsedSeconds() - one.seconds());
            }
            to = one.elapsedSeconds();
        }
        band(all, name, from, to);
        return all;
    }

    private static void band(List<Course.Band> all, String name, double from, double to) {
        if (!name.isEmpty() && to > from) {
            all.add(new Course.Band(from, to, name));
        }
    }

    private void thresholds(Page page) {
        if (result.thresholds().isEmpty()) {
            return;
        }
        Table table = new Table("thresholds-table", "threshold", "met", "");
        result.thresholds().forEach(one -> table.row(one.expression(), !one.judged() ? "? not judged" : one.passed() ? "✓ yes" : "✗ no",
            one.sentence()));
        page.section("thresholds", "Thresholds").add(table.markup()).end();
    }

    private void events(Page page) {
        if (run.events().isEmpty()) {
            return;
        }
        Table table = new Table("events-table", "after", "what", "");
        run.events()
            .forEach(event -> table.row(String.format(Locale.ROOT, "%.3f s", event.elapsedSeconds()), event.kind(), event.sentence()));
        page.section("events", "What happened").add(table.markup()).end();
    }

    // ---- times ----

    private void percentiles(Page page) {
        Metric main = latencies.main();
        if (main == null) {
            return;
        }
        page.section("percentiles", "Latency");
        List<Series> lines = new ArrayList<>();
        for (int p = 0; p < Latencies.PERCENTILES.length; p++) {
            lines.add(Series.line(Latencies.NAMES[p], p, latencies.percentile(main, p)));
        }
        lines.add(Series.line("max", 4, latencies.most(main)));
        String words = main.words();
        page.chart(Chart.ofTime("over-time", "Percentiles of the " + words + " over time", "Where at least ten samples lie beyond.",
            Unit.MICROS, 220, lines).onLogarithm());
        page.chart(PercentilePlot.of(latencies));
        floors(page);
        page.end();
    }

    /** Adds what the generator's own stalls alone would have made of the percentiles that they explain. */
    private void floors(Page page) {
        Table table = new Table("own-stalls", "explained by the generator's own stalls", "value", "own stalls alone");
        for (Metric metric : Metric.values()) {
            result.marked(metric).forEach(part -> table.row(metric.words() + " " + part, Amounts.time(result.micros(metric, part)),
                Amounts.time(result.ownMicros(metric, part))));
        }
        page.add(table.markup());
    }

    private void whereTheTimeWent(Page page) {
        Markup parts = new TimeParts(result, run.environment().workload().processingMeanMicros()).markup();
        if (parts.isEmpty()) {
            return;
        }
        page.section("time", "Where the time went").add(parts);
        List<Series> lines = new ArrayList<>();
        int style = 0;
        for (Metric metric : List.of(Metric.SEND_DELAY, Metric.SEND, Metric.TRANSFER, Metric.HANDLER)) {
            if (latencies.has(metric)) {
                lines.add(Series.line(metric.words() + " p50", style, latencies.percentile(metric, 0)));
            }
            style++;
        }
        page.chart(Chart.ofTime("parts", "Medians of the parts over time", "", Unit.MICROS, 180, lines).onLogarithm()).end();
    }

    // ---- both sides ----

    private void bothSides(Page page) {
        page.section("sides", "Both sides");
        page.chart(Chart.ofTime("cpu", "CPU", "100 % is one core.", Unit.PERCENT, 140,
            List.of(Series.line("generator", 0, ofGenerator(GeneratorRow::cpuPercent, Amount.MEAN)),
                Series.line("broker", 3, columns.means(one -> one.broker("cpuPercent"))))));
        page.chart(Chart.ofTime("memory", "Memory", "", Unit.BYTES, 160,
            List.of(Series.line("generator resident", 0, ofGenerator(GeneratorRow::residentBytes, Amount.MOST)),
                Series.line("generator heap", 5, ofGenerator(GeneratorRow::heapUsedBytes, Amount.MOST)),
                Series.line("broker resident", 3, columns.most(one -> one.broker("residentBytes"))),
                Series.line("broker heap", 1, columns.most(one -> one.broker("heapUsedBytes"))))));
        page.chart(Chart.ofTime("gc", "Garbage collection", "Time of all pauses.", Unit.MILLIS_PER_SECOND, 120,
            List.of(Series.line("generator", 0, ofGenerator(GeneratorRow::gcPauseMillis, Amount.PER_SECOND)),
                Series.line("broker", 3, columns.perSecond(one -> one.broker("gcPauseMillis"))))));
        sidesTable(page);
        page.end();
    }

    private enum Amount {
        MEAN, MOST, PER_SECOND
    }

    /** Returns the usage of the generator for each column. */
    private double[] ofGenerator(ToDoubleFunction<GeneratorRow> figure, Amount amount) {
        double[] sums = new double[columns.count()];
        double[] weights = new double[columns.count()];
        for (GeneratorRow row : generator) {
            double value = figure.applyAsDouble(row);
            double seconds = row.seconds();
            double at = row.elapsedSeconds();
            if (columns.count() == 0 || !Double.isFinite(value) || !(seconds > 0) || !Double.isFinite(at)) {
                continue;
            }
            int column = columns.at(at - Math.min(seconds, at) / 2);
            switch (amount) {
                case MEAN -> sums[column] += value * seconds;
                case MOST -> sums[column] = Math.max(sums[column], value);
                case PER_SECOND -> sums[column] += value;
            }
            weights[column] += seconds;
        }
        for (int c = 0; c < sums.length; c++) {
            sums[c] = weights[c] == 0 ? Double.NaN : amount == Amount.MOST ? sums[c] : sums[c] / weights[c];
        }
        return sums;
    }

    private void sidesTable(Page page) {
        GeneratorUsage generator = result.generator();
        BrokerUsage broker = result.broker();
        Table table = new Table("sides-table", "", "generator", "broker");
        table.known("CPU time", Amounts.seconds(generator.cpuSeconds()),
            Amounts.seconds(broker.cpuSeconds()));
        table.known("CPU a message", Amounts.time(result.number(ResultField.CPU_PER_MESSAGE)),
            Amounts.time(result.number(ResultField.BROKER_CPU_PER_MESSAGE)));
        table.known("most memory", Amounts.bytes(generator.residentBytes()),
            Amounts.bytes(result.number(ResultField.BROKER_MEMORY_MAX)));
        table.known("garbage collections", Amounts.count(generator.gcPauses()),
            Amounts.count(broker.gcPauses()));
        table.known("time in them", Amounts.time(generator.gcPauseMillis() * 1e3),
            Amounts.time(broker.gcPauseMillis() * 1e3));
        table.known("machine busy", Amounts.percent(generator.machineBusyPercent()), Amounts.UNKNOWN);
        table.known("lateness of sending threads p99", Amounts.time(generator.lateness99Millis() * 1e3), Amounts.UNKNOWN);
        ResultDocument.Tick tick = generator.tick();
        table.known("wait for the tick, mean", Amounts.time(tick == null ? Double.NaN : tick.waitMeanMicros()), Amounts.UNKNOWN);
        table.known("longest hiccup", Amounts.time(generator.hiccupMaxMillis() * 1e3), Amounts.UNKNOWN);
        page.add(table.markup());
    }

    // ---- counts ----

    private void ledger(Page page) {
        page.section("ledger", "Ledger").add(new LedgerPart(result).markup()).end();
    }

    /** Adds the agents side by side, and how evenly messages were spread over them. */
    private void agents(Page page) {
        List<List<String>> rows = AgentRows.of(result);
        if (rows.isEmpty()) {
            return;
        }
        Table table = new Table("agents-table", AgentRows.HEAD.toArray(String[]::new));
        rows.forEach(row -> table.row(row.toArray(String[]::new)));
        Table even = new Table("agents-fairness-table", "", "agents", "least", "most", "Jain's index");
        evenness(even, "Sent by a producer", OneAgent::sent, OneAgent::producers);
        evenness(even, "Received by a consumer", OneAgent::received, OneAgent::consumers);
        page.section("agents", "Agents")
            .add(new Markup().element("p",
                "Each ran some of the producers and consumers. CPU is a share of one processor. Clock is the agent's minus the "
                    + "coordinator's at the end, right to what stands beside it; start is how much later than the common start its first sending thread began.",
                "class", "note"))
            .add(table.markup()).add(even.markup()).end();
    }

    private void evenness(Table even, String what, ToDoubleFunction<OneAgent> messages, ToDoubleFunction<OneAgent> endpoints) {
        double[] each = result.document().agents().stream().filter(agent -> agent.lost() == null && endpoints.applyAsDouble(agent) > 0)
            .mapToDouble(agent -> messages.applyAsDouble(agent) / endpoints.applyAsDouble(agent)).sorted().toArray();
        if (each.length > 1) {
            double jain = Fairness.jain(each);
            even.row(what, Amounts.count(each.length), Amounts.count(each[0]), Amounts.count(each[each.length - 1]),
                Double.isNaN(jain) ? Amounts.UNKNOWN : String.format(Locale.ROOT, "%.4f", jain));
        }
    }

    private void phases(Page page) {
        if (result.document().phases().isEmpty()) {
            return;
        }
        Table table = new Table("phases-table", "phase", "seconds", "sent/s", "received/s", "response p50", "response p99", "send ack p99");
        for (ResultDocument.Phase phase : result.document().phases()) {
            StoredResult times = StoredResult.timesOf(phase);
            table.row(phase.name(), Amounts.seconds(phase.seconds()), Amounts.rate(phase.sentPerSecond()),
                Amounts.rate(phase.receivedPerSecond()), Amounts.time(times.micros(Metric.RESPONSE, "p50")),
                Amounts.time(times.micros(Metric.RESPONSE, "p99")), Amounts.time(times.micros(Metric.SEND, "p99")));
        }
        page.section("phases", "Phases").add(table.markup()).end();
    }

    // ---- to do it again ----

    private static String text(@Nullable Object value) {
        return value == null ? Amounts.UNKNOWN : String.valueOf(value);
    }

    private void environment(Page page) {
        page.section("environment", "Environment and scenario");
        Table table = new Table("environment-table", "", "");
        DocumentJson.tree(run.environment()).forEach((name, value) -> {
            if (name.endsWith("Bytes") && value instanceof Number bytes) {
                table.row(name, Amounts.bytes(bytes.doubleValue()));
            } else if (value instanceof Map<?, ?> map) {
                map.forEach((key, one) -> table.row(name + ": " + key, text(one)));
            } else if (value instanceof List<?> list) {
                table.row(name, Sentences.list(list.stream().map(RunPage::text).toList()));
            } else {
                table.row(name, text(value));
            }
        });
        page.add(table.markup());
        run.scenario().ifPresent(scenario -> page.add(new Markup().open("div", "class", "copy")
            .element("button", "Copy", "type", "button", "data-copy", "scenario").element("h3", "scenario.yaml").close("div")
            .element("pre", scenario, "id", "scenario", "tabindex", "0").line()));
        page.end();
    }
}
