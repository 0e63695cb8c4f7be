package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.health.LoadFigures;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.health.TickDelay;
import io.brokermeter.engine.health.Waits;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.judge.VerdictCounts;
import io.brokermeter.engine.run.parts.ResultMerger;
import io.brokermeter.engine.run.parts.ShareResult;
import io.brokermeter.engine.run.parts.Spans;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.send.SendLoop;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Tells what this process knows of a run that is over, and judges its generator. Used by the reporting thread only, after the end of the
 * load.
 */
final class ResultBuilder {

    private final Scenario scenario;
    private final Timetable timetable;
    private final Participants participants;
    private final Recording recording;
    private final Reporting reporting;
    private final Failures sendFailures;
    private final RunState state;
    private final EventLog events;
    private final Progress progress;
    private final Drain drain;
    private final RunLedger runLedger;

    ResultBuilder(Scenario scenario, Timetable timetable, Participants participants, Recording recording, Reporting reporting,
            Failures failures,
            RunState state,
            EventLog events, Progress progress, Drain drain, RunLedger runLedger) {
        this.scenario = scenario;
        this.timetable = timetable;
        this.participants = participants;
        this.recording = recording;
        this.reporting = reporting;
        this.sendFailures = failures;
        this.state = state;
        this.events = events;
        this.progress = progress;
        this.drain = drain;
        this.runLedger = runLedger;
    }

    private ShareResult.Moments moments(long sendingEnded, long finished) {
        Map<String, ShareResult.Extent> groups = new LinkedHashMap<>();
        participants.receiving().forEach(group -> groups.put(group.plan().spec().name(), deliveries(group.receivers())));
        return new ShareResult.Moments(timetable.start(), timetable.measuredFrom(),
            participants.loops().stream().mapToLong(loop -> loop.spent.began()).filter(moment -> moment > 0).min().orElse(0),
            !participants.load().isEmpty(), sendingEnded, progress.firstOpened(), deliveries(participants.receivers()), groups, finished);
    }

    private static ShareResult.Extent deliveries(List<Receiver> of) {
        return new ShareResult.Extent(firstDelivery(of), lastDelivery(of));
    }

    private static long firstDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::firstDelivery).filter(moment -> moment > 0).min().orElse(0);
    }

    private static long lastDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::lastDelivery).max().orElse(0);
    }

    /**
     * Judges the load generator itself.
     *
     * @param loadEnded when the load ended, in nanoseconds since the epoch
     * @param cutShort whether the load ended before the producers had sent all of it
     */
    Health judge(HealthMonitor health, long loadEnded, boolean cutShort, long sendingEnded, @Nullable BrokerFigures broker) {
        Histogram late = new Histogram(1, 60_000_000_000L, 2);
        long scheduledLoops = 0;
        long due = 0;
        long owed = 0;
        double asked = 0;
        double reached = 0;
        List<TickDelay> ticks = new ArrayList<>();
        Waits waits = Waits.NONE;
        Waits lateWaits = Waits.NONE;
        double working = 1;
        String slackRefused = "";
        boolean spins = false;
        double roundTrip = Double.POSITIVE_INFINITY;
        long window = 0;
        for (Participants.SendingGroup group : participants.load()) {
            long planned = 0;
            if (group.loops().stream().anyMatch(SendLoop::scheduled)) {
                roundTrip = Math.min(roundTrip, group.plan().endpoint().roundTrip().toNanos() / 1e9);
                window += group.senders().stream().mapToLong(Sender::window).sum();
            }
            long length = 1;
            for (SendLoop loop : group.loops()) {
                slackRefused = slackRefused.isEmpty() ? loop.slackRefused : slackRefused;
                spins |= loop.spins();
                if (loop.finished() && loop.scheduled()) {
                    scheduledLoops++;
                    late.add(loop.spent.lateness);
                    ticks.add(loop.spent.tickDelay());
                    SendLoop.Kept kept = loop.kept(loadEnded, cutShort);
                    due += kept.due();
                    planned += kept.planned();
                    owed += kept.late();
                    length = Math.max(length, kept.length());
                    double took = loop.spent.began() == 0 ? 0 : loop.spent.sendingEnd() - loop.spent.began();
                    waits = waits.plus(loop.spent.waits());
                    lateWaits = lateWaits.plus(loop.spent.waits().partsOf(Math.max(1, took)).times(kept.late()));
                    working += took;
                }
            }
            if (timetable.isScheduled(group.plan())) {
                reached += timetable.isPartlyUnscheduled(group.plan()) ? Double.NaN
                    : Spans.rate(Participants.sum(group.senders(), s -> s.sent.get()), messageSeconds(group, sendingEnded));
            }
            double mean = scenario.phases().isEmpty() && participants.rate().count() == 0 ? switch (group.plan().spec().load()) {
                case Load.Constant constant -> constant.rate().perSecond();
                case Load.Poisson poisson -> poisson.mean();
                default -> Double.NaN;
            } : Double.NaN;
            asked += Double.isNaN(mean) ? planned * 1e9 / length
                : mean * group.senders().size() / group.plan().producers().size();
        }
        // The judgement needs all samples, and the samples that are taken from the lanes must reach the reports, too.
        reporting.reportRest(() -> {});
        Metric believed = measured(Metric.RESPONSE).count() > 0 ? Metric.RESPONSE : Metric.SEND;
        Schedule schedule = due == 0 ? Schedule.NONE : new Schedule(due, owed, asked, reached);
        // Threads that were late say why: one that waits all the time is a small part of the time of many.
        Waits parts = schedule.kept() ? waits.partsOf(working) : lateWaits.partsOf(owed);
        long most = scheduledLoops > 0 ? 0 : participants.ofSenders(Sender::window);
        LoadFigures.Far far = Double.isFinite(roundTrip) && roundTrip > 0
            ? new LoadFigures.Far(roundTrip, window, median(Metric.SEND)) : LoadFigures.Far.NONE;
        String refused = slackRefused;
        boolean spinning = spins;
        return health.judge(LoadFigures.of(its -> {
            its.messages = reporting.costMessages();
            its.schedule = schedule;
            its.waits = parts;
            its.ticks = TickDelay.sum(ticks);
            its.lateness = late;
            its.sendDelay = measured(Metric.SEND_DELAY).histogram();
            its.response = measured(believed).histogram();
            its.responded = believed == Metric.RESPONSE;
            its.confirmSeconds = of(recording.taken(), Metric.SEND).meanNanos() / 1e9;
            its.coldResponse = reporting.cold(believed);
            its.coldSeconds = reporting.coldSeconds();
            its.most = most;
            its.brokerCpuSeconds = broker == null ? Double.NaN : broker.localCpuSeconds();
            its.spins = spinning;
            its.far = far;
            its.slackRefused = refused;
            its.rateChanges = participants.rate().count();
        }));
    }

    /**
     * Returns the samples of a metric that were due in the measured part; in a run so far behind its schedule that there are none, those that
     * were taken in the measured part and due in the warm-up.
     */
    private Distribution measured(Metric metric) {
        Distribution due = total(metric);
        return due.count() > 0 ? due : of(recording.taken(), metric);
    }

    /** Returns the median of a metric in seconds, with samples that were due in the warm-up and taken after it; 0 without samples. */
    private double median(Metric metric) {
        Distribution all = of(recording.taken(), metric);
        return all.count() == 0 ? 0 : all.nanosAt(50) / 1e9;
    }

    Distribution total(Metric metric) {
        return of(recording.total(), metric);
    }

    private static Distribution of(Map<Metric, Distribution> all, Metric metric) {
        return Objects.requireNonNull(all.get(metric), () -> "No samples are kept for " + metric);
    }

    /**
     * Returns what this process knows of the run, once everything is closed; {@link ResultMerger} makes the result of it.
     *
     * @param number number of the share
     * @param verdictCounts counts that fail the run or qualify its figures
     * @param finished the last moment of the run, in nanoseconds since the epoch
     * @param outages null where nobody followed them
     */
    ShareResult part(int number, VerdictCounts verdictCounts, long sendingEnded, long finished, Connections connections,
            @Nullable BrokerFigures broker,
            Health health, ShareResult.@Nullable Outages outages) {
        MeasuredPart measured = MeasuredPart.of(its -> {
            its.counts = participants.countsIn(timetable.warmups(), timetable.phaseCount());
            its.costMessages = reporting.costMessages();
            its.costSeconds = reporting.costSeconds();
            its.overdueSent = recording.overdue(Metric.SEND_DELAY);
            its.overdueReceived = recording.overdue(Metric.RESPONSE);
            its.times = recording.taken();
        });
        RunResult own = RunResult.of(its -> {
            its.measured = recording.total();
            its.part = measured;
            its.groups = groups(sendingEnded);
            its.phases = phases();
            its.broker = broker;
            its.health = health;
            its.versions = versions(connections);
            its.warmUp = reporting.warmUp();
            its.connects = connections.connectTimes();
        });
        return new ShareResult(number, own, verdictCounts, runLedger.receipts(participants.receivers()), moments(sendingEnded, finished),
            outages);
    }

    /** Returns everything that this process counted, except for the ledger, when the run is over. */
    private Counts counts() {
        return participants.counts().withoutLedger().with(Count.UNCONFIRMED, participants.ofSenders(Sender::unconfirmed))
            .with(Count.UNANSWERED, participants.ofSenders(Sender::unanswered));
    }

    private static Map<String, String> versions(Connections connections) {
        Map<String, String> versions = new LinkedHashMap<>();
        String tool = Run.class.getPackage().getImplementationVersion();
        versions.put("tool", tool == null ? "development" : tool);
        versions.put("java", Runtime.version().toString());
        putUnlessEmpty(versions, "producer client", String.join(" and ", connections.clients(true)));
        putUnlessEmpty(versions, "consumer client", String.join(" and ", connections.clients(false)));
        putUnlessEmpty(versions, "broker", connections.broker());
        return versions;
    }

    private static void putUnlessEmpty(Map<String, String> versions, String name, String version) {
        if (!version.isEmpty()) {
            versions.put(name, version);
        }
    }

    private List<GroupResult> groups(long sendingEnded) {
        List<GroupResult> results = new ArrayList<>();
        for (Participants.SendingGroup group : participants.sending()) {
            ProducerGroup p = group.plan();
            List<Sender> senders = group.senders();
            results.add(GroupResult.of(its -> {
                its.name = p.spec().name();
                its.producing = true;
                its.publishesCounts = group.publishesCounts();
                its.protocol = p.driver().protocol();
                its.counts = participants.counts(group);
                its.messageSeconds = messageSeconds(group, sendingEnded);
                its.measured = recording.group(p.index());
                its.endpoints = senders.stream().map(s -> new GroupResult.EndpointResult(s.plan.destination().toString(), s.sent.get()))
                    .toList();
            }));
        }
        for (Participants.ReceivingGroup group : participants.receiving()) {
            results.add(GroupResult.of(its -> {
                its.name = group.plan().spec().name();
                its.protocol = group.plan().driver().protocol();
                its.counts = participants.counts(group);
                its.measured = recording.group(group.plan().index());
                its.endpoints = group.receivers().stream()
                    .map(r -> new GroupResult.EndpointResult(r.plan.destination().toString(), r.received.get())).toList();
            }));
        }
        return results;
    }

    /** Returns for how long a group sent, in seconds. */
    private double messageSeconds(Participants.SendingGroup group, long sendingEnded) {
        return Spans.group(timetable.start(), group.plan().spec().start().delay().toNanos(), group.sendingEnd(sendingEnded));
    }

    private List<PhaseResult> phases() {
        List<PhaseResult> results = new ArrayList<>();
        for (int i = 0; i < scenario.phases().size(); i++) {
            int number = i + timetable.warmups();
            results.add(new PhaseResult(scenario.phases().get(i).name(), 0, participants.countsIn(number, number + 1), 0,
                recording.phase(number)));
        }
        return results;
    }

    /**
     * Returns what this process recorded of faults and lost connections.
     *
     * @param loadOver when the load of this process was over, in nanoseconds since the epoch
     * @param cutByLoss whether the permanent loss of a connection ended the load
     */
    ShareResult.Outages outages(long loadOver, boolean cutByLoss) {
        return new ShareResult.Outages(events.outages(), new Scorecard.Reconnects(events.attempts(), events.reconnects()),
            participants.ofSenders(s -> s.reports.doubtedConfirmed()), participants.ofReceivers(r -> r.resentDuplicates.get()), loadOver,
            cutByLoss);
    }

    /** Returns whether the run was ended too early to distinguish late messages from lost ones. */
    private boolean mayBeLate() {
        return state.isDrainCut() || state.isStopping() && progress.lacksConsumers();
    }

    /**
     * Returns the number of unconfirmed sends by cause: the causes that drivers reported, and for sends that are still pending the loss of
     * their connection.
     */
    private Map<String, Long> unconfirmedCauses() {
        Map<String, Long> causes = sendFailures.unknownCounts();
        for (Sender sender : participants.senders()) {
            Throwable loss = sender.recovery.loss();
            if (loss != null && sender.pending() > 0) {
                causes.merge(sendFailures.text(loss), sender.pending(), Long::sum);
            }
        }
        return causes;
    }

    /**
     * Returns the counts of this process. Called once everything is closed.
     *
     * @param broken failures that were found before the counts are judged
     */
    VerdictCounts verdictCounts(List<Finding.Failure> broken, Schedule schedule) {
        return VerdictCounts.of(its -> {
            its.signal = state.endedBy();
            its.drainCut = state.isDrainCut();
            its.mayBeLate = mayBeLate();
            its.fatal = events.fatalFindings();
            its.broken = List.copyOf(broken);
            its.schedule = schedule;
            its.counts = counts();
            its.failureCauses = sendFailures.counts();
            its.unconfirmedCauses = unconfirmedCauses();
            its.unreplied = participants.ofSenders(Sender::unreplied);
            its.strayConfirmations = participants.ofSenders(s -> s.reports.strayConfirmations.get());
            its.otherClock = participants.ofReceivers(r -> r.otherClock.get());
            its.orderUnknown = participants.ofReceivers(Receiver::orderUnknown);
            its.unknownSendTime = participants.ofReceivers(r -> r.unknownSendTime.get());
            its.stillArriving = drain.deliveriesStillArriving();
            its.taken = runLedger.taken();
            its.sentTo = new HashMap<>();
            participants.load().forEach(group -> group.senders()
                .forEach(s -> its.sentTo.merge(s.plan.destinationIndex(), s.sent.get(), Long::sum)));
            its.receivedFrom = new HashMap<>();
            participants.receivers().forEach(r -> its.receivedFrom.merge(r.plan.destinationIndex(), r.received.get(), Long::sum));
            its.backlog = reporting.backlog();
        });
    }
}
