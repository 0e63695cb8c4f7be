package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.health.LoadFigures;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Scenario;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Makes the result of a run from what its parts counted. Reporting thread only, when the load has ended. */
final class Outcome {

    private final Plan plan;
    private final Scenario scenario;
    private final Timetable timetable;
    private final Cast cast;
    private final Recording recording;
    private final Reporting reporting;
    private final Failures sendFailures;

    Outcome(Plan plan, Timetable timetable, Cast cast, Recording recording, Reporting reporting, Failures failures) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.timetable = timetable;
        this.cast = cast;
        this.recording = recording;
        this.reporting = reporting;
        this.sendFailures = failures;
    }

    /** Which stretches of the run its figures are about. */
    Spans spans(long sendingEnded) {
        return new Spans(timetable.start(), scenario.limits().warmup().toNanos(), !cast.senders().isEmpty(), sendingEnded,
                cast.receiving().stream().noneMatch(group -> group.start().isWithRun()), firstDelivery(cast.receivers()),
                lastDelivery(cast.receivers()));
    }

    private static long firstDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::firstDelivery).filter(moment -> moment > 0).min().orElse(0);
    }

    private static long lastDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::lastDelivery).max().orElse(0);
    }

    /**
     * Judges the generator.
     *
     * @param loadEnded when the load ended
     * @param cutShort whether it ended before the producers were through with it
     */
    Health judge(HealthMonitor health, long loadEnded, boolean cutShort, @Nullable BrokerFigures broker) {
        Histogram late = new Histogram(1, 60_000_000_000L, 2);
        long loadTook = Math.max(1, Math.min(loadEnded, timetable.loadEnd()) - timetable.start());
        long scheduledLoops = 0;
        long due = 0;
        long owed = 0;
        double asked = 0;
        double full = 0;
        double resting = 0;
        String slackRefused = "";
        for (Cast.SendingGroup group : cast.load()) {
            long groupDue = 0;
            long length = 1;
            for (SendLoop loop : group.loops()) {
                slackRefused = loop.slackRefused;
                if (loop.finished() && loop.scheduled()) {
                    scheduledLoops++;
                    late.add(loop.lateness);
                    SendLoop.Kept kept = loop.kept(loadEnded, cutShort);
                    groupDue += kept.due();
                    owed += kept.late();
                    length = Math.max(length, kept.length());
                    full += loop.windowWait;
                    resting += loop.restWait;
                }
            }
            due += groupDue;
            asked += scenario.phases().isEmpty() && group.plan().side().load() instanceof Load.Constant constant
                    ? constant.rate().perSecond() : groupDue * 1e9 / length;
        }
        double working = Math.max(1.0, (double) scheduledLoops * loadTook);
        // The judgement needs all samples, and what is taken from the lanes must reach the reports too.
        reporting.reportRest();
        Metric believed = total(Metric.RESPONSE).count() > 0 ? Metric.RESPONSE : Metric.SEND;
        return health.judge(new LoadFigures(reporting.costMessages(), due == 0 ? Schedule.NONE : new Schedule(due, owed, asked),
                full / working, resting / working, late, total(Metric.SEND_DELAY).histogram(), total(believed).histogram(),
                reporting.cold(believed), scheduledLoops > 0 ? 0 : cast.ofSenders(Sender::window),
                broker == null ? Double.NaN : broker.cpuSeconds(), scenario.pacing() != Pacing.PARK, slackRefused));
    }

    Distribution total(Metric metric) {
        Distribution d = recording.total().get(metric);
        if (d == null) {
            throw new IllegalStateException("No samples are kept for " + metric);
        }
        return d;
    }

    /**
     * The result.
     *
     * @param failures why the run failed, empty for a success
     * @param drained whether the drain was left to end by itself
     * @param finished the last moment of the run
     */
    RunResult result(List<Finding.Failure> failures, int signal, boolean drained, long finished, Spans spans, @Nullable LedgerReport ledger,
            long reconnects, Links links, @Nullable BrokerFigures broker, Health health) {
        Cast.Counts counts = cast.counts();
        MeasuredPart part = new MeasuredPart(spans.measuredSending(), inMeasuredPhases(cast.senders(), s -> s.sentInPhase),
                inMeasuredPhases(cast.receivers(), r -> r.receivedInPhase), spans.measuredReceiving(), reporting.costMessages(),
                reporting.costSeconds(), recording.overdue(Metric.SEND_DELAY), recording.overdue(Metric.RESPONSE), recording.taken());
        return new RunResult(failures, signal, drained, EpochClock.instant(timetable.start()),
                Duration.ofNanos(Math.max(0, finished - timetable.start())), Duration.ofNanos(Math.round(spans.sending() * 1e9)),
                counts.sent(), counts.blocked(), counts.completed(), counts.failed(), cast.ofSenders(Sender::unconfirmed),
                counts.received(), ledger, recording.total(), part, reconnects, plan.confirms(), sendFailures.counts(),
                cast.ofSenders(s -> s.rolledBack.get()), cast.ofReceivers(r -> r.requeued.get()),
                cast.ofReceivers(r -> r.rejected.get()), cast.ofSenders(Sender::unanswered), spans.receiving(), groups(spans),
                phases(spans), broker, health, versions(links));
    }

    private static Map<String, String> versions(Links links) {
        Map<String, String> versions = new LinkedHashMap<>();
        String tool = Run.class.getPackage().getImplementationVersion();
        versions.put("tool", tool == null ? "development" : tool);
        versions.put("java", Runtime.version().toString());
        putUnlessEmpty(versions, "producer client", String.join(" and ", links.clients(true)));
        putUnlessEmpty(versions, "consumer client", String.join(" and ", links.clients(false)));
        putUnlessEmpty(versions, "broker", links.broker());
        return versions;
    }

    private static void putUnlessEmpty(Map<String, String> versions, String name, String version) {
        if (!version.isEmpty()) {
            versions.put(name, version);
        }
    }

    private List<GroupResult> groups(Spans spans) {
        List<GroupResult> results = new ArrayList<>();
        for (Cast.SendingGroup group : cast.sending()) {
            ProducerGroup p = group.plan();
            List<Sender> senders = group.senders();
            results.add(new GroupResult(p.side().name(), true, p.driver().protocol(), Cast.sum(senders, s -> s.sent.get()),
                    Cast.sum(senders, s -> s.completed.get()), Cast.sum(senders, s -> s.failed.get()), cast.replies(p),
                    spans.group(p.side().start().delay().toNanos(), group.sendingEnd(spans.sendingEnd())),
                    recording.group(p.index())));
        }
        for (Cast.ReceivingGroup group : cast.receiving()) {
            results.add(new GroupResult(group.plan().side().name(), false, group.plan().driver().protocol(),
                    Cast.sum(group.repliers(), replier -> replier.sent.get()), 0, 0,
                    Cast.sum(group.receivers(), r -> r.received.get()),
                    Spans.receiving(firstDelivery(group.receivers()), lastDelivery(group.receivers())),
                    recording.group(group.plan().index())));
        }
        return results;
    }

    private List<PhaseResult> phases(Spans spans) {
        List<PhaseResult> results = new ArrayList<>();
        for (int i = 0; i < scenario.phases().size(); i++) {
            int number = i + timetable.warmups();
            Phase phase = scenario.phases().get(i);
            results.add(new PhaseResult(phase.name(), spans.phase(timetable.phaseBegin(number), timetable.phaseEnd(number),
                    number == timetable.phaseCount() - 1), Cast.sum(cast.senders(), s -> s.sentInPhase[number].get()),
                    Cast.sum(cast.receivers(), r -> r.receivedInPhase[number].get()), recording.phase(number)));
        }
        return results;
    }

    private interface ByPhase<T> {
        Counter[] of(T one);
    }

    private <T> long inMeasuredPhases(List<T> all, ByPhase<T> counters) {
        long sum = 0;
        for (int phase = timetable.warmups(); phase < timetable.phaseCount(); phase++) {
            int number = phase;
            sum += Cast.sum(all, one -> counters.of(one)[number].get());
        }
        return sum;
    }
}
