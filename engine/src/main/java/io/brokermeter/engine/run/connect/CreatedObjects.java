package io.brokermeter.engine.run.connect;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.spi.Destination;

/**
 * The destinations and durable subscriptions that a share declared and created at the broker, and which of them it removes: none that
 * another share uses and that is left to it. Used by one thread at a time, except for {@link #leave} and {@link #isLeaving}.
 */
public final class CreatedObjects {

    private final Plan plan;
    private final Share share;
    private final Map<Destination, GroupConnection> declaredBy = new HashMap<>();
    private final Set<Destination> created = new LinkedHashSet<>();
    /** Consumers whose durable subscription was created by opening and closing them. */
    private final Set<ConsumerPlan> known = new HashSet<>();
    private Set<Integer> takenOverSubscriptions = Set.of();
    private volatile boolean leaving;

    /** A step of opening or closing that may fail. */
    interface Step {
        void run() throws Exception;
    }

    /** Runs a step, and reports its failure with what it was about. */
    interface Attempts {
        void attempt(Object subject, Step step);
    }

    CreatedObjects(Plan plan, Share share) {
        this.plan = plan;
        this.share = share;
    }

    /** Makes sure that a destination exists; asks the broker the first time only. */
    void declare(Destination destination, GroupConnection link) throws Exception {
        if (declaredBy.putIfAbsent(destination, link) == null && link.connection().declare(destination)) {
            created.add(destination);
        }
    }

    void addKnown(ConsumerPlan c) {
        known.add(c);
    }

    /** Returns whether the durable subscription of a consumer was created by opening and closing it. */
    boolean isKnown(ConsumerPlan c) {
        return known.contains(c);
    }

    /** Leaves to other shares what they use, too: from now on no subscription and no destination of theirs is removed here. */
    public void leave() {
        leaving = true;
    }

    /** Returns whether the subscriptions and destinations that other shares use are left to them, see {@link #leave}. */
    public boolean isLeaving() {
        return leaving;
    }

    /** Returns whether {@link Connections#close} may remove something that other shares use, too. */
    public boolean mayRemoveForAll() {
        return !leaving && (created.stream().anyMatch(this::isOfOthers)
            || plan.consumers().stream().anyMatch(group -> group.spec().removesSubscriptions()
                && group.consumers().stream().anyMatch(c -> share.has(c) && isOfOthers(group, c))));
    }

    /** Returns the numbers of the destinations that this process declared. */
    public Set<Integer> declared() {
        return numbers(declaredBy.keySet());
    }

    /** Returns the numbers of the declared destinations that did not exist before. */
    public Set<Integer> made() {
        return numbers(created);
    }

    private Set<Integer> numbers(Set<Destination> some) {
        Set<Integer> numbers = new TreeSet<>();
        for (int i = 0; i < plan.destinations().size(); i++) {
            if (some.contains(plan.destinations().get(i))) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    /** Takes over, by number, the removal of destinations that other processes created and of subscriptions that they were to remove. */
    public void takeOver(Set<Integer> destinations, Set<Integer> subscriptions) {
        destinations.forEach(number -> created.add(plan.destinations().get(number)));
        takenOverSubscriptions = Set.copyOf(subscriptions);
    }

    /** Returns whether this process created the destination, or took over its removal. */
    public boolean has(Destination destination) {
        return created.contains(destination);
    }

    /** Removes the durable subscriptions of the run that no remaining share needs. */
    void removeSubscriptions(Function<Group, SortedMap<Integer, GroupConnection>> linksOf, Attempts attempts) {
        for (ConsumerGroup group : plan.consumers()) {
            if (!group.spec().removesSubscriptions()) {
                continue;
            }
            Set<String> removed = new LinkedHashSet<>();
            // A subscription with consumers in several shares is removed by the share of the first of them, or by that of its heir.
            Map<String, ConsumerPlan> firsts = new HashMap<>();
            for (ConsumerPlan c : group.consumers()) {
                String name = c.settings().subscription();
                String clientId = group.clientIds().get(c.connection());
                GroupConnection link = name == null ? null : linksOf.apply(group).get(c.connection());
                ConsumerPlan first = firsts.computeIfAbsent(clientId + "/" + name, _ -> c);
                boolean isOurs = share.has(first) || takenOverSubscriptions.contains(c.subscription());
                if (name != null && link != null && isOurs && (link.hasConsumer(c) || known.contains(c))
                    && !(leaving && isOfOthers(group, c))
                    && removed.add(clientId + "/" + name)) {
                    attempts.attempt(name, () -> link.connection().unsubscribe(c.destination(), name));
                }
            }
        }
    }

    /**
     * Removes the destinations that a run created which sends and receives, and keeps no subscription: others may want to consume what a
     * run only sent.
     */
    void removeDestinations(Attempts attempts) {
        boolean kept = plan.scenario().consumers().stream().anyMatch(ConsumerGroupSpec::leavesSubscriptions);
        if (!plan.scenario().sends() || !plan.scenario().receives() || kept) {
            return;
        }
        for (Destination destination : created) {
            GroupConnection link = declaredBy.get(destination);
            if (link != null && !(leaving && isOfOthers(destination))) {
                attempts.attempt(destination, () -> link.connection().delete(destination));
            }
        }
    }

    /** Returns whether other shares have consumers of the subscription of a consumer. */
    private boolean isOfOthers(ConsumerGroup group, ConsumerPlan one) {
        return group.consumers().stream().anyMatch(c -> c.subscription() == one.subscription() && !share.has(c));
    }

    /** Returns whether other shares have a part of a group that uses the destination, so that they declared it, too. */
    private boolean isOfOthers(Destination destination) {
        return plan.producers().stream().filter(group -> group.destinations().contains(destination))
            .anyMatch(group -> !group.producers().stream().allMatch(share::has))
            || plan.consumers().stream().filter(group -> group.destinations().contains(destination))
                .anyMatch(group -> !group.consumers().stream().allMatch(share::has));
    }
}
