package io.brokermeter.engine.run.parts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongBiFunction;
import java.util.stream.Stream;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/** Merges the results of groups, and counts of phases, for {@link ResultMerger}. */
final class GroupMerger {

    private final Plan plan;
    private final SortedMap<Integer, ResultMerger.Part> parts;
    private final Map<Share, IntervalSums> lost;

    /**
     * @param parts the parts of the processes that came to their end, by number of the share; read only
     * @param lost what the others reported; read only
     */
    GroupMerger(Plan plan, SortedMap<Integer, ResultMerger.Part> parts, Map<Share, IntervalSums> lost) {
        this.plan = plan;
        this.parts = parts;
        this.lost = lost;
    }

    /** Returns whether there is nothing but one part, whose figures need no merging. */
    boolean isSingle() {
        return parts.size() == 1 && lost.isEmpty();
    }

    List<GroupResult> ofParts(String name, boolean producing) {
        return parts.keySet().stream().map(share -> of(share, name, producing)).filter(Objects::nonNull).toList();
    }

    static double longest(List<GroupResult> of) {
        return of.stream().mapToDouble(GroupResult::messageSeconds).max().orElse(0);
    }

    /**
     * Returns the counts of a phase together with what lost processes reported of the phase; {@link Counts#UNKNOWN} where one that has a
     * part of the count did not report.
     */
    Counts inPhase(Counts present, String phase) {
        return withLost(present, (share, count) -> count.isOfPhases()
            && !(count.isOfSenders() ? share.producers() : share.consumers()).isEmpty(),
            (known, count) -> known.isAny() ? known.counts(phase).get(count) : Counts.UNKNOWN);
    }

    /**
     * Returns counts together with those of lost processes.
     *
     * @param concerned whether a lost process had a part of a count
     * @param reported what is known of that part
     */
    private Counts withLost(Counts present, BiPredicate<Share, Count> concerned, ToLongBiFunction<IntervalSums, Count> reported) {
        Counts.Sum sum = new Counts.Sum();
        sum.add(present);
        lost.forEach((share, known) -> Arrays.stream(Count.values()).filter(count -> concerned.test(share, count))
            .forEach(count -> sum.add(count, reported.applyAsLong(known, count))));
        return sum.counts();
    }

    /** Returns the groups, and in each its producers or consumers, in the order of the plan. */
    List<GroupResult> merged(Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed) {
        return Stream.<Group>concat(plan.producers().stream(), plan.consumers().stream().filter(group -> group.requesters() == null))
            .filter(group -> !isSingle() || !ofParts(group.spec().name(), group instanceof ProducerGroup).isEmpty())
            .map(group -> merged(group, believed)).toList();
    }

    private GroupResult merged(Group group, Function<Map<Metric, Distribution>, Map<Metric, Distribution>> believed) {
        String name = group.spec().name();
        boolean producing = group instanceof ProducerGroup;
        List<GroupResult> of = ofParts(name, producing);
        ShareResult.Extent deliveries =
            parts.values().stream().map(part -> part.made().moments().groups().getOrDefault(name, ShareResult.Extent.NONE))
                .reduce(ShareResult.Extent.NONE, ShareResult.Extent::and);
        boolean whole = lost.keySet().stream().noneMatch(share -> has(share, group));
        double seconds = !whole ? Double.NaN : producing ? longest(of) : Spans.receiving(deliveries.first(), deliveries.last());
        // Intervals distinguish messages from deliveries, but not groups of one kind from each other, nor replies.
        boolean alone = lost.keySet().stream().filter(share -> has(share, group)).allMatch(share -> isAlone(share, group));
        return GroupResult.of(its -> {
            its.name = name;
            its.producing = producing;
            its.publishesCounts = group instanceof ProducerGroup senders && senders.counts() != null;
            its.protocol = group.driver().protocol();
            its.counts = withLost(of.stream().map(GroupResult::counts).collect(Counts.sum()), (share, _) -> has(share, group),
                (known, count) -> {
                    if (producing ? count.isOfSenders() : count.isOfReceivers()) {
                        return alone && known.isAny() ? known.count(count) : Counts.UNKNOWN;
                    }
                    return count.isOfPhases() && isReplying(group) ? Counts.UNKNOWN : 0;
                });
            its.messageSeconds = seconds;
            its.measured = believed.apply(Distribution.sums(of.stream().map(GroupResult::measured).toList()));
            its.endpoints = isSingle() ? of.getFirst().endpoints() : endpoints(group);
        });
    }

    static boolean has(Share share, Group group) {
        return switch (group) {
            case ProducerGroup senders -> senders.producers().stream().anyMatch(share::has);
            case ConsumerGroup receivers -> receivers.consumers().stream().anyMatch(share::has);
        };
    }

    /** Returns whether all messages, or all deliveries, that a share counts are those of a group. */
    private boolean isAlone(Share share, Group group) {
        return plan.groups().stream().filter(other -> other.index() != group.index() && other.getClass() == group.getClass())
            .filter(other -> !(other instanceof ConsumerGroup consumers) || consumers.requesters() == null)
            .noneMatch(other -> has(share, other));
    }

    /** Returns whether a group of producers receives replies, or a group of consumers sends them. */
    private boolean isReplying(Group group) {
        return switch (group) {
            case ProducerGroup senders -> plan.consumers().stream().map(ConsumerGroup::requesters).filter(Objects::nonNull)
                .anyMatch(requesters -> requesters.index() == senders.index());
            case ConsumerGroup receivers -> receivers.spec().replies();
        };
    }

    /** Returns the number of the share that has a producer or consumer; -1 where the process of that share was lost. */
    private int holder(Predicate<Share> has) {
        return parts.values().stream().map(ResultMerger.Part::share).filter(has).map(Share::number).findFirst().orElse(-1);
    }

    private @Nullable GroupResult of(int share, String name, boolean producing) {
        ResultMerger.Part part = parts.get(share);
        return part == null ? null : part.made().result().groups().stream()
            .filter(group -> group.name().equals(name) && group.producing() == producing).findFirst().orElse(null);
    }

    private List<GroupResult.EndpointResult> endpoints(Group group) {
        return switch (group) {
            case ProducerGroup senders -> endpoints(group.spec().name(), true, senders.producers().stream()
                .map(p -> Map.entry(p.destination().toString(), holder(share -> share.has(p)))).toList());
            case ConsumerGroup receivers -> endpoints(group.spec().name(), false, receivers.consumers().stream()
                .map(c -> Map.entry(c.destination().toString(), holder(share -> share.has(c)))).toList());
        };
    }

    /** Returns the endpoints of a group in the order of the plan, in which each share has its own endpoints, too. */
    private List<GroupResult.EndpointResult> endpoints(String name, boolean producing, List<Map.Entry<String, Integer>> holders) {
        Map<Integer, Integer> next = new HashMap<>();
        List<GroupResult.EndpointResult> all = new ArrayList<>();
        for (Map.Entry<String, Integer> holder : holders) {
            GroupResult group = of(holder.getValue(), name, producing);
            int index = next.merge(holder.getValue(), 1, Integer::sum) - 1;
            all.add(group == null || index >= group.endpoints().size()
                ? new GroupResult.EndpointResult(holder.getKey(), Counts.UNKNOWN)
                : group.endpoints().get(index));
        }
        return all;
    }

    /** Returns the rate of all producers with a schedule, in messages per second, that of a group up to its end of sending anywhere. */
    double reached(Timetable times) {
        double sum = 0;
        for (ProducerGroup group : plan.producers()) {
            // Groups that publish counts are no load.
            if (group.counts() == null && times.isScheduled(group)) {
                List<GroupResult> of = ofParts(group.spec().name(), true);
                sum += of.isEmpty() ? 0 : times.isPartlyUnscheduled(group) ? Double.NaN
                    : Spans.rate(of.stream().mapToLong(GroupResult::sent).sum(), longest(of));
            }
        }
        return sum;
    }

    /** Leaves out the groups with consumers in a lost process, since that process may have taken more than it reported. */
    Map<Integer, Long> known(Map<Integer, Long> taken) {
        Map<Integer, Long> sure = new HashMap<>(taken);
        plan.consumers().stream().filter(group -> lost.keySet().stream().anyMatch(share -> has(share, group)))
            .forEach(group -> sure.remove(group.index()));
        return sure;
    }
}
