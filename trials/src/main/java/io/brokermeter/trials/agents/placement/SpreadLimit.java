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
        Stream<String> offenders(PlacedPlan placed) {
            return placed.plan.consumers().stream().filter(group -> group.spec().summarizer() != null)
                .filter(group -> placed.agents(group).size() > 1).map(group -> on(placed, group));
        }
    },

    QUOTA(
        "each agent knows only its own part of the number of messages that they are to take together, which does no harm where it is what "
            + "producers send to them; leave the number out, make it that, or place them on one agent") {
        @Override
        Stream<String> offenders(PlacedPlan placed) {
            return placed.plan.consumers().stream().filter(group -> group.spec().messageCount() > 0 && placed.agents(group).size() > 1
                && sentTo(placed.plan, group) != group.spec().messageCount()).map(group -> on(placed, group));
        }
    },

    LATE_SUBSCRIPTION("only the agent of a producer knows how much of it was sent before a subscription was made; start them with the "
        + "run, make the subscriptions durable, or place both ends on one agent") {
        @Override
        Stream<String> offenders(PlacedPlan placed) {
            return placed.plan.consumers().stream()
                .flatMap(group -> group.consumers().stream().map(ConsumerPlan::destinationIndex).distinct()
                    .filter(d -> group.misses(placed.plan.destinations().get(d)) && !together(placed, d))
                    .map(d -> "Group '" + PlacedPlan.key(group) + "' starts later than the run on " + placed.plan.destinations().get(d)
                        + ", which agents " + PlacedPlan.and(placed.names(both(placed, d))) + " share"));
        }
    },

    IN_MEMORY("each agent has a LOOPBACK broker of its own, in its memory; place both ends of a destination on one agent") {
        @Override
        Stream<String> offenders(PlacedPlan placed) {
            return placed.plan.producers().stream().filter(group -> group.driver().protocol().equals("LOOPBACK"))
                .flatMap(group -> group.producers().stream().map(ProducerPlan::destinationIndex).distinct())
                .filter(d -> !placed.consuming(d).isEmpty() && !isServed(placed, d))
                .map(d -> "What one agent sends to " + placed.plan.destinations().get(d) + " must reach another one");
        }

        /** Returns whether messages reach all consumers that they must reach, each within the agent that sends it. */
        private boolean isServed(PlacedPlan placed, int d) {
            if (placed.plan.destinations().get(d).isTopic()) {
                return together(placed, d);
            }
            BitSet without = (BitSet) placed.producing(d).clone();
            without.andNot(placed.consuming(d));
            return without.isEmpty();
        }
    };

    private final String reason;

    SpreadLimit(String reason) {
        this.reason = reason;
    }

    /** Returns what is placed beyond this limit, each as the beginning of a sentence. */
    abstract Stream<String> offenders(PlacedPlan placed);

    /** Returns one sentence about the first part of a plan that is placed beyond this limit, if any. */
    Optional<String> refusal(PlacedPlan placed) {
        return offenders(placed).findFirst().map(subject -> subject + ": " + reason + ".");
    }

    private static String on(PlacedPlan placed, ConsumerGroup group) {
        return "Group '" + PlacedPlan.key(group) + "' is on the agents " + PlacedPlan.and(placed.agents(group));
    }

    /** Returns whether all that send to a destination or receive from it are on one agent, or none sends to it. */
    private static boolean together(PlacedPlan placed, int destination) {
        return placed.producing(destination).isEmpty() || both(placed, destination).length < 2;
    }

    private static int[] both(PlacedPlan placed, int destination) {
        BitSet both = (BitSet) placed.producing(destination).clone();
        both.or(placed.consuming(destination));
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
