package io.brokermeter.engine.run.judge;

import java.util.stream.Stream;

import io.brokermeter.engine.finding.Behind;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import org.jspecify.annotations.Nullable;

/**
 * Whether a run reached a steady state: a pure function of its plan and of what was counted. Where the broker confirms, or consumers take,
 * less than what is sent, what waits grows as long as the run lasts, and all times with it.
 */
final class Steadiness {

    private final Plan plan;
    private final Scenario scenario;
    private final Backlog backlog;

    Steadiness(Plan plan, Backlog backlog) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.backlog = backlog;
    }

    /**
     * Returns who was too slow; null if nobody was, if the load itself was not steady, or if the run is too short to tell.
     *
     * @param ledger null for none
     * @param mayBeLate whether the run was ended before it was known which deliveries are late and which are lost
     */
    Finding.@Nullable NotSteady found(@Nullable LedgerReport ledger, boolean mayBeLate, boolean stillArriving) {
        if (!isLoadSteady()) {
            return null;
        }
        double warmup = scenario.limits().warmup().toNanos() / 1e9;
        long waiting = ledger == null ? 0
            : ledger.left() + (mayBeLate || stillArriving ? ledger.undelivered() : 0) + (mayBeLate ? ledger.lost() : 0);
        double due = ledger == null ? 0 : ledger.received() - ledger.duplicates() + (double) waiting;
        double perSend = due / Math.max(1, backlog.total().confirmed());
        Backlog.Growth unconfirmed = backlog.unconfirmed(warmup, held());
        if (unconfirmed != null) {
            // A broker that holds its producers back for consumers that are too slow is not slow itself.
            return finding(areConsumersBusy(unconfirmed.sentPerSecond() * perSend) ? Behind.BUSY_CONSUMERS
                : Behind.BROKER, unconfirmed);
        }
        if (ledger == null || !scenario.consumers().stream().allMatch(spec -> isWithLoad(spec.start()))
            || scenario.limitsReceives() || scenario.consumers().stream().anyMatch(spec -> spec.summarizer() != null)) {
            return null;
        }
        Backlog.Growth undelivered = backlog.undelivered(warmup, perSend, waiting);
        return undelivered == null ? null : finding(areConsumersBusy(undelivered.sentPerSecond() * perSend)
            ? Behind.BUSY_CONSUMERS : Behind.DELIVERIES, undelivered);
    }

    private static Finding.NotSteady finding(Behind who, Backlog.Growth growth) {
        return new Finding.NotSteady(who, growth.sentPerSecond(), growth.grownPerSecond());
    }

    /** Returns whether what waits may not grow: the load is the same all the time, and nothing happens to the broker on purpose. */
    private boolean isLoadSteady() {
        return scenario.sends() && scenario.faults().isEmpty() && scenario.phases().size() <= 1
            && scenario.producers().stream().allMatch(spec -> isWithLoad(spec.start()) && isSteady(spec));
    }

    private boolean isSteady(ProducerGroupSpec spec) {
        Load load = scenario.phases().isEmpty() ? spec.load() : scenario.phases().getFirst().loadOf(spec);
        return spec.messages().deliveryDelay().isZero() && switch (load) {
            case Load.AllOut _,Load.Constant _,Load.Poisson _,Load.Silence _ -> true;
            case Load.Steps _,Load.Sine _,Load.Bursts _,Load.Trace _ -> false;
        };
    }

    private boolean isWithLoad(Start start) {
        return !start.afterProducers() && start.delay().compareTo(scenario.limits().warmup()) <= 0;
    }

    /** Returns the number of messages that wait for no broker, but for the others of their transaction. */
    private long held() {
        return plan.producers().stream().mapToLong(Steadiness::held).sum();
    }

    private static long held(ProducerGroup group) {
        return (long) group.spec().commitInterval() * group.producers().size();
    }

    /** Returns whether the time that consumers were told to take for messages is too long for these deliveries per second. */
    private boolean areConsumersBusy(double perSecond) {
        Stream<ConsumerGroup> groups = plan.consumers().stream().filter(group -> group.requesters() == null);
        return groups.mapToDouble(group -> group.consumers().size() / seconds(group.spec())).sum() < perSecond;
    }

    /** Returns the shortest mean time that a consumer was told to take for a message. */
    private static double seconds(ConsumerGroupSpec spec) {
        return Math.max(spec.processing().mean().toNanos(), spec.spacingNanos()) / 1e9;
    }
}
