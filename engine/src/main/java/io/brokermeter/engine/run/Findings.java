package io.brokermeter.engine.run;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/** What the counts and the ledger of a run say about it when it is over: the causes of a failure, and notices. Reporting thread only. */
final class Findings {

    private final Plan plan;
    private final Scenario scenario;
    private final Cast cast;
    private final Books books;
    private final Failures failures;
    private final RunState state;
    private final EventLog events;
    private final Progress progress;
    private final Drain drain;

    Findings(Plan plan, Cast cast, Books books, Failures failures, RunState state, EventLog events, Progress progress, Drain drain) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.cast = cast;
        this.books = books;
        this.failures = failures;
        this.state = state;
        this.events = events;
        this.progress = progress;
        this.drain = drain;
    }

    /** Whether what is missing at the end may merely be late, since the run was ended before that could be told. */
    boolean mayBeLate() {
        return state.isDrainCut() || state.isStopping() && progress.lacksConsumers();
    }

    /** What does not fail a run and still changes how its numbers must be read. */
    void addNotices(@Nullable LedgerReport ledger, @Nullable Distribution transfers) {
        long otherClock = cast.ofReceivers(r -> r.otherClock.get());
        if (otherClock > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages carry another clock, that of another machine or from before the "
                    + "wall clock was set: their transfer and response times include the difference of the clocks", otherClock));
        }
        long orderUnknown = cast.ofReceivers(Receiver::orderUnknown);
        if (orderUnknown > 0) {
            events.notice(String.format(Locale.ROOT, "the order of %,d messages was not followed, since there are too many pairs of a "
                    + "producer and a consumer for the memory: give more with JAVA_ARGS=-Xmx4g or so", orderUnknown));
        }
        long unknown = cast.ofReceivers(r -> r.unknownSendTime.get());
        if (unknown > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages were sent more than 429 s late, so they have a response time and no "
                    + "transfer time", unknown));
        }
        if (transfers != null && transfers.negative() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d transfer times came out below zero and are left out: the sender's clock is ahead "
                    + "of the receiver's", transfers.negative()));
        }
        long unconfirmed = cast.ofSenders(Sender::unconfirmed);
        if (mayBeLate() && unconfirmed > 0) {
            events.notice(String.format(Locale.ROOT, "Ended before draining was over: %,d sends were not confirmed yet", unconfirmed));
        }
        if (ledger == null) {
            return;
        }
        if (ledger.beforeSubscription() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages were sent before the subscription to their topic began, and were not due",
                    ledger.beforeSubscription()));
        }
        if (mayBeLate()) {
            long late = ledger.lost() + ledger.left() + ledger.undelivered();
            if (scenario.sends() && late > 0) {
                events.notice(String.format(Locale.ROOT, "Ended before draining was over: %,d messages that were %s had not been delivered yet",
                        late, plan.confirms() ? "confirmed" : "sent"));
            }
        } else if (scenario.sends() && scenario.limits().allowLoss()) {
            undelivered(ledger).forEach(sentence -> events.notice(sentence + ", which --allow-loss permits"));
        }
        if (!scenario.sends() && ledger.lost() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages are missing between the first and the last of their producers: lost, "
                    + "or taken by another consumer", ledger.lost()));
        }
    }

    /** What makes a run fail that came to its end. */
    List<String> causes(@Nullable LedgerReport ledger) {
        List<String> all = new ArrayList<>();
        long failed = cast.ofSenders(s -> s.failed.get());
        long unconfirmed = cast.ofSenders(Sender::unconfirmed);
        if (failed > 0) {
            StringBuilder why = new StringBuilder();
            failures.counts().forEach((cause, times) ->
                    why.append(why.isEmpty() ? "" : "; ").append(cause).append(" (").append(times).append(" times)"));
            all.add(String.format(Locale.ROOT, "%,d sends failed: %s", failed, why));
        }
        if (unconfirmed > 0 && !mayBeLate()) {
            long delivered = ledger == null ? 0 : ledger.unconfirmedDelivered();
            all.add(String.format(Locale.ROOT, "%,d sends were never confirmed: the broker may or may not have them%s", unconfirmed,
                    delivered == 0 ? "" : String.format(Locale.ROOT, "; %,d of them were delivered all the same", delivered)));
        }
        long unanswered = cast.ofSenders(Sender::unanswered) - (mayBeLate() ? cast.ofSenders(Sender::unreplied) : 0);
        if (unanswered > 0) {
            all.add(String.format(Locale.ROOT, "%,d requests got no reply in time", unanswered));
        }
        long returned = ledger == null ? 0 : ledger.rolledBackDelivered();
        if (returned > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although they had been rolled back", returned));
        }
        long stray = cast.ofSenders(s -> s.strayConfirmations.get());
        if (stray > 0) {
            all.add(String.format(Locale.ROOT, "%,d confirmations came for messages that were not in flight", stray));
        }
        if (state.signal() == 0 && !events.isFatal() && !state.isDrainCut()) {
            all.addAll(books.tooFew(scenario.limits().duration().isZero() ? ""
                    : " within --duration " + seconds(scenario.limits().duration())));
        }
        if (ledger == null) {
            return all;
        }
        if (ledger.failedDelivered() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although their sending had failed", ledger.failedDelivered()));
        }
        if (ledger.unselected() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although they do not meet the selector", ledger.unselected()));
        }
        if (ledger.corrupt() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages arrived with a changed body", ledger.corrupt()));
        }
        if (scenario.sends() && !scenario.limits().allowLoss() && !mayBeLate()) {
            all.addAll(undelivered(ledger));
        }
        if (!ledger.closes()) {
            all.add("The ledger does not close: expected " + ledger.expected() + ", received " + ledger.received()
                    + ", duplicates " + ledger.duplicates() + ", lost " + ledger.lost() + ", left " + ledger.left());
        }
        return all;
    }

    /** What was due and did not come in a run that sends: lost, left in the broker, or one of the two. */
    private List<String> undelivered(LedgerReport ledger) {
        List<String> sentences = new ArrayList<>();
        String taken = plan.confirms() ? "confirmed" : "sent";
        String waited = "within --drain-timeout " + seconds(scenario.limits().drainTimeout());
        if (ledger.lost() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were lost: %s, not delivered %s, and no longer in the broker",
                    ledger.lost(), taken, waited));
        }
        if (ledger.left() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were left in the broker: consumers did not get them %s; raise it, or "
                    + "send less", ledger.left(), waited));
        }
        if (ledger.undelivered() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were %s and not delivered %s; whether the broker still has them "
                    + "is not known%s: raise it to tell late from lost", ledger.undelivered(), taken, waited,
                    drain.deliveriesStillArriving() ? ", and deliveries were still arriving" : ""));
        }
        return sentences;
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
    }
}
