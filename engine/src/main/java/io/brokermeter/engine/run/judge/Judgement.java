package io.brokermeter.engine.run.judge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

import io.brokermeter.engine.finding.Drops;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** The judgement of a run by its counts and its ledger, whether one process counted or several: a pure function of these. */
public final class Judgement {

    /** The time in seconds up to which no broker minds that a batch is not acknowledged. */
    private static final double LONG_FILL = 1;

    private final Plan plan;
    private final Scenario scenario;
    private final VerdictCounts verdictCounts;
    private final @Nullable LedgerReport ledger;

    /** @param ledger null for none */
    public Judgement(Plan plan, VerdictCounts verdictCounts, @Nullable LedgerReport ledger) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.verdictCounts = verdictCounts;
        this.ledger = ledger;
    }

    /**
     * Returns the findings that do not fail the run and still change how its numbers must be read.
     *
     * @param negativeTransfers transfer times below zero
     */
    public List<Finding.Notice> notices(long negativeTransfers) {
        List<Finding.Notice> all = new ArrayList<>();
        add(all, verdictCounts.otherClock(), Finding.OtherClock::new);
        add(all, verdictCounts.orderUnknown(), Finding.OrderNotFollowed::new);
        add(all, verdictCounts.unknownSendTime(), Finding.SendTimeUnknown::new);
        add(all, negativeTransfers, Finding.TransfersBelowZero::new);
        add(all, verdictCounts.mayBeLate() ? verdictCounts.unconfirmed() : 0, Finding.EndedUnconfirmed::new);
        sendFailures().stream().filter(this::permits).forEach(finding -> all.add(new Finding.Permitted(finding, by(finding))));
        stateFailures().stream().filter(this::permits).forEach(finding -> all.add(new Finding.Permitted(finding, by(finding))));
        List<Integer> unread = unread();
        if (!unread.isEmpty() && unsent().isEmpty()) {
            all.add(new Finding.NobodyReceives(unread.stream().mapToLong(verdictCounts.sentTo()::get).sum(), name(unread.getFirst()),
                unread.size() - 1));
        }
        if (ledger == null) {
            return all;
        }
        add(all, ledger.beforeSubscription(), Finding.BeforeSubscription::new);
        LedgerReport.Detour detour = ledger.detour();
        if (detour != null) {
            all.add(new Finding.FromOtherDestinations(ledger.otherDestination(), plan.destinations().get(detour.from()).toString(),
                plan.destinations().get(detour.to()).toString()));
        }
        if (verdictCounts.mayBeLate()) {
            add(all, scenario.sends() ? ledger.lost() + ledger.left() + ledger.undelivered() : 0,
                late -> new Finding.EndedUndelivered(late, plan.confirms()));
        } else if (scenario.sends() && scenario.limits().allowLoss()) {
            missing(ledger).forEach(finding -> all.add(new Finding.Permitted(finding, by(finding))));
        }
        add(all, scenario.sends() ? 0 : ledger.lost(), Finding.Gaps::new);
        double fill = fillSeconds();
        if (fill > LONG_FILL && scenario.faults().isEmpty()) {
            add(all, ledger.duplicates(), count -> new Finding.BatchRedelivered(count, largestBatch(), fill));
        }
        return all;
    }

    /**
     * Returns the failures of a run that has begun.
     *
     * @param thresholdEnded whether a threshold ended the run, so that fewer messages may have been taken than was asked for
     */
    public List<Finding.Failure> failures(boolean thresholdEnded) {
        List<Finding.Failure> all = new ArrayList<>(verdictCounts.fatal());
        all.addAll(verdictCounts.broken());
        sendFailures().stream().filter(failure -> !permits(failure)).forEach(all::add);
        stateFailures().stream().filter(failure -> !permits(failure)).forEach(all::add);
        add(all, verdictCounts.unanswered() - (verdictCounts.mayBeLate() ? verdictCounts.unreplied() : 0), Finding.Unanswered::new);
        add(all, ledger == null ? 0 : ledger.rolledBackDelivered(), Finding.RolledBackDelivered::new);
        add(all, verdictCounts.strayConfirmations(), Finding.StrayConfirmations::new);
        if (verdictCounts.signal() == 0 && verdictCounts.fatal().isEmpty() && !verdictCounts.drainCut() && !thresholdEnded) {
            all.addAll(tooFew());
        }
        if (ledger != null) {
            add(all, ledger.failedDelivered(), Finding.FailedDelivered::new);
            add(all, ledger.unselected(), Finding.Unselected::new);
            add(all, ledger.corrupt(), Finding.Corrupt::new);
            if (scenario.sends() && !scenario.limits().allowLoss() && !verdictCounts.mayBeLate()) {
                all.addAll(missing(ledger));
            }
            if (!ledger.closes()) {
                all.add(new Finding.LedgerOpen(ledger.expected(), ledger.received(), ledger.duplicates(), ledger.lost(), ledger.left()));
            }
        }
        Schedule schedule = verdictCounts.schedule();
        if (schedule.failed() && verdictCounts.fatal().isEmpty()) {
            all.add(new Finding.RateMissed(schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond()));
        }
        return all;
    }

    /** Returns the failures of one of several processes that do not depend on what the other processes know. */
    public List<Finding.Failure> ownFailures() {
        List<Finding.Failure> all = new ArrayList<>(verdictCounts.fatal());
        all.addAll(verdictCounts.broken());
        return all;
    }

    /**
     * Returns whether a failure is permitted: failed and unconfirmed sends, which a lost connection leaves behind, where the run restores
     * connections; failed ones where the load may be too much; consumers that get nothing, where losses are allowed; and a backlog that grows
     * where the load may be too much, or no rate was asked for, so that none was missed.
     */
    private boolean permits(Finding.Failure failure) {
        return switch (failure) {
            case Finding.SendsFailed _ -> scenario.limits().recovery() != null || scenario.limits().allowOverload();
            case Finding.Unconfirmed _ -> scenario.limits().recovery() != null;
            case Finding.NobodySends _ -> scenario.limits().allowLoss();
            case Finding.NotSteady _ -> !scenario.scheduled() || scenario.limits().allowOverload();
            default -> false;
        };
    }

    /** Returns the setting that permits a failure, null where the kind of load does. */
    private @Nullable Setting by(Finding.Failure permitted) {
        return switch (permitted) {
            case Finding.SendsFailed _ when scenario.limits().allowOverload() -> Setting.ALLOW_OVERLOAD;
            case Finding.SendsFailed _,Finding.Unconfirmed _ -> Setting.RECONNECT;
            case Finding.NotSteady _ -> scenario.scheduled() ? Setting.ALLOW_OVERLOAD : null;
            default -> Setting.ALLOW_LOSS;
        };
    }

    /** Returns why the run did not measure what it says, although each count may be right: nobody met, or no state was steady. */
    private List<Finding.Failure> stateFailures() {
        List<Finding.Failure> all = new ArrayList<>();
        if (!verdictCounts.fatal().isEmpty()) {
            return all;
        }
        List<Integer> unsent = unsent();
        if (!unsent.isEmpty()) {
            all.add(new Finding.NobodySends(name(unsent.getFirst()), unsent.size() - 1, unread().stream().findFirst().map(this::name)
                .orElse("")));
        }
        Finding.NotSteady grown =
            new Steadiness(plan, verdictCounts.backlog()).found(ledger, verdictCounts.mayBeLate(), verdictCounts.stillArriving());
        if (grown != null) {
            all.add(grown);
        }
        return all;
    }

    private int largestBatch() {
        return scenario.consumers().stream().filter(spec -> spec.ackMode() != AckMode.AUTO).mapToInt(ConsumerGroupSpec::batch).max()
            .orElse(1);
    }

    /** Returns the time in which the largest batch of a consumer filled, at the mean rate of the deliveries, in seconds; NaN if unknown. */
    private double fillSeconds() {
        long consumers = plan.consumers().stream().mapToLong(group -> group.consumers().size()).sum();
        return largestBatch() < 2 ? Double.NaN : largestBatch() * (double) consumers / verdictCounts.backlog().receivedPerSecond();
    }

    private String name(int destination) {
        return plan.destinations().get(destination).toString();
    }

    /** Returns the destinations with consumers that no producer of the run sends to and from which nothing came. */
    private List<Integer> unsent() {
        Set<Integer> sentTo = plan.producers().stream().flatMap(group -> group.producers().stream()).map(ProducerPlan::destinationIndex)
            .collect(Collectors.toSet());
        return sentTo.isEmpty() ? List.of() : verdictCounts.receivedFrom().entrySet().stream()
            .filter(from -> from.getValue() == 0 && !sentTo.contains(from.getKey())).map(Map.Entry::getKey).sorted().toList();
    }

    /** Returns the destinations that the run sent to and that have no consumer, unless messages reached consumers of others from there. */
    private List<Integer> unread() {
        boolean known = !verdictCounts.receivedFrom().isEmpty() && (ledger == null || ledger.otherDestination() == 0);
        return known ? verdictCounts.sentTo().entrySet().stream()
            .filter(to -> to.getValue() > 0 && !verdictCounts.receivedFrom().containsKey(to.getKey()))
            .map(Map.Entry::getKey).sorted().toList() : List.of();
    }

    private List<Finding.Failure> sendFailures() {
        List<Finding.Failure> all = new ArrayList<>();
        add(all, verdictCounts.failed(), failed -> new Finding.SendsFailed(failed, verdictCounts.failureCauses()));
        add(all, verdictCounts.mayBeLate() ? 0 : verdictCounts.unconfirmed(),
            count -> new Finding.Unconfirmed(count, ledger == null ? 0 : ledger.unconfirmedDelivered(), verdictCounts.unconfirmedCauses()));
        return all;
    }

    /** Returns a failure for each group that took fewer messages than it was to take. */
    private List<Finding.Failure> tooFew() {
        Duration limit = scenario.limits().duration();
        List<Finding.Failure> all = new ArrayList<>();
        Map<Integer, Long> quotas = plan.quotas();
        for (ConsumerGroup group : plan.consumers()) {
            Long taken = verdictCounts.taken().get(group.index());
            long quota = quotas.getOrDefault(group.index(), 0L);
            if (taken != null && taken < quota) {
                all.add(new Finding.TooFewTaken(scenario.consumers().size() == 1 ? "" : group.spec().name(), taken, quota,
                    limit.isZero() ? null : limit));
            }
        }
        return all;
    }

    /** Returns failures for deliveries that were due and did not come in a run that sends: lost, left in the broker, or one of the two. */
    private List<Finding.Failure> missing(LedgerReport report) {
        Duration timeout = scenario.limits().drainTimeout();
        List<Finding.Failure> all = new ArrayList<>();
        Drops drops = DropSettings.of(scenario, verdictCounts.requeued());
        add(all, report.lost(), count -> new Finding.Lost(count, plan.confirms(), timeout, drops));
        add(all, report.left(), count -> new Finding.Left(count, timeout));
        add(all, report.undelivered(),
            count -> new Finding.Undelivered(count, plan.confirms(), timeout, verdictCounts.stillArriving(), drops));
        return all;
    }

    private static <F> void add(List<? super F> all, long count, LongFunction<F> finding) {
        if (count > 0) {
            all.add(finding.apply(count));
        }
    }
}
