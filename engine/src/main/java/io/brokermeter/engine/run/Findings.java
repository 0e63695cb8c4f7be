package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/** What the counts and the ledger of a run say about it when it is over: why it failed, and notices. Reporting thread only. */
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

    /** Whether the run was ended too early to tell what is late from what is lost. */
    boolean mayBeLate() {
        return state.isDrainCut() || state.isStopping() && progress.lacksConsumers();
    }

    /** What does not fail a run and still changes how its numbers must be read. */
    void addNotices(@Nullable LedgerReport ledger, @Nullable Distribution transfers) {
        long otherClock = cast.ofReceivers(r -> r.otherClock.get());
        if (otherClock > 0) {
            events.notice(new Finding.OtherClock(otherClock));
        }
        long orderUnknown = cast.ofReceivers(Receiver::orderUnknown);
        if (orderUnknown > 0) {
            events.notice(new Finding.OrderNotFollowed(orderUnknown));
        }
        long unknown = cast.ofReceivers(r -> r.unknownSendTime.get());
        if (unknown > 0) {
            events.notice(new Finding.SendTimeUnknown(unknown));
        }
        if (transfers != null && transfers.negative() > 0) {
            events.notice(new Finding.TransfersBelowZero(transfers.negative()));
        }
        long unconfirmed = cast.ofSenders(Sender::unconfirmed);
        if (mayBeLate() && unconfirmed > 0) {
            events.notice(new Finding.EndedUnconfirmed(unconfirmed));
        }
        if (ledger == null) {
            return;
        }
        if (ledger.beforeSubscription() > 0) {
            events.notice(new Finding.BeforeSubscription(ledger.beforeSubscription()));
        }
        if (mayBeLate()) {
            long late = ledger.lost() + ledger.left() + ledger.undelivered();
            if (scenario.sends() && late > 0) {
                events.notice(new Finding.EndedUndelivered(late, plan.confirms()));
            }
        } else if (scenario.sends() && scenario.limits().allowLoss()) {
            missing(ledger).forEach(finding -> events.notice(new Finding.Permitted(finding)));
        }
        if (!scenario.sends() && ledger.lost() > 0) {
            events.notice(new Finding.Gaps(ledger.lost()));
        }
    }

    /**
     * What makes a run fail that came to its end.
     *
     * @param broken what was found before
     */
    List<Finding.Failure> failures(List<Finding.Failure> broken, @Nullable LedgerReport ledger, Schedule schedule) {
        List<Finding.Failure> all = events.fatalFindings();
        all.addAll(broken);
        long failed = cast.ofSenders(s -> s.failed.get());
        if (failed > 0) {
            all.add(new Finding.SendsFailed(failed, failures.counts()));
        }
        if (!mayBeLate()) {
            addCounted(all, cast.ofSenders(Sender::unconfirmed),
                    count -> new Finding.Unconfirmed(count, ledger == null ? 0 : ledger.unconfirmedDelivered()));
        }
        addCounted(all, cast.ofSenders(Sender::unanswered) - (mayBeLate() ? cast.ofSenders(Sender::unreplied) : 0), Finding.Unanswered::new);
        addCounted(all, ledger == null ? 0 : ledger.rolledBackDelivered(), Finding.RolledBackDelivered::new);
        addCounted(all, cast.ofSenders(s -> s.strayConfirmations.get()), Finding.StrayConfirmations::new);
        if (state.signal() == 0 && !events.isFatal() && !state.isDrainCut()) {
            all.addAll(books.tooFew());
        }
        if (ledger != null) {
            addCounted(all, ledger.failedDelivered(), Finding.FailedDelivered::new);
            addCounted(all, ledger.unselected(), Finding.Unselected::new);
            addCounted(all, ledger.corrupt(), Finding.Corrupt::new);
            if (scenario.sends() && !scenario.limits().allowLoss() && !mayBeLate()) {
                all.addAll(missing(ledger));
            }
            if (!ledger.closes()) {
                all.add(new Finding.LedgerOpen(ledger.expected(), ledger.received(), ledger.duplicates(), ledger.lost(), ledger.left()));
            }
        }
        if (schedule.failed() && !events.isFatal()) {
            all.add(new Finding.RateMissed(schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond()));
        }
        return all;
    }

    private static void addCounted(List<Finding.Failure> all, long count, LongFunction<Finding.Failure> finding) {
        if (count > 0) {
            all.add(finding.apply(count));
        }
    }

    /** What was due and did not come in a run that sends: lost, left in the broker, or one of the two. */
    private List<Finding.Failure> missing(LedgerReport ledger) {
        Duration timeout = scenario.limits().drainTimeout();
        List<Finding.Failure> all = new ArrayList<>();
        addCounted(all, ledger.lost(), count -> new Finding.Lost(count, plan.confirms(), timeout));
        addCounted(all, ledger.left(), count -> new Finding.Left(count, timeout));
        addCounted(all, ledger.undelivered(),
                count -> new Finding.Undelivered(count, plan.confirms(), timeout, drain.deliveriesStillArriving()));
        return all;
    }
}
