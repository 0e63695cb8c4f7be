package io.brokermeter.reports;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.engine.finding.Drops;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.spi.parameter.Setting;

/**
 * Turns findings into text, for all outputs: one sentence each about what was seen and what to change, as a rule without a final
 * period. Thread-safe.
 */
public final class Sentences {

    private final Function<Setting, String> names;
    private final DoubtSentences doubts;

    /** @param names names of settings where they were set: by their options, or by the keys of a scenario file */
    public Sentences(Function<Setting, String> names) {
        this.names = names;
        this.doubts = new DoubtSentences(names);
    }

    /**
     * Returns the sentences of findings, in their order. Only the first one that knows it says who used the processors, of each process
     * that runs a part.
     */
    public List<String> of(List<? extends Finding> findings) {
        List<String> sentences = new ArrayList<>();
        Set<String> used = new HashSet<>();
        for (Finding finding : findings) {
            if (finding instanceof Finding.Doubt doubt) {
                Finding.CpuUse use = doubt.cpuUse();
                boolean first = use != null && used.add(doubt instanceof Finding.DoubtOfAgent(String agent, _) ? agent : "");
                sentences.add(doubts.of(doubt, first ? use : null));
            } else {
                sentences.add(of(finding));
            }
        }
        return sentences;
    }

    /** Returns the sentence of one finding. */
    public String of(Finding finding) {
        return switch (finding) {
            case Finding.Failure failure -> failure(failure);
            case Finding.Doubt doubt -> doubts.of(doubt, doubt.cpuUse());
            case Finding.Notice notice -> notice(notice);
        };
    }

    private String failure(Finding.Failure failure) {
        return switch (failure) {
            case Finding.Broken f -> broken(f.step(), f.subject()) + ": "
                + (f.step() == Finding.Step.CONNECT ? inMidSentence(f.cause()) : f.cause());
            case Finding.StoppedConnecting f -> "Stopped before all connections were made";
            case Finding.NotRestored f -> text("the connection of %s was lost and not back at the end, after %s: %s",
                f.connection(), Counted.of(f.attempts(), "attempt"), f.cause());
            case Finding.Stuck f -> text("No progress for %d s: %s on %s%s", f.seconds(), f.unconfirmed() > 0
                ? unconfirmed(f.unconfirmed()) : "a send does not return", f.url(), more(f.reason()));
            case Finding.SendNotReturned f -> text("A send did not return within %d s%s", f.seconds(), more(f.reason()));
            case Finding.AgentFailed f -> "Agent " + f.agent() + ": " + f.cause();
            case Finding.AgentLost f ->
                text("Agent %s %s; the fate of what it had sent and not yet reported is unknown", f.agent(), f.how());
            case Finding.NotClosed f -> text("The connections did not close within %d s", f.seconds());
            case Finding.SendsFailed f -> Counted.of(f.count(), "send") + " failed: " + causes(f.byCause());
            case Finding.Unconfirmed f -> Counted.were(f.count(), "send") + " never confirmed: the broker may or may not have "
                + Counted.word(f.count(), "it", "them")
                + (f.delivered() == 0 ? "" : f.count() == 1 ? "; it was delivered all the same"
                    : text("; %,d of them %s delivered all the same", f.delivered(), Counted.word(f.delivered(), "was", "were")))
                + (f.byCause().isEmpty() ? "" : "; cause: " + causes(f.byCause()));
            case Finding.Unanswered f -> Counted.of(f.count(), "request") + " got no reply in time";
            case Finding.RolledBackDelivered f -> Counted.were(f.count(), "message") + " delivered although "
                + Counted.word(f.count(), "it", "they") + " had been rolled back";
            case Finding.StrayConfirmations f -> Counted.of(f.count(), "confirmation") + " came for "
                + Counted.word(f.count(), "a message that was", "messages that were") + " not in flight";
            case Finding.TooFewTaken f -> text("%s got %,d of the %s that they were to take%s",
                f.group().isEmpty() ? "The consumers" : "Consumers '" + f.group() + "'", f.taken(), Counted.of(f.asked(), "message"),
                f.within() == null ? "" : " " + within(Setting.DURATION, f.within()));
            case Finding.FailedDelivered f -> Counted.were(f.count(), "message") + " delivered although "
                + Counted.word(f.count(), "its", "their") + " sending had failed";
            case Finding.Unselected f -> Counted.were(f.count(), "message") + " delivered although "
                + Counted.word(f.count(), "it does", "they do") + " not meet the selector";
            case Finding.Corrupt f -> Counted.of(f.count(), "message") + " arrived with a changed body";
            case Finding.Lost f -> text("%s lost: %s, not delivered %s, and no longer in the broker", Counted.were(f.count(), "message"),
                sent(f.confirmed()), within(f.drainTimeout())) + drops(f.drops());
            case Finding.Left f -> text("%s left in the broker: consumers did not get %s %s; raise it, or send less",
                Counted.were(f.count(), "message"), Counted.word(f.count(), "it", "them"), within(f.drainTimeout()));
            case Finding.Undelivered f -> text("%s %s and not delivered %s; whether the broker still has %s is not known%s",
                Counted.were(f.count(), "message"), sent(f.confirmed()), within(f.drainTimeout()), Counted.word(f.count(), "it", "them"),
                f.stillArriving() ? ", and deliveries were still arriving: raise it to distinguish late from lost" : "")
                + drops(f.drops());
            case Finding.LedgerOpen f -> "The ledger does not close: expected " + f.expected() + ", received " + f.received()
                + ", duplicates " + f.duplicates() + ", lost " + f.lost() + ", left " + f.left();
            case Finding.FaultFailed f -> "Fault " + f.number() + ", " + f.action().word() + " " + f.target() + ", was not "
                + (f.action() == Fault.Action.RUN ? "right: " : f.step() == Finding.FaultStep.BEGAN ? "made: " : "undone: ")
                + stripped(f.cause());
            case Finding.NobodySends f -> text("Nothing came from %s, and no producer of this run sends there%s: write the same name for "
                + "both sides, or permit it by %s", others(f.destination(), f.others()),
                f.unread().isEmpty() ? "" : "; it sends to " + f.unread() + ", from which none of its consumers receives",
                name(Setting.ALLOW_LOSS));
            case Finding.NotSteady f -> notSteady(f);
            case Finding.RateMissed f -> "The asked rate was missed by more than half: the run reached "
                + rate(f.share(), f.reachedPerSecond(), f.askedPerSecond());
        };
    }

    private String notSteady(Finding.NotSteady f) {
        String rates = text("about %s of %s messages a second", about(f.sentPerSecond() - f.grownPerSecond()), about(f.sentPerSecond()));
        String grown = text("what waited grew by %s a second to the end, so times are longer the longer the run is",
            about(f.grownPerSecond()));
        return switch (f.behind()) {
            case BROKER -> text("The broker confirmed %s: %s; lower %s, or limit what waits by %s", rates, grown, name(Setting.RATE),
                name(Setting.MAX_PENDING));
            case BUSY_CONSUMERS -> text("The consumers were too slow and took %s: %s; shorten the time that they take, raise %s, or "
                + "lower %s", rates, grown, name(Setting.CONSUMERS), name(Setting.RATE));
            case DELIVERIES -> text("Deliveries fell behind, with %s: %s; the broker or the consumers are too slow: raise %s, or lower %s",
                rates, grown, name(Setting.CONSUMERS), name(Setting.RATE));
        };
    }

    /** Names the settings of the run that explain why messages did not come. */
    private String drops(Drops drops) {
        return (drops.ttlMillis() == 0 ? "" : text("; messages expire after %s %s", name(Setting.MESSAGE_TTL),
            seconds(Duration.ofMillis(drops.ttlMillis()))))
            + (drops.parameters().isEmpty() ? "" : "; queues may drop messages because of " + drops.parameters())
            + (drops.requeued() == 0 ? "" : text("; consumers gave back %,d (%s), and a broker drops a message that it has delivered too "
                + "often (RabbitMQ: delivery-limit of a quorum queue, Artemis: max-delivery-attempts, Kafka: "
                + "group.share.delivery.count.limit)", drops.requeued(), name(Setting.REQUEUE)));
    }

    private static String others(String destination, int more) {
        return destination + (more == 0 ? "" : " and " + Counted.of(more, "other destination"));
    }

    private static String about(double number) {
        return text(number < 10 ? "%.1f" : "%,.0f", number);
    }

    /**
     * Formats a reached rate, for example {@code 13.5 % of the asked rate: 135.02 of 1000.00 msg/sec}.
     *
     * @param share fraction of the due messages that was sent in time, used if the rates are unknown, or if they do not show by how much
     *     the rate was missed, as those of groups that send at different times
     */
    public static String rate(double share, double reachedPerSecond, double askedPerSecond) {
        double limit = share < Schedule.FAILED ? Schedule.FAILED : Schedule.KEPT;
        return Double.isFinite(reachedPerSecond) && reachedPerSecond / askedPerSecond < limit
            ? text("%.1f %% of the asked rate: %.2f of %.2f msg/sec", 100 * reachedPerSecond / askedPerSecond, reachedPerSecond,
                askedPerSecond)
            : text("%.1f %% of what was due, in time", 100 * share);
    }

    private static String broken(Finding.Step step, String subject) {
        return switch (step) {
            case CONNECT -> "Cannot connect to " + subject;
            case DECLARE -> "Cannot use " + subject;
            case OPEN_PRODUCER -> "Cannot send to " + subject;
            case OPEN_CONSUMER -> "Cannot receive from " + subject;
            case LEAVE_SUBSCRIPTION -> "Cannot leave the subscription of " + subject;
            case CONNECTION -> "Connection lost";
            case SENDING_THREAD -> "A sending thread ended";
            case CONSUMER -> "A consumer of " + subject + " failed";
            case SEND_REPLY -> "A reply could not be sent";
            case CONFIRM_REPLY -> "A reply was not taken";
            case WRITE_REPORT -> "A report could not be written";
            case FINISH_REPORT -> "A report could not be finished";
            case CLOSE_PRODUCER -> "A producer did not close";
            case CLOSE_CONSUMER -> "A consumer of " + subject + " did not close";
            case CLOSE_REPLYING_PRODUCER -> "A replying producer did not close";
            case CLOSE_REPLYING_CONNECTION -> "A replying connection did not close";
            case CLOSE_PRODUCING_CONNECTION -> "A producing connection did not close";
            case CLOSE_CONSUMING_CONNECTION -> "A consuming connection did not close";
            case REMOVE_SUBSCRIPTION -> "Subscription " + subject + " was not removed";
            case REMOVE_DESTINATION -> subject + " was not removed";
        };
    }

    /** Converts a reason to continue a sentence: lower-cases its first letter, unless it begins with an abbreviation. */
    private static String inMidSentence(String reason) {
        boolean word = reason.length() > 1 && Character.isLowerCase(reason.charAt(1));
        return word ? Character.toLowerCase(reason.charAt(0)) + reason.substring(1) : reason;
    }

    private static String more(String reason) {
        return reason.isEmpty() ? "" : ", " + reason;
    }

    private String notice(Finding.Notice notice) {
        return switch (notice) {
            case Finding.Said f -> f.text();
            case Finding.ScorecardLeftOut f -> "There is no scorecard: " + (f.lost() > 0
                ? "what the lost " + Counted.word(f.lost(), "agent", "agents") + " did around the fault is not known"
                : Double.isInfinite(f.apartMicros()) ? "how far clocks of agents are apart is not known, and its figures are milliseconds"
                    : "clocks of agents may be " + Amounts.time(f.apartMicros()) + " apart, and its figures are milliseconds");
            case Finding.OfAgent f -> f.agent() + ": " + of(f.what());
            case Finding.OneWayBound f -> text("Times from one agent to another are right to within %,.0f us, which is what is known of "
                + "their clocks", Math.ceil(f.micros()));
            case Finding.OneWayLeftOut f -> "Times from one agent to another are left out: " + (Double.isInfinite(f.micros())
                ? "how far their clocks are apart is not known"
                : text("their clocks are known to within %,.0f us, which is more than a tenth of the median of %,.0f us",
                    Math.ceil(f.micros()), f.medianMicros()));
            case Finding.OtherClock f -> text(
                "%s %s another clock, that of another machine or from before the wall clock was set: %s transfer "
                    + "and response times include the difference of the clocks",
                Counted.of(f.count(), "message"),
                Counted.word(f.count(), "carries", "carry"), Counted.word(f.count(), "its", "their"));
            case Finding.OrderNotFollowed f ->
                "the order of " + Counted.of(f.count(), "message") + " was not followed, since there are too many pairs of a producer "
                    + "and a consumer for the memory: give more with JAVA_ARGS=-Xmx4g or so";
            case Finding.SendTimeUnknown f -> Counted.were(f.count(), "message") + " sent more than 429 s late, so "
                + Counted.word(f.count(), "it has", "they have") + " a response time and no transfer time";
            case Finding.TransfersBelowZero f -> Counted.of(f.count(), "transfer time") + " came out below zero and "
                + Counted.word(f.count(), "is", "are") + " left out: the sender's clock is ahead of the receiver's";
            case Finding.BeforeSubscription f -> text("%s sent before the subscription to %s destination began, and %s not due",
                Counted.were(f.count(), "message"), Counted.word(f.count(), "its", "their"), Counted.word(f.count(), "was", "were"));
            case Finding.FromOtherDestinations f ->
                text("%s came from %s of this run (%s to %s%s), by a wildcard, a binding or a divert: %s not expected, so a loss "
                    + "among such messages is not seen", Counted.of(f.count(), "message"),
                    Counted.word(f.count(), "another destination", "other destinations"), f.sentTo(), f.cameTo(),
                    Counted.word(f.count(), "", ", for example"), Counted.word(f.count(), "it was", "they were"));
            case Finding.NobodyReceives f -> text("%s sent to %s, from which no consumer of this run receives: what became of %s is not "
                + "known", Counted.were(f.count(), "message"), others(f.destination(), f.others()), Counted.word(f.count(), "it", "them"));
            case Finding.BatchRedelivered f -> text("%s delivered again: a consumer acknowledges %s at once (%s), which took about %s s to "
                + "come, and a broker that waits less for an acknowledgement (NATS: ack-wait, RabbitMQ: consumer_timeout) takes them for "
                + "not received; lower it", Counted.were(f.duplicates(), "message"), Counted.of(f.batch(), "message"),
                name(Setting.CONSUMER_BATCH), about(f.fillSeconds()));
            case Finding.Gaps f -> text("%s missing between the first and the last of %s: lost, or taken by another consumer",
                Counted.are(f.count(), "message"), Counted.word(f.count(), "its producer", "their producers"));
            case Finding.EndedUnconfirmed f -> "Ended before draining was over: " + Counted.were(f.count(), "send")
                + " not confirmed yet";
            case Finding.EndedUndelivered f -> text("Ended before draining was over: %s that %s %s had not been delivered yet",
                Counted.of(f.count(), "message"), Counted.word(f.count(), "was", "were"), sent(f.confirmed()));
            case Finding.FaultDone f -> fault(f);
            case Finding.FaultAdvanced f -> text("fault %d, %s %s, was asked for by hand at %.3f s, and is planned for %.3f s", f.number(),
                f.action().word(), f.target(), f.askedSeconds(), f.plannedSeconds());
            case Finding.FaultNotDue f -> text("fault %d, %s %s, was not made: the load was over before %.3f s", f.number(),
                f.action().word(), f.target(), f.askedSeconds());
            case Finding.FaultNotUndone f -> text("fault %d, %s %s: the load was over before %.3f s, so nothing was started again",
                f.number(), f.action().word(), f.target(), f.askedSeconds());
            case Finding.RateSet f -> text("The rate was changed by %+d %%, to %s", f.percent(), Amounts.rate(f.perSecond()));
            case Finding.Permitted f -> of(f.failure()) + (f.by() == null ? "" : permitted(f.by()));
            case Finding.ThresholdUnwatched f ->
                "The threshold " + f.threshold() + " could not end the run: while it went on, the clocks of its "
                    + "agents were never known well enough for times from one to another";
            case Finding.ThresholdMissed f -> text("the run ends, since a threshold is not kept: %s, and it is %s", f.threshold(),
                Thresholds.amount(Threshold.parse(f.threshold()), f.value()));
            case Finding.PhaseBegins f -> "Phase " + f.name() + " begins";
            case Finding.ConsumersStart f ->
                "The producers have ended; the consumers that start after them start now, or when their delay is over";
            case Finding.DepthUnknown f -> "How many messages wait " + (f.destination().isEmpty() ? "" : "in " + f.destination() + " ")
                + "is not known: " + f.cause();
            case Finding.RealtimeRefused f -> f.cause();
            case Finding.WakesLater f -> text(
                "this machine is worse than in its self-test of %s: threads woke more than 1 ms late %s times a "
                    + "second, %s times then%s",
                f.then(), about(f.perSecond()), about(f.thenPerSecond()),
                f.othersPercent() > f.thenOthersPercent() && f.thenOthersPercent() >= 0
                    ? text(", and other programs use %.0f %% of its processors, %.0f %% then", f.othersPercent(), f.thenOthersPercent())
                    : "");
            case Finding.ClockSlower f ->
                text("this machine is worse than in its self-test of %s: a reading of the clock takes %s, %s then",
                    f.then(), Amounts.time(f.readingNanos() / 1e3), Amounts.time(f.thenNanos() / 1e3));
            case Finding.Reconnecting f -> "Connection interrupted, the client is reconnecting: " + f.cause();
            case Finding.Reconnected f -> "Connection restored";
            case Finding.ConnectionLost f -> text("Connection of %s lost, making another: %s", f.connection(), f.cause());
            case Finding.ReconnectFailed f -> text("Attempt %d to connect %s again failed: %s", f.attempt(), f.connection(), f.cause());
            case Finding.ConnectionRestored f ->
                text("Connection of %s reconnected %.1f s after its loss, at attempt %d; the fate of %d %s "
                    + "is unknown", f.connection(), f.afterMillis() / 1e3, f.attempt(), f.unknown(),
                    Counted.word(f.unknown(), "send", "sends"));
            case Finding.SendsStalled f -> text("no progress for %d s: %s %s%s", f.seconds(), stalled(f), f.url(), more(f.reason()));
            case Finding.DeliveriesStalled f -> f.missing() < 0 ? text("no message has arrived for %d s on %s", f.seconds(), f.url())
                : text("no progress for %d s: %s that %s not delivered on %s", f.seconds(), Counted.of(f.missing(), "message"),
                    Counted.word(f.missing(), "was confirmed is", "were confirmed are"), f.url());
        };
    }

    private static String unconfirmed(long sends) {
        return Counted.are(sends, "send") + " unconfirmed";
    }

    private static String stalled(Finding.SendsStalled f) {
        String pending = unconfirmed(f.unconfirmed());
        if (f.reconnecting()) {
            return (f.unconfirmed() > 0 ? pending + ", and " : "") + "the producers are reconnecting to";
        }
        return (f.unconfirmed() > 0 ? pending : "a send that is due is not done") + " on";
    }

    /** Describes the beginning or the end of a fault: {@code fault 1, kill broker: gone at 20.004 s, asked for 20.000 s (pid 4711)}. */
    private static String fault(Finding.FaultDone f) {
        boolean began = f.step() == Finding.FaultStep.BEGAN;
        String what = switch (f.action()) {
            case KILL, STOP, RESTART -> began ? "gone" : "serving again";
            case PAUSE -> began ? "stopped" : "going on";
            case FILL -> began ? "its disk is full" : "its disk has room again";
            case RUN -> began ? "started" : "ended with exit status " + f.exitStatus();
            case CUT, RESET, BLACKHOLE, DELAY -> began ? "in effect" : "healed";
        };
        return text("fault %d, %s %s: %s at %.3f s", f.number(), f.action().word(), f.target(), what, f.effectiveSeconds())
            + (Double.isNaN(f.askedSeconds()) ? "" : text(", asked for %.3f s", f.askedSeconds()))
            + (f.detail().isEmpty() ? "" : " (" + f.detail() + ")");
    }

    /** Joins parts to one enumeration: {@code a, b and c}. */
    public static String list(List<String> parts) {
        int most = parts.size() - 1;
        return most < 1 ? String.join("", parts) : String.join(", ", parts.subList(0, most)) + " and " + parts.get(most);
    }

    private static String stripped(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private static String causes(Map<String, Long> counts) {
        return counts.entrySet().stream().map(e -> e.getKey() + " (" + e.getValue() + Counted.word(e.getValue(), " time)", " times)"))
            .collect(Collectors.joining("; "));
    }

    private static String sent(boolean confirmed) {
        return confirmed ? "confirmed" : "sent";
    }

    private String within(Duration drainTimeout) {
        return within(Setting.DRAIN_TIMEOUT, drainTimeout);
    }

    private String within(Setting limit, Duration time) {
        return "within " + name(limit) + " " + seconds(time);
    }

    private String permitted(Setting by) {
        return ", which " + name(by) + " permits";
    }

    private String name(Setting setting) {
        return names.apply(setting);
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }

    static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
