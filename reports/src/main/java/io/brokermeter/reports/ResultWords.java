package io.brokermeter.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.ResultDocument.GeneratorUsage;

/**
 * Describes a result in words: its verdict with the reasons, its ledger, its figures beside the asked ones. Uses the stored result alone.
 */
public final class ResultWords {

    /** Kinds of findings whose sentence states the reached rate beside the asked one. */
    private static final Set<String> TELL_THE_RATE = Set.of("rate-missed", "not-sent-in-time");

    private static final String UNDER_WAY = "what became of the messages under way is known at the end of a run";

    /** The times whose percentiles a verdict is about, the first that a run has. */
    private static final List<Metric> MAIN_TIMES = List.of(Metric.RESPONSE, Metric.ROUND_TRIP, Metric.SEND);

    /** The words for messages of a count in a sentence, where its label is too brief. */
    private static final Map<ResultField, String> WORDS = Map.of(ResultField.LOST_UNCONFIRMED, "never confirmed and lost",
        ResultField.LEFT, "left in the broker", ResultField.BEFORE_SUBSCRIPTION, "sent before the subscription",
        ResultField.UNSELECTED, "against the selector", ResultField.OTHER_DESTINATION, "from other destinations",
        ResultField.OLD, "of another run");

    private final StoredResult result;

    public ResultWords(StoredResult result) {
        this.result = result;
    }

    /** Returns the worst verdict that applies to the result. */
    public Verdict verdict() {
        if (result.isInvalid()) {
            return result.is(RunOutcome.THRESHOLD_MISSED) ? Verdict.THRESHOLD_MISSED : Verdict.INVALID;
        }
        if (!result.success()) {
            return result.is(RunOutcome.CUT_OFF) ? Verdict.CUT_OFF : result.is(RunOutcome.RUNNING) ? Verdict.RUNNING : Verdict.FAILED;
        }
        if (!result.meetsThresholds()) {
            return Verdict.THRESHOLD_MISSED;
        }
        if (result.signal() != 0) {
            return Verdict.INTERRUPTED;
        }
        return isRateMissed() ? Verdict.RATE_MISSED : result.doubts().isEmpty() ? Verdict.PASSED : Verdict.DOUBTFUL;
    }

    /** Returns everything to report besides the verdict, the most important first; one sentence each, without a period. */
    public List<String> reasons() {
        List<String> all = new ArrayList<>(result.causes());
        result.thresholds().stream().filter(threshold -> !threshold.passed() || !threshold.judged())
            .forEach(threshold -> all.add((threshold.judged() ? "Not kept: " : "Not judged: ") + threshold.sentence()));
        if (result.signal() != 0) {
            all.add("Ended by " + signalName() + " after " + Amounts.seconds(result.number(ResultField.ELAPSED))
                + (Boolean.FALSE.equals(result.document().drained()) ? ", before draining was over: what is missing may merely be late"
                    : ""));
        }
        if (isRateMissed() && result.findings().stream()
            .noneMatch(finding -> TELL_THE_RATE.contains(finding.kind()) && finding.agent().isEmpty())) {
            all.add(rate());
        }
        String prefix = verdict() == Verdict.DOUBTFUL || verdict() == Verdict.INVALID ? "" : "Doubtful: ";
        result.doubts().forEach(doubt -> all.add(prefix + doubt));
        if (result.document().timesWithOverdue() != null) {
            all.add(Amounts.count(Math.max(result.number(ResultField.OVERDUE_SENT), result.number(ResultField.OVERDUE_RECEIVED)))
                + " messages after the warm-up were due in it, and the times leave them out");
        }
        ResultDocument.WarmedUp warmUp = result.document().warmUp();
        if (warmUp != null && !warmUp.settled() && warmUp.known()) {
            all.add("The run had not settled when its warm-up of " + Amounts.seconds(warmUp.seconds())
                + " ended: its times may depend on its length");
        }
        if (result.isUnconfirmed() && result.sends()) {
            all.add("The broker confirms no sends here: send ack is the time of the write");
        }
        return all;
    }

    /**
     * Says how far the figures of a run without doubts are shown to be the broker's: {@code sound but for max, which the
     * generator's own stalls explain}.
     */
    public String soundness() {
        List<String> marked =
            MAIN_TIMES.stream().filter(time -> result.samples(time) > 0).findFirst().map(result::marked).orElse(List.of());
        return marked.isEmpty() ? "nothing speaks against the figures"
            : "sound but for " + Sentences.list(marked) + ", which the generator's own stalls explain";
    }

    /** Returns what the ticks of the run cost its messages; empty for a run without ticks. */
    public String tick() {
        ResultDocument.Tick tick = result.generator().tick();
        return tick == null ? ""
            : Amounts.time(tick.lengthMicros()) + "; messages awaited its end: mean " + Amounts.time(tick.waitMeanMicros())
                + ", max " + Amounts.time(tick.waitMaxMicros());
    }

    /** Returns how the connections of the run came to be; empty where they were not made at a rate. */
    public String connects() {
        ResultDocument.Connects made = result.document().connects();
        return made == null ? "" : Amounts.count(made.count()) + ", " + Amounts.rate(made.reachedPerSecond()) + " of "
            + Amounts.rate(made.askedPerSecond()) + " asked: p50 " + Amounts.time(made.p50Micros()) + ", p99 "
            + Amounts.time(made.p99Micros())
            + ", max " + Amounts.time(made.maxMicros())
            + (made.failedAttempts() == 0 ? "" : "; " + Amounts.count(made.failedAttempts()) + " attempts failed");
    }

    private boolean isRateMissed() {
        return result.isRateMissed() || result.generator().achievedRatio() < Schedule.KEPT;
    }

    private String rate() {
        GeneratorUsage health = result.generator();
        return "It reached " + Sentences.rate(health.achievedRatio(), health.reachedPerSecond(), health.askedPerSecond());
    }

    private String signalName() {
        return switch (result.signal()) {
            case 1 -> "SIGHUP";
            case 2 -> "Ctrl-C";
            case 15 -> "SIGTERM";
            default -> "signal " + result.signal();
        };
    }

    /** Describes the sent messages: {@code 600,000 of 600,000, 10,000/s of 10,000/s asked, 10.2 MB/s}; empty for a run without producers. */
    public String sent() {
        if (!result.sends()) {
            return "";
        }
        double asked = asked();
        SentRate rate = SentRate.of(result);
        return Amounts.count(result.number(ResultField.SENT)) + (asked > 0 ? " of " + Amounts.count(asked) : "")
            + (Double.isFinite(rate.perSecond()) ? ", " + (rate.isAsked() ? rate.words() : Margin.rate(result, ResultField.MEAN_SENT)) : "")
            + bytes(ResultField.MEAN_SENT_BYTES);
    }

    /** Describes the received messages as {@link #sent} does; empty for a run that receives nothing. */
    public String received() {
        if (!isReceiving()) {
            return "";
        }
        double asked = !result.sends() ? asked()
            : AgentRows.isAnyLost(result) ? Double.NaN : result.number(ResultField.EXPECTED);
        double rate = result.number(ResultField.MEAN_RECEIVED);
        return Amounts.count(result.number(ResultField.RECEIVED)) + (asked > 0 ? " of " + Amounts.count(asked) : "")
            + (Double.isFinite(rate) ? ", " + Margin.rate(result, ResultField.MEAN_RECEIVED) : "") + bytes(ResultField.MEAN_RECEIVED_BYTES);
    }

    /** Returns the rate of bytes as the end of a list; empty where it is not known, as in files of earlier versions. */
    private String bytes(ResultField rate) {
        double perSecond = result.number(rate);
        return Double.isFinite(perSecond) ? ", " + Amounts.byteRate(perSecond) : "";
    }

    /** Returns the number of messages that were asked for; 0 if none was. */
    private double asked() {
        Long asked = result.document().askedMessages();
        return asked == null ? 0 : asked;
    }

    public boolean isReceiving() {
        return result.document().receives();
    }

    /** Describes, in one sentence with its period, whether all due messages arrived once, in order and unchanged. */
    public String ledger() {
        List<String> parts = new ArrayList<>();
        counts(parts, ResultField.FAILED, ResultField.UNCONFIRMED, ResultField.ROLLED_BACK, ResultField.UNANSWERED);
        if (!isReceiving()) {
            return parts.isEmpty() ? confirmed() : String.join(", ", parts) + ".";
        }
        ResultDocument.Balance ledger = result.document().ledger();
        if (ledger == null) {
            parts.addFirst(verdict() == Verdict.CUT_OFF || verdict() == Verdict.RUNNING
                ? "not known: " + UNDER_WAY
                : "no ledger was kept, since bodies were bare");
            return String.join(", ", parts) + ".";
        }
        counts(parts, ResultField.LOST, ResultField.LOST_UNCONFIRMED, ResultField.LEFT, ResultField.UNDELIVERED, ResultField.UNTAKEN,
            ResultField.BEFORE_SUBSCRIPTION, ResultField.UNSELECTED, ResultField.OTHER_DESTINATION, ResultField.DUPLICATES,
            ResultField.OUT_OF_ORDER, ResultField.CORRUPT, ResultField.FOREIGN, ResultField.OLD, ResultField.REQUEUED, ResultField.REJECTED,
            ResultField.RECONNECTS);
        if (Boolean.FALSE.equals(ledger.closes())) {
            parts.add("and the books do not close");
        }
        if (!parts.isEmpty()) {
            return String.join(", ", parts) + ".";
        }
        return result.number(ResultField.RECEIVED) == 0 ? "no message came." : "every message once, in order and unchanged.";
    }

    private String confirmed() {
        if (result.number(ResultField.SENT) == 0) {
            return "no message was sent.";
        }
        if (Double.isNaN(result.number(ResultField.UNCONFIRMED))) {
            return "not known: " + UNDER_WAY + ".";
        }
        return result.isUnconfirmed() ? "nothing was received here, and the broker confirms no sends."
            : "every send was confirmed; nothing was received here, so losses are not known.";
    }

    private void counts(List<String> parts, ResultField... fields) {
        for (ResultField field : fields) {
            double count = result.number(field);
            if (count > 0) {
                parts.add(Amounts.count(count) + " " + words(field, count));
            }
        }
    }

    /** Returns the words for messages of a count in a sentence: its label, unless that is too brief there. */
    public static String words(ResultField field, double count) {
        return field == ResultField.FAILED ? Counted.word((long) count, "send failed", "sends failed")
            : WORDS.getOrDefault(field, field.label());
    }

    /** Describes what was measured, with the broker's version in front if it is known. */
    public String what() {
        String broker = result.brokerVersion();
        String what = Objects.requireNonNullElse(result.document().what(), "");
        return broker.isEmpty() ? what.isEmpty() ? result.document().name() : what : what.isEmpty() ? broker : broker + ": " + what;
    }

    /** Summarizes the thresholds in one line; empty if there are none. */
    public String thresholds() {
        List<StoredResult.StoredThreshold> all = result.thresholds();
        long kept = all.stream().filter(one -> one.passed() && one.judged()).count();
        return all.isEmpty() ? "" : kept + " of " + all.size() + " kept" + (kept == all.size() ? " (" + String.join("; ",
            all.stream().map(StoredResult.StoredThreshold::sentence).toList()) + ")" : "");
    }
}
