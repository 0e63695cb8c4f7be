package io.brokermeter.trials.agents.placement;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.spi.Destination;

/** The limits of several agents: each is something that one agent can do and several cannot do together, with the reason. */
enum SpreadLimit {

    COUNTS("they publish the counts of all of them, which one agent must know; place them on one") {
        @Override
        Stream<String> offenders(Assignment assignment) {
            return assignment.plan.consumers().stream().filter(group -> group.spec().summarizer() != null)
                .filter(group -> assignment.agents(group).size() > 1).map(group -> on(assignment, group));
        }
    },

    QUOTA(
        "each agent knows only its own part of the number of messages that they are to take together, which does no harm where it is what "
            + "producers send to them; leave the number out, make it that, or place them on one agent") {
        @Override
        Stream<String> offenders(Assignment assignment) {
            return assignment.plan.consumers().stream()
                .filter(group -> group.spec().messageCount() > 0 && assignment.agents(group).size() > 1
                    && sentTo(assignment.plan, group) != group.spec().messageCount())
                .map(group -> on(assignment, group));
        }
    },

    LATE_SUBSCRIPTION("only the agent of a producer knows how much of it was sent before a subscription was made; start them with the "
        + "run, make the subscriptions durable, or place both ends on one agent") {
        @Override
        Stream<String> offenders(Assignment assignment) {
            return assignment.plan.consumers().stream()
                .flatMap(group -> group.consumers().stream().map(ConsumerPlan::destinationIndex).distinct()
                    .filter(d -> group.misses(assignment.plan.destinations().get(d)) && !together(assignment, d))
                    .map(d -> "Group '" + Assignment.key(group) + "' starts later than the run on " + assignment.plan.destinations().get(d)
                        + ", which agents " + Assignment.and(assignment.names(both(assignment, d))) + " share"));
        }
    },

    IN_MEMORY("each agent has a LOOPBACK broker of its own, in its memory; place both ends of a destination on one agent") {
        @Override
        Stream<String> offenders(Assignment assignment) {
            return assignment.plan.producers().stream().filter(group -> group.driver().protocol().equals("LOOPBACK"))
                .flatMap(group -> group.producers().stream().map(ProducerPlan::destinationIndex).distinct())
                .filter(d -> !assignment.consuming(d).isEmpty() && !isServed(assignment, d))
                .map(d -> "What one agent sends to " + assignment.plan.destinations().get(d) + " must reach another one");
        }

        /** Returns whether messages reach all consumers that they must reach, each within the agent that sends it. */
        private boolean isServed(Assignment assignment, int d) {
            if (assignment.plan.destinations().get(d).isTopic()) {
                return together(assignment, d);
            }
            BitSet without = (BitSet) assignment.producing(d).clone();
            without.andNot(assignment.consuming(d));
            return without.isEmpty();
        }
    };

    private final String reason;

    SpreadLimit(String reason) {
        this.reason = reason;
    }

    /** Returns what is placed beyond this limit, each as the beginning of a sentence. */
    abstract Stream<String> offenders(Assignment assignment);

    /** Returns one sentence about the first part of a plan that is placed beyond this limit, if any. */
    Optional<String> refusal(Assignment assignment) {
        return offenders(assignment).findFirst().map(subject -> subject + ": " + reason + ".");
    }

    private static String on(Assignment assignment, ConsumerGroup group) {
        return "Group '" + Assignment.key(group) + "' is on the agents " + Assignment.and(assignment.agents(group));
    }

    /** Returns whether all that send to a destination or receive from it are on one agent, or none sends to it. */
    private static boolean together(Assignment assignment, int destination) {
        return assignment.producing(destination).isEmpty() || both(assignment, destination).length < 2;
    }

    private static int[] both(Assignment assignment, int destination) {
        BitSet both = (BitSet) assignment.producing(destination).clone();
        both.or(assignment.consuming(destination));
        return both.stream().toArray();
    }

    /** Returns the number of deliveries that producers make due to a group of consumers; -1 where it is not certain. */
    private static long sentTo(Plan plan, ConsumerGroup group) {
        Set<Destination> from = Set.copyOf(group.destinations());
        boolean contested = plan.consumers().stream().anyMatch(other -> other != group && other.destinations().stream()
            .anyMatch(destination -> !destination.isTopic() && from.contains(destination)));
        if (contested || group.spec().selector() != null || group.spec().settles()) {
            return -1;
        }
        Set<Integer> subscriptions = new HashSet<>();
        group.consumers().forEach(c -> subscriptions.add(c.subscription()));
        // all destinations of a group have the same number of subscriptions
        long each = subscriptions.size() / from.size();
        long sent = 0;
        for (ProducerGroup producing : plan.producers()) {
            List<Destination> to = producing.destinations();
            if (to.stream().anyMatch(from::contains)) {
                if (!from.containsAll(to) || producing.spec().messageCount() == 0 || producing.spec().rollbackShare() > 0) {
                    return -1;
                }
                sent += producing.spec().messageCount();
            }
        }
        return sent * each;
    }
}
