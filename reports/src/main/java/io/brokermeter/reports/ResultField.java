package io.brokermeter.reports;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.HasCounts;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.MeanRate;
import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.json.JsonReport;
import tools.jackson.core.JsonGenerator;

/**
 * The figures of a run's result, one for each {@link Quantity} that outputs have, which knows its unit and its value. A field has the names
 * of its figure in all outputs and the runs that have it: its label in the summary on the console, its key in files of {@code --json}, and
 * its path in the {@code result.json} of a run, which tables and comparisons read. An empty name keeps a figure out of an output. The
 * fields of counts and of their mean rates follow from the rows of {@link Count}; the constants name those that outputs pick out. Counts
 * are whole numbers; other figures have the given digits behind the point in the two files.
 */
public final class ResultField {

    /** All fields: counts, mean rates, and the others, in the order of files. */
    private static final Map<Quantity, ResultField> ALL = ofCounts();

    public static final ResultField SENT = of(Count.SENT);
    public static final ResultField BLOCKED = of(Count.BLOCKED);
    public static final ResultField COMPLETED = of(Count.COMPLETED);
    public static final ResultField FAILED = of(Count.FAILED);
    public static final ResultField UNCONFIRMED = of(Count.UNCONFIRMED);
    public static final ResultField RECEIVED = of(Count.RECEIVED);
    public static final ResultField ROLLED_BACK = of(Count.ROLLED_BACK);
    public static final ResultField REQUEUED = of(Count.REQUEUED);
    public static final ResultField REJECTED = of(Count.REJECTED);
    public static final ResultField UNANSWERED = of(Count.UNANSWERED);
    public static final ResultField RECONNECTS = of(Count.RECONNECTS);

    public static final ResultField EXPECTED = of(Count.EXPECTED);
    public static final ResultField LEDGER_RECEIVED = of(Count.LEDGER_RECEIVED);
    public static final ResultField LOST = of(Count.LOST);
    public static final ResultField LEFT = of(Count.LEFT);
    public static final ResultField UNDELIVERED = of(Count.UNDELIVERED);
    public static final ResultField UNTAKEN = of(Count.UNTAKEN);
    public static final ResultField BEFORE_SUBSCRIPTION = of(Count.BEFORE_SUBSCRIPTION);
    public static final ResultField LOST_UNCONFIRMED = of(Count.LOST_UNCONFIRMED);
    public static final ResultField UNCONFIRMED_DELIVERED = of(Count.UNCONFIRMED_DELIVERED);
    public static final ResultField FAILED_DELIVERED = of(Count.FAILED_DELIVERED);
    public static final ResultField ROLLED_BACK_DELIVERED = of(Count.ROLLED_BACK_DELIVERED);
    public static final ResultField UNSELECTED = of(Count.UNSELECTED);
    public static final ResultField OTHER_DESTINATION = of(Count.OTHER_DESTINATION);
    public static final ResultField DUPLICATES = of(Count.DUPLICATES);
    public static final ResultField REDELIVERED_DUPLICATES = of(Count.REDELIVERED_DUPLICATES);
    public static final ResultField OUT_OF_ORDER = of(Count.OUT_OF_ORDER);
    public static final ResultField REORDER_DEPTH = of(Count.REORDER_DEPTH);
    public static final ResultField CORRUPT = of(Count.CORRUPT);
    public static final ResultField FOREIGN = of(Count.FOREIGN);
    public static final ResultField OLD = of(Count.OLD);

    public static final ResultField MEAN_SENT = of(new MeanRate(Count.SENT));
    public static final ResultField MEAN_RECEIVED = of(new MeanRate(Count.RECEIVED));
    public static final ResultField MEAN_SENT_BYTES = of(new MeanRate(Count.SENT_BYTES));
    public static final ResultField MEAN_RECEIVED_BYTES = of(new MeanRate(Count.RECEIVED_BYTES));

    public static final ResultField MEASURED_SENT = of(Measure.MEASURED_SENT, "", "", "messages.measuredSent", Where.EVERYWHERE, 0, 0);
    public static final ResultField MEASURED_RECEIVED = of(Measure.MEASURED_RECEIVED,
        "", "", "messages.measuredReceived", Where.EVERYWHERE, 0, 0);
    public static final ResultField OVERDUE_SENT = of(Measure.OVERDUE_SENT,
        "", "overdueSentMessages", "messages.overdueSent", Where.EVERYWHERE, 0, 0);
    public static final ResultField OVERDUE_RECEIVED = of(Measure.OVERDUE_RECEIVED,
        "", "overdueReceivedMessages", "messages.overdueReceived", Where.EVERYWHERE, 0, 0);
    public static final ResultField ELAPSED = of(Measure.ELAPSED, "elapsed", "elapsedSeconds", "elapsedSeconds", Where.EVERYWHERE, 3, 3);
    public static final ResultField SENDING_SECONDS = of(Measure.SENDING_SECONDS,
        "", "sendingSeconds", "sendingSeconds", Where.EVERYWHERE, 3, 6);
    public static final ResultField RECEIVING_SECONDS = of(Measure.RECEIVING_SECONDS,
        "", "receivingSeconds", "receivingSeconds", Where.EVERYWHERE, 3, 6);
    public static final ResultField MEASURED_SECONDS = of(Measure.MEASURED_SECONDS,
        "", "measuredSeconds", "measuredSeconds", Where.EVERYWHERE, 3, 6);
    public static final ResultField MEASURED_RECEIVING_SECONDS = of(Measure.MEASURED_RECEIVING_SECONDS,
        "", "measuredReceivingSeconds", "measuredReceivingSeconds", Where.EVERYWHERE, 3, 6);
    public static final ResultField SENT_PER_SECOND = of(Measure.SENT_PER_SECOND, "", "", "rates.sentPerSecond", Where.SENDS, 3, 3);
    public static final ResultField COMPLETED_PER_SECOND = of(Measure.COMPLETED_PER_SECOND,
        "", "", "rates.completedPerSecond", Where.SENDS, 3, 3);
    public static final ResultField RECEIVED_PER_SECOND = of(Measure.RECEIVED_PER_SECOND,
        "", "", "rates.receivedPerSecond", Where.RECEIVES, 3, 3);
    public static final ResultField SUCCESS_PERCENT = of(Measure.SUCCESS_PERCENT, "", "", "successPercent", Where.SENDS, 6, 6);
    public static final ResultField CPU_PER_MESSAGE = of(Measure.CPU_PER_MESSAGE, "health.cpuMicrosPerMessage", 3,
        document -> document.health().cpuMicrosPerMessage());
    public static final ResultField BROKER_CPU_PER_MESSAGE = of(Measure.BROKER_CPU_PER_MESSAGE, "broker.cpuMicrosPerMessage", 3,
        ofBroker(ResultDocument.BrokerUsage::cpuMicrosPerMessage));
    public static final ResultField BROKER_CPU = of(Measure.BROKER_CPU, "broker.cpuPercent", 4,
        ofBroker(ResultDocument.BrokerUsage::cpuPercent));
    public static final ResultField BROKER_CPU_MAX = of(Measure.BROKER_CPU_MAX, "broker.cpuMaxPercent", 4,
        ofBroker(ResultDocument.BrokerUsage::cpuMaxPercent));
    public static final ResultField BROKER_MEMORY = of(Measure.BROKER_MEMORY, "broker.residentBytes", 0,
        ofBroker(ResultDocument.BrokerUsage::residentBytes));
    public static final ResultField BROKER_MEMORY_MAX = of(Measure.BROKER_MEMORY_MAX, "broker.residentMaxBytes", 0,
        ofBroker(ResultDocument.BrokerUsage::residentMaxBytes));
    public static final ResultField BROKER_HEAP_MAX = of(Measure.BROKER_HEAP_MAX, "broker.heapUsedMaxBytes", 0,
        ofBroker(ResultDocument.BrokerUsage::heapUsedMaxBytes));
    public static final ResultField BROKER_DEPTH_MAX = of(Measure.BROKER_DEPTH_MAX, "broker.depthMaxMessages", 0,
        ofBroker(ResultDocument.BrokerUsage::depthMaxMessages));

    /** Counts that outputs put at places of their own. */
    private static final Set<Count> PLACED = Set.of(Count.SENT, Count.BLOCKED, Count.COMPLETED, Count.RECEIVED, Count.FAILED,
        Count.UNCONFIRMED, Count.RECONNECTS);

    /** The runs that have a figure; {@link #COUNTED} are those where it is not 0. */
    private enum Where {
        EVERYWHERE, SENDS, RECEIVES, COUNTED;

        public static Where of(Count count) {
            return count.isRare() ? COUNTED : count.isOfSenders() ? SENDS : count.isOfReceivers() ? RECEIVES : EVERYWHERE;
        }
    }

    private final Quantity quantity;
    private final String label;
    private final String jsonKey;
    private final List<String> path;
    private final Where where;
    private final int jsonDigits;
    private final int fileDigits;
    private final ToDoubleFunction<ResultDocument> reading;

    private ResultField(Quantity quantity, String label, String jsonKey, String path, Where where, int jsonDigits, int fileDigits) {
        this(quantity, label, jsonKey, path, where, jsonDigits, fileDigits,
            reading(path.substring(0, Math.max(0, path.lastIndexOf('.'))), path.substring(path.lastIndexOf('.') + 1)));
    }

    /** @param reading returns the figure of a document */
    private ResultField(Quantity quantity, String label, String jsonKey, String path, Where where, int jsonDigits, int fileDigits,
            ToDoubleFunction<ResultDocument> reading) {
        this.quantity = quantity;
        this.label = label;
        this.jsonKey = jsonKey;
        this.path = List.of(path.split("\\."));
        this.where = where;
        this.jsonDigits = jsonDigits;
        this.fileDigits = fileDigits;
        this.reading = reading;
    }

    private static Map<Quantity, ResultField> ofCounts() {
        Map<Quantity, ResultField> all = new LinkedHashMap<>();
        for (Count count : Count.values()) {
            all.put(count, new ResultField(count, count.label(), count.summaryKey(), count.path(), Where.of(count), 0, 0));
        }
        Arrays.stream(Count.values()).filter(Count::isOfPhases).map(MeanRate::new).forEach(rate -> all.put(rate,
            new ResultField(rate, rate.label(), rate.summaryKey(), rate.path(), Where.of(rate.count()), 3, 3)));
        return all;
    }

    private static ResultField of(Measure measure, String label, String jsonKey, String path, Where where, int jsonDigits, int fileDigits) {
        return added(new ResultField(measure, label, jsonKey, path, where, jsonDigits, fileDigits));
    }

    private static ResultField added(ResultField field) {
        ALL.put(field.quantity, field);
        return field;
    }

    /** Creates a figure of the broker or the generator, whose object both files have. */
    private static ResultField of(Measure measure, String path, int digits, ToDoubleFunction<ResultDocument> reading) {
        return added(new ResultField(measure, "", "", path, Where.EVERYWHERE, digits, digits, reading));
    }

    /** Returns the field of a count, of a mean rate, or of another figure that outputs have. */
    public static ResultField of(Quantity quantity) {
        return Objects.requireNonNull(ALL.get(quantity), quantity::key);
    }

    /** Returns the counts that are neither of the ledger, nor at places of their own. */
    public static List<ResultField> otherCounts() {
        return Arrays.stream(Count.values()).filter(count -> !count.isOfLedger() && !PLACED.contains(count)).map(ResultField::of).toList();
    }

    /** Returns the mean rates of all counts that have one. */
    public static List<ResultField> meanRates() {
        return ALL.values().stream().filter(field -> field.quantity instanceof MeanRate).toList();
    }

    /** Returns those of {@link #otherCounts} that are in every part of a run, under the names of their counts. */
    public static Map<String, Double> others(HasCounts part, Predicate<Count> which) {
        Map<String, Double> others = new LinkedHashMap<>();
        ofParts().filter(which).forEach(count -> others.put(count.key(), known(part.count(count))));
        return others;
    }

    /** Returns a count as documents have it; NaN if it is unknown. */
    public static double known(long count) {
        return count == Counts.UNKNOWN ? Double.NaN : count;
    }

    /** Returns those of {@link #otherCounts} that are in every part of a run. */
    public static Stream<Count> ofParts() {
        return otherCounts().stream().map(field -> (Count) field.quantity).filter(count -> !count.isRare());
    }

    /** Returns the name of the figure on the console. */
    public String label() {
        return label;
    }

    /** Returns the quantity that the figure shows in every output. */
    public Quantity quantity() {
        return quantity;
    }

    /** Returns the key of the figure in files of {@code --json}. */
    public String jsonKey() {
        return jsonKey;
    }

    /** Returns the key of the figure in the part of {@code result.json} that contains it. */
    public String fileKey() {
        return path.getLast();
    }

    /** Returns the value of the figure in a run; NaN if it is unknown. A count is exact up to 2^53. */
    public double of(RunResult r) {
        return Measurements.of(quantity, r);
    }

    /** Returns whether the outputs of a run have the figure. */
    public boolean isIn(RunResult r, RunShape shape) {
        return switch (where) {
            case EVERYWHERE -> true;
            case SENDS -> shape.sends();
            case RECEIVES -> shape.receives();
            case COUNTED -> of(r) > 0;
        };
    }

    /** Writes some figures under their keys of {@code --json}, without those that this run does not have. */
    public static void json(JsonGenerator json, RunResult r, RunShape shape, ResultField... fields) {
        json(json, r, shape, List.of(fields));
    }

    /** Writes some figures under their keys of {@code --json}, without those that this run does not have. */
    public static void json(JsonGenerator json, RunResult r, RunShape shape, List<ResultField> fields) {
        for (ResultField field : fields) {
            if (field.isIn(r, shape)) {
                field.json(json, r, true);
            }
        }
    }

    /** Writes the figure under its key of {@code --json}, null unless it is known. */
    public void json(JsonGenerator json, RunResult r, boolean known) {
        JsonReport.number(json, jsonKey, known ? of(r) : Double.NaN, jsonDigits);
    }

    /**
     * Returns the figures of a part of {@code result.json} by their keys. Counts are in every file; a rate that a run does not have is
     * unknown.
     *
     * @param part name of the part; empty for the figures that are in none
     */
    public static Map<String, Double> file(RunResult r, RunShape shape, String part) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (ResultField field : ALL.values()) {
            if (field.part().equals(part)) {
                boolean known = field.quantity instanceof Count || field.quantity.unit() == Quantity.Unit.MESSAGES || field.isIn(r, shape);
                figures.put(field.fileKey(), known ? field.file(r) : Double.NaN);
            }
        }
        return figures;
    }

    /** Returns the figure as {@code result.json} has it. */
    public double file(RunResult r) {
        return DocumentJson.rounded(of(r), fileDigits);
    }

    private String part() {
        return String.join(".", path.subList(0, path.size() - 1));
    }

    /** Returns the figure in a document; NaN if it is unknown. */
    public double of(ResultDocument document) {
        return reading.applyAsDouble(document);
    }

    private static ToDoubleFunction<ResultDocument> reading(String part, String key) {
        return switch (part) {
            case "" -> document -> document.figures().getOrDefault(key, Double.NaN);
            case "messages" -> document -> document.messages().getOrDefault(key, Double.NaN);
            case "bytes" -> document -> document.bytes().getOrDefault(key, Double.NaN);
            case "rates" -> document -> document.rates().figures().getOrDefault(key, Double.NaN);
            case "ledger" -> document -> document.ledger() == null ? Double.NaN : document.ledger().counts().getOrDefault(key, Double.NaN);
            default -> throw new IllegalArgumentException(part);
        };
    }

    private static ToDoubleFunction<ResultDocument> ofBroker(ToDoubleFunction<ResultDocument.BrokerUsage> figure) {
        return document -> document.broker() == null ? Double.NaN : figure.applyAsDouble(document.broker());
    }
}
