package io.brokermeter.reports.formats;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.stored.StoredTrial;

/**
 * Formats runs and sweeps as test cases in the XML of Ant's JUnit task, which build servers read: a run is a case, and so is each of its
 * thresholds and each trial of a sweep. A failed case is a failure with its causes, one that was cut off is an error, and one that did
 * not run, or that says nothing about the broker, is skipped.
 */
public final class JUnitXml {

    /**
     * A test case.
     *
     * @param seconds duration in seconds; NaN if it is unknown
     * @param outcome {@code failure}, {@code error}, {@code skipped}, or empty for one that passed
     * @param causes reasons of the outcome, one sentence each
     * @param output further sentences
     */
    public record Case(String suite, String name, double seconds, String outcome, List<String> causes, List<String> output) {

        public Case {
            causes = List.copyOf(causes);
            output = List.copyOf(output);
        }
    }

    private static final String NOT_JUDGED = "not judged";

    private JUnitXml() {}

    public static String of(StoredRun run) {
        StoredResult result = run.result();
        List<Case> cases = new ArrayList<>();
        cases.add(run(run, run.title(), "run"));
        cases.addAll(thresholds(run.title(), "", result));
        return text(run.directoryName(), Objects.requireNonNullElse(result.document().start(), ""), properties(run.labels(), result),
            cases);
    }

    /**
     * Returns the document of a run that is over.
     *
     * @param title title of the run
     */
    public static String of(String title, StoredResult result) {
        List<String> output = result.doubts().stream().map(doubt -> "doubt: " + doubt).toList();
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(title, "run", result.number(ResultField.ELAPSED), outcome(result), causes(result), output));
        cases.addAll(thresholds(title, "", result));
        return text(title, Objects.requireNonNullElse(result.document().start(), ""), properties(Map.of(), result), cases);
    }

    /** @param of prefix of the names, empty for none */
    private static List<Case> thresholds(String title, String of, StoredResult result) {
        return result.thresholds().stream().map(one -> new Case(title, of + "threshold " + one.expression(), Double.NaN,
            !one.judged() ? "skipped" : one.passed() ? "" : "failure",
            !one.judged() ? List.of(NOT_JUDGED + ": " + one.sentence()) : one.passed() ? List.of() : List.of(one.sentence()), List.of()))
            .toList();
    }

    /** Returns the outcome of a run that is over. */
    private static String outcome(StoredResult result) {
        return result.isInvalid() ? "skipped" : result.success() ? "" : "failure";
    }

    private static List<String> causes(StoredResult result) {
        return result.isInvalid() ? Stream.concat(Stream.of(NOT_JUDGED + ": the generator was measured, not the broker"),
            Stream.concat(result.causes().stream(), result.doubts().stream())).toList() : result.causes();
    }

    public static String of(StoredSweep sweep) {
        boolean repeats = sweep.trials().stream().anyMatch(trial -> trial.round() > 1);
        List<Case> cases = new ArrayList<>();
        for (StoredTrial trial : sweep.trials()) {
            String variant = trial.variant(repeats);
            String name = "trial " + trial.number() + (variant.isEmpty() ? "" : ": " + variant);
            StoredRun run = trial.run().orElse(null);
            if (trial.isDone() && run != null && run.state() == StoredRun.State.ENDED) {
                Case own = run(run, trial.experiment(), name);
                boolean judged = !run.result().isInvalid();
                cases.add(new Case(own.suite(), own.name(), own.seconds(), judged ? outcome(trial) : own.outcome(),
                    judged ? trial.causes() : own.causes(), own.output()));
                cases.addAll(thresholds(trial.experiment(), name + ", ", run.result()));
            } else {
                cases.add(new Case(trial.experiment(), name, Double.NaN, outcome(trial), trial.causes(), List.of()));
            }
        }
        return text(String.valueOf(sweep.directory().toAbsolutePath().normalize().getFileName()),
            Objects.requireNonNullElse(sweep.document().started(), ""), sweep.labels(), cases);
    }

    private static String outcome(StoredTrial trial) {
        return switch (trial.state()) {
            case "passed" -> "";
            case "failed" -> "failure";
            case "waiting" -> "skipped";
            default -> "error";
        };
    }

    private static Case run(StoredRun run, String suite, String name) {
        StoredResult result = run.result();
        List<String> output = new ArrayList<>(List.of(Headline.of(run)));
        result.doubts().forEach(doubt -> output.add("doubt: " + doubt));
        String outcome = run.state() != StoredRun.State.ENDED ? "error" : outcome(result);
        List<String> causes = run.state() == StoredRun.State.RUNNING ? List.of("The run goes on.") : causes(result);
        return new Case(suite, name, result.number(ResultField.ELAPSED), outcome, causes, output);
    }

    private static Map<String, String> properties(Map<String, String> labels, StoredResult result) {
        Map<String, String> all = new LinkedHashMap<>(labels);
        result.document().versions().forEach((name, version) -> all.put("version " + name, version));
        return all;
    }

    /**
     * Returns the whole document.
     *
     * @param start start of the suite in ISO 8601; empty if it is unknown
     * @param properties properties of the suite, by name
     */
    public static String text(String name, String start, Map<String, String> properties, List<Case> cases) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
            text.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
            begin(xml, 0, "testsuites");
            begin(xml, 1, "testsuite");
            xml.writeAttribute("name", "brokermeter " + clean(name));
            xml.writeAttribute("tests", Integer.toString(cases.size()));
            for (String outcome : List.of("failure", "error", "skipped")) {
                xml.writeAttribute(outcome.equals("skipped") ? outcome : outcome + "s",
                    Long.toString(cases.stream().filter(one -> one.outcome().equals(outcome)).count()));
            }
            xml.writeAttribute("time", seconds(cases.stream().mapToDouble(Case::seconds).filter(Double::isFinite).sum()));
            if (!start.isEmpty()) {
                xml.writeAttribute("timestamp", clean(start));
            }
            if (!properties.isEmpty()) {
                begin(xml, 2, "properties");
                for (Map.Entry<String, String> one : properties.entrySet()) {
                    begin(xml, 3, "property");
                    xml.writeAttribute("name", clean(one.getKey()));
                    xml.writeAttribute("value", clean(one.getValue()));
                    xml.writeEndElement();
                }
                end(xml, 2);
            }
            for (Case one : cases) {
                write(xml, one);
            }
            end(xml, 1);
            end(xml, 0);
            xml.writeCharacters("\n");
            xml.flush();
        } catch (XMLStreamException e) {
            throw new IllegalStateException(e);
        }
        return text.toString();
    }

    private static void write(XMLStreamWriter xml, Case one) throws XMLStreamException {
        begin(xml, 2, "testcase");
        xml.writeAttribute("classname", "brokermeter." + clean(one.suite()));
        xml.writeAttribute("name", clean(one.name()));
        xml.writeAttribute("time", seconds(Double.isFinite(one.seconds()) ? one.seconds() : 0));
        if (!one.outcome().isEmpty()) {
            begin(xml, 3, one.outcome());
            if (!one.causes().isEmpty()) {
                xml.writeAttribute("message", clean(one.causes().getFirst()));
                xml.writeCharacters(clean(String.join("\n", one.causes())));
            }
            xml.writeEndElement();
        }
        if (!one.output().isEmpty()) {
            begin(xml, 3, "system-out");
            xml.writeCharacters(clean(String.join("\n", one.output())));
            xml.writeEndElement();
        }
        end(xml, 2);
    }

    private static void begin(XMLStreamWriter xml, int depth, String name) throws XMLStreamException {
        xml.writeCharacters((depth == 0 ? "" : "\n") + "  ".repeat(depth));
        xml.writeStartElement(name);
    }

    private static void end(XMLStreamWriter xml, int depth) throws XMLStreamException {
        xml.writeCharacters("\n" + "  ".repeat(depth));
        xml.writeEndElement();
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    /** Replaces the characters that XML cannot contain. */
    private static String clean(String text) {
        return text.codePoints().map(c -> c == '\n' || c == '\t' || c >= 0x20 && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD
            || c >= 0x10000 ? c : '\uFFFD').collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
    }
}
