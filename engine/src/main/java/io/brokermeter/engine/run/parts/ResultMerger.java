package io.brokermeter.engine.run.parts;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.ConnectTimes;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.MessageFates;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunLedger;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.run.judge.Backlog;
import io.brokermeter.engine.run.judge.Judgement;
import io.brokermeter.engine.run.judge.VerdictCounts;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/**
 * Makes the result of a run of the parts of the processes that executed it, of which a run in one process has one: sums of counts,
 * histograms merged without loss, one ledger of all sets. Nothing else creates a result. Of a process that was lost, the result includes what the process reported before, and what others received from it; the fate
 * of its messages is unknown. Used by one thread.
 */
public final class ResultMerger {

    /** The largest error of clocks, as a part of the median transfer time, with which times from one process to another are kept. */
    private static final double MOST_OF_MEDIAN = 0.1;

    private final Plan plan;
    private final Scenario scenario;
    private final RunLedger ledger;
    /** The moments of the run; null where only the parts have them. */
    private final @Nullable Timetable timetable;
    private final TreeMap<Integer, Part> parts = new TreeMap<>();
    private final Map<Integer, Ledger.Sent> sent = new TreeMap<>();
    private final Map<Share, IntervalSums> lost = new LinkedHashMap<>();
    private final GroupMerger groups;
    /** What lost processes are known to have counted. */
    private final List<VerdictCounts> reported = new ArrayList<>();
    private final OutageMerger outages = new OutageMerger();
    private final long begun;
    private final long known;
    private final Sections sections;

    /**
     * The result of a run, with notices that do not fail it.
     *
     * @param notices what the user should know
     */
    public record Merged(RunResult result, List<Finding.Notice> notices) {}

    /**
     * Hard bounds on how far the clocks of two processes can be apart, in nanoseconds; infinite where nothing is known.
     *
     * @param nanos the bound for two processes that one message goes through; 0 where each message is sent and received by one clock
     * @param apart the bound for any two processes, whether a message goes through both or not
     */
    public record ClockBound(double nanos, double apart) {

        /** The bound of processes that all use one clock. */
        public static final ClockBound NONE = new ClockBound(0, 0);

        /**
         * Returns whether times from one process to another say more about messages than about clocks.
         *
         * @param transfers the transfer times that were measured; null for none
         */
        public boolean isBelieved(@Nullable Distribution transfers) {
            return nanos <= 0 || transfers != null && transfers.count() > 0 && nanos <= MOST_OF_MEDIAN * transfers.nanosAt(50);
        }
    }

    /** The part of a process that came to its end, with its share and its name. */
    record Part(Share share, String agent, ShareResult made) {}

    /**
     * Creates a result without parts. {@code begun} and {@code known} count only where no process came to its end.
     *
     * @param plan the plan of all processes
     * @param run number of the run in its messages
     * @param begun when the load began, nanoseconds since the epoch
     * @param known until when the lost processes reported, nanoseconds since the epoch
     * @param sections the measured part of all processes
     */
    public ResultMerger(Plan plan, long run, long begun, long known, Sections sections) {
        this.plan = plan;
        this.begun = begun;
        this.known = known;
        this.sections = sections;
        this.scenario = plan.scenario();
        this.ledger = new RunLedger(plan, Selections.of(plan), run, RunCoordination.NONE, Clock.SYSTEM);
        this.timetable = null;
        this.groups = new GroupMerger(plan, parts, lost);
    }

    /**
     * Creates a result that gets the part of this process only, of whatever share.
     *
     * @param ledger the ledger of this process
     * @param trace what happened in each millisecond; null where nobody followed it
     */
    public ResultMerger(Plan plan, RunLedger ledger, Timetable timetable, Sections sections, Share share, ShareResult part,
            List<Sender> senders,
            Activity.@Nullable Trace trace) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.ledger = ledger;
        this.timetable = timetable;
        this.groups = new GroupMerger(plan, parts, lost);
        this.sections = sections;
        this.begun = timetable.start();
        this.known = begun;
        ledger.sent(senders).forEach(one -> sent.put(one.producer(), one));
        if (trace != null) {
            outages.add(trace);
        }
        parts.put(part.share(), new Part(share, "", part));
    }

    /**
     * Adds the part of a process that came to its end.
     *
     * @param agent name of the process, unlike all others
     * @param sets what the process wrote with {@link Run#writeLedger}
     * @throws IOException when the sets cannot be read
     */
    public void add(Share share, String agent, ShareResult part, InputStream sets) throws IOException {
        DataInputStream from = new DataInputStream(new GZIPInputStream(sets, 1 << 16));
        ledger.add(from).forEach(one -> sent.put(one.producer(), one));
        if (part.outages() != null) {
            outages.add(Activity.Trace.read(from));
        }
        parts.put(part.share(), new Part(share, agent, part));
    }

    /**
     * Adds a process that was lost, of which only its reports are known.
     *
     * @param unconfirmed cause of the unknown fate of sends that the process reported without their end
     * @param failed cause of the failed sends that the process reported, whose own causes are lost with it
     */
    public void lost(Share share, IntervalSums known, String unconfirmed, String failed) {
        lost.put(share, known);
        reported.add(VerdictCounts.of(its -> {
            its.counts = known.counts().with(Count.UNCONFIRMED, known.unconfirmed());
            its.unconfirmedCauses = known.unconfirmed() > 0 ? Map.of(unconfirmed, known.unconfirmed()) : Map.of();
            its.failureCauses = known.failed() > 0 ? Map.of(failed, known.failed()) : Map.of();
        }));
    }

    /** Adds the faults that the coordinator of the processes made. */
    public void faults(List<Event> made) {
        outages.faults(made);
    }

    /**
     * Returns the result of what was added. Where that is no more than what lost processes had reported, there is no ledger, and nothing is
     * known about the health of the generator.
     *
     * @param signal signal that ended the run here, 0 for none
     * @param more further failures of the run
     * @param clocks how far the clocks of the processes can be apart
     * @param missed number of the threshold that ended the run, -1 for none
     * @param broker figures of the broker; null for none
     */
    public Merged result(int signal, List<Finding.Failure> more, ClockBound clocks, int missed, @Nullable BrokerFigures broker) {
        if (parts.isEmpty() && lost.isEmpty()) {
            throw new IllegalStateException("Nothing is known of any part of the run.");
        }
        VerdictCounts here = VerdictCounts.of(its -> {
            its.signal = signal;
            its.mayBeLate = parts.isEmpty();
            its.broken = more;
        });
        VerdictCounts verdictCounts =
            VerdictCounts.sum(
                Stream.of(Stream.of(here), made().map(ShareResult::verdictCounts), reported.stream()).flatMap(all -> all).toList(), its -> {
                    its.schedule = its.schedule.reaching(groups.reached(new Timetable(scenario)));
                    if (!lost.isEmpty()) {
                        its.taken = groups.known(its.taken);
                        its.receivedFrom = Map.of();
                        its.backlog = Backlog.NONE;
                    }
                });
        List<Ledger.Sent> senders = senders();
        LedgerReport report = hasLedger() && !parts.isEmpty() ? closeLedger(senders) : null;
        Judgement judgement = new Judgement(plan, verdictCounts, report);
        Distribution transfers = distributions(RunResult::measured).getOrDefault(Metric.TRANSFER, Distribution.sum(List.of()));
        List<Finding.Notice> notices = new ArrayList<>(judgement.notices(transfers.negative()));
        Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed = OneWayTimes.believed(clocks,
            distributions(RunResult::measured).get(Metric.TRANSFER), distributions(r -> r.part().times()).get(Metric.TRANSFER), notices);
        RunResult result = merged(verdictCounts, judgement.failures(missed >= 0), report, believed, broker)
            .with(its -> its.scorecard = scorecard(verdictCounts, report, senders, clocks, notices));
        return new Merged(result.with(its -> its.thresholds = ThresholdResult.all(scenario.thresholds(), result, missed)), notices);
    }

    /** Returns the result of the only part, if it is one of several: without a ledger, and failed only for causes of its process. */
    public RunResult ofPart(@Nullable BrokerFigures broker) {
        VerdictCounts verdictCounts = only().made.verdictCounts();
        return merged(verdictCounts, new Judgement(plan, verdictCounts, null).ownFailures(), null, times -> times, broker);
    }

    private Part only() {
        return parts.values().iterator().next();
    }

    private Timetable timetable(long start) {
        if (timetable != null) {
            return timetable;
        }
        Timetable times = new Timetable(scenario);
        times.begin(start);
        return times;
    }

    private boolean hasLedger() {
        return scenario.receives() && !scenario.isBare();
    }

    // ---- the ledger ----

    private List<Ledger.Sent> senders() {
        List<Ledger.Sent> all = new ArrayList<>(sent.values());
        for (Share share : lost.keySet()) {
            for (ProducerGroup group : plan.producers()) {
                group.producers().stream().filter(share::has).filter(p -> !group.spec().messages().bare())
                    .forEach(p -> all.add(unknown(p)));
            }
        }
        return all;
    }

    private LedgerReport closeLedger(List<Ledger.Sent> all) {
        Set<Integer> silent = plan.consumers().stream().flatMap(group -> group.consumers().stream())
            .filter(c -> lost.keySet().stream().anyMatch(share -> share.has(c))).map(c -> c.destinationIndex()).collect(Collectors.toSet());
        return ledger.close(all, made().map(ShareResult::receipts).toList(), silent);
    }

    /** Returns what is known of a producer of a lost process: no confirmation, and that it sent at least what was received. */
    private Ledger.Sent unknown(ProducerPlan producer) {
        return Ledger.Sent.of(its -> {
            its.producer = producer.index();
            its.destination = producer.destinationIndex();
            its.silent = true;
            its.sent = ledger.seenFrom(producer.index()) + 1;
            its.confirmed = Stream.generate(SequenceSet::forOneWriter).limit(ledger.selections() + 1L).toArray(SequenceSet[]::new);
        });
    }

    private @Nullable Scorecard scorecard(VerdictCounts verdictCounts, @Nullable LedgerReport report, List<Ledger.Sent> senders,
            ClockBound clocks, List<Finding.Notice> notices) {
        List<ShareResult.Outages> seen = made().map(ShareResult::outages).filter(Objects::nonNull).toList();
        if (seen.size() < parts.size()) {
            return null;
        }
        long start = moment(ShareResult.Moments::start);
        return outages.scorecard(seen, lost.size(), clocks,
            to -> new Scorecard.Load(timetable(start).dueRates(plan.producers()), spans().warmup(), to - start, scenario.receives(),
                seen.stream().anyMatch(ShareResult.Outages::cutByLoss)),
            (retried, resent) -> MessageFates.of(verdictCounts.failed(), retried, verdictCounts.unconfirmed(),
                resent + ledger.resent(senders),
                report),
            notices);
    }

    // ---- times ----

    private Map<Metric, Distribution> distributions(Function<RunResult, Map<Metric, Distribution>> of) {
        List<Map<Metric, Distribution>> all = new ArrayList<>(results().map(of).toList());
        lost.values().forEach(known -> all.add(known.measured()));
        Map<Metric, Distribution> sums = Distribution.sums(all);
        if (parts.isEmpty()) {
            sums = new EnumMap<>(sums);
            // Intervals have only the metrics of which there were samples.
            for (Metric metric : Metric.values()) {
                sums.putIfAbsent(metric, Distribution.sum(List.of()));
            }
        }
        return sums;
    }

    // ---- figures ----

    private Stream<ShareResult> made() {
        return parts.values().stream().map(Part::made);
    }

    private Stream<RunResult> results() {
        return made().map(ShareResult::result);
    }

    private long sum(ToLongFunction<RunResult> count) {
        return results().mapToLong(count).sum();
    }

    private long moment(ToLongFunction<ShareResult.Moments> of) {
        return made().map(ShareResult::moments).mapToLong(of).max().orElse(0);
    }

    private Spans spans() {
        List<ShareResult> all = made().toList();
        if (all.isEmpty()) {
            return new Spans(begun, scenario.limits().warmup().toNanos(), scenario.sends(), known, 0, ShareResult.Extent.NONE);
        }
        long start = moment(ShareResult.Moments::start);
        // A share of a run that sends may have no producers.
        boolean sends = groups.isSingle() ? scenario.sends() : all.stream().anyMatch(part -> part.moments().sends());
        ShareResult.Extent deliveries = all.stream().map(part -> part.moments().deliveries()).reduce(ShareResult.Extent.NONE,
            ShareResult.Extent::and);
        return new Spans(start, moment(ShareResult.Moments::measuredFrom) - start, sends,
            all.stream().filter(part -> groups.isSingle() || part.moments().sends() || !sends)
                .mapToLong(part -> part.moments().sendingEnd()).max()
                .orElse(start),
            all.stream().mapToLong(part -> part.moments().opened()).filter(moment -> moment > 0).min().orElse(0),
            deliveries);
    }

    private RunResult merged(VerdictCounts verdictCounts, List<Finding.Failure> failures, @Nullable LedgerReport report,
            Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed, @Nullable BrokerFigures broker) {
        Spans spans = spans();
        long costMessages = made().filter(part -> groups.isSingle() || part.moments().sends() == spans.sends())
            .mapToLong(part -> part.result().part().costMessages()).sum();
        MeasuredPart measured = MeasuredPart.of(its -> {
            its.seconds = spans.measuredSending();
            its.counts = Stream.concat(results().map(r -> r.part().counts()),
                lost.values().stream().map(known -> known.measuredCounts().with(Counts.NONE, count -> !count.isOfPhases())))
                .collect(Counts.sum());
            its.receivingSeconds = spans.measuredReceiving();
            its.costMessages = costMessages;
            its.costSeconds = results().mapToDouble(r -> r.part().costSeconds()).max().orElse(0);
            its.overdueSent = sum(r -> r.part().overdueSent());
            its.overdueReceived = sum(r -> r.part().overdueReceived());
            its.times = believed.apply(distributions(r -> r.part().times()));
        });
        long start = parts.isEmpty() ? begun : moment(ShareResult.Moments::start);
        long finished = parts.isEmpty() ? known : moment(ShareResult.Moments::finished);
        return RunResult.of(its -> {
            its.failures = failures;
            its.signal = verdictCounts.signal();
            its.drained = !verdictCounts.mayBeLate();
            its.start = EpochClock.instant(start);
            its.elapsed = Duration.ofNanos(Math.max(0, finished - start));
            its.sending = Duration.ofNanos(Math.round(spans.sending() * 1e9));
            its.counts = verdictCounts.counts();
            its.ledger = report;
            its.measured = believed.apply(distributions(RunResult::measured));
            its.part = measured;
            its.confirms = plan.confirms();
            its.failureCauses = verdictCounts.failureCauses();
            its.receivingSeconds = spans.receiving();
            its.groups = groups.merged(believed);
            its.phases = phases(believed, spans, start);
            its.broker = withDepth(broker);
            its.health = health(costMessages, verdictCounts);
            its.versions = versions();
            its.connects =
                ConnectTimes.sum(parts.values().stream().map(part -> part.made.result().connects()).filter(Objects::nonNull).toList());
            its.warmUp = groups.isSingle() ? only().made.result().warmUp() : null;
            its.confidences = spans.confidences(sections);
        });
    }

    private Health health(long costMessages, VerdictCounts verdictCounts) {
        if (groups.isSingle()) {
            return only().made.result().health();
        }
        Map<String, Health> all = new LinkedHashMap<>();
        parts.values().forEach(part -> all.put(part.agent, part.made.result().health()));
        return all.isEmpty() ? Health.UNKNOWN : Health.sum(all, parts.size() + lost.size() > 1, costMessages, verdictCounts.schedule());
    }

    /** Adds to the figures of the broker the greatest depth that one of the processes was told; null where nothing is known. */
    private @Nullable BrokerFigures withDepth(@Nullable BrokerFigures broker) {
        long most = results().map(RunResult::broker).filter(Objects::nonNull).mapToLong(BrokerFigures::depthMax).max().orElse(-1);
        return most < 0 ? broker : (broker == null ? BrokerFigures.UNKNOWN : broker).withDepthMax(most);
    }

    private Map<String, String> versions() {
        Map<String, String> all = new LinkedHashMap<>();
        results().forEach(result -> result.versions().forEach(all::putIfAbsent));
        return all;
    }

    /** Returns the phases, with their lengths in all processes together: one process does not know when the others ended. */
    private List<PhaseResult> phases(Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed, Spans spans, long start) {
        Timetable times = timetable(start);
        List<PhaseResult> all = new ArrayList<>();
        for (int i = 0; i < scenario.phases().size(); i++) {
            int number = i;
            String name = scenario.phases().get(i).name();
            List<PhaseResult> of = results().map(result -> result.phases().get(number)).toList();
            long begin = times.phaseBegin(times.warmups() + i);
            long end = times.phaseEnd(times.warmups() + i);
            boolean last = i == scenario.phases().size() - 1;
            all.add(new PhaseResult(name, spans.phase(begin, end, last),
                groups.inPhase(of.stream().map(PhaseResult::counts).collect(Counts.sum()), name),
                spans.phaseReceiving(begin, end, last),
                believed.apply(Distribution.sums(of.stream().map(PhaseResult::measured).toList()))));
        }
        return all;
    }
}
