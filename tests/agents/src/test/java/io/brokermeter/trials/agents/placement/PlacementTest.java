package io.brokermeter.trials.agents.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.agents.AgentState;
import io.brokermeter.trials.agents.DistributedRunTest;
import org.junit.jupiter.api.Test;

/** Placement of the producers and consumers of a plan on agents. */
class PlacementTest {

    private final List<ProducerGroupSpec> producers = new ArrayList<>();
    private final List<ConsumerGroupSpec> consumers = new ArrayList<>();
    private final Map<String, AgentChoice> on = new HashMap<>();

    /** Returns a driver of a remote broker with all capabilities. Queues keep messages for later consumers, except those of FLEETING. */
    private static Driver driver(String protocol) {
        Driver loopback = new LoopbackDriver();
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class},
            (_, method, args) -> switch (method.getName()) {
                case "protocol" -> protocol;
                case "capabilities" -> EnumSet.allOf(Capability.class);
                case "keeps" -> !protocol.equals("FLEETING") && !((Destination) args[1]).isTopic();
                default -> method.invoke(loopback, args);
            });
    }

    private static Endpoint endpoint(String protocol) {
        return new Endpoint(protocol, new ConnectionSettings("loopback://placement", null, null, null, Duration.ofSeconds(5)));
    }

    private static List<Destination> destinations(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> Destination.parse(name + (count == 1 ? "" : Integer.toString(i)))).toList();
    }

    private PlacementTest sends(String name, String to, int count, Consumer<ProducerGroupSpec.Draft> change) {
        producers.add(ProducerGroupSpec.plain(endpoint("FAR"), destinations(to, count), 1, Messages.ofSize(64)).with(its -> its.name = name)
            .with(change));
        return this;
    }

    private PlacementTest receives(String name, String from, int count, Consumer<ConsumerGroupSpec.Draft> change) {
        consumers.add(ConsumerGroupSpec.plain(endpoint("FAR"), destinations(from, count)).with(its -> its.name = name).with(change));
        return this;
    }

    private PlacementTest on(String key, String... names) {
        on.put(key, new AgentChoice(List.of(names), List.of()));
        return this;
    }

    private Plan plan() {
        Limits limits = new Limits(Duration.ZERO, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(1));
        return Plan.of(Scenario.of("placement", limits, its -> {
            its.producers = producers;
            its.consumers = consumers;
            its.pacing = Pacing.PARK;
        }), List.of(driver("FAR"), driver("FLEETING"), new LoopbackDriver()));
    }

    private static List<Placement.Candidate> agents(int count) {
        return IntStream.range(0, count).mapToObj(i -> Placement.Candidate.of(String.valueOf((char) ('a' + i)))).toList();
    }

    private Placement placed(int agents) {
        return Placement.of(plan(), agents(agents), on);
    }

    private void refused(int agents, String... parts) {
        assertThatThrownBy(() -> placed(agents)).isInstanceOf(UsageException.class).hasMessageContainingAll(parts)
            .extracting(Throwable::getMessage).asString().endsWith(".");
    }

    private static int ofProducer(Placement placement, int producer) {
        return placement.shares().stream().filter(share -> share.producers().get(producer)).findFirst().orElseThrow().number();
    }

    private static int ofConsumer(Placement placement, int consumer) {
        return placement.shares().stream().filter(share -> share.consumers().get(consumer)).findFirst().orElseThrow().number();
    }

    private static List<String> sets(List<Share> shares) {
        return shares.stream().map(share -> share.producers() + " " + share.consumers()).toList();
    }

    @Test
    void manyDestinationsAreDealtOutWithBothEndsTogether() {
        Placement placement = sends("p", "queue://Q", 6, _ -> {}).receives("c", "queue://Q", 6, its -> its.perDestination = 2).placed(3);
        assertThat(sets(placement.shares())).containsExactly("{0, 3} {0, 1, 6, 7}", "{1, 4} {2, 3, 8, 9}", "{2, 5} {4, 5, 10, 11}");
        assertThat(placement.crossesAgents()).isFalse();
        assertThat(placement.notices()).isEmpty();
        assertThat(Placement.words(plan(), agents(3), placement)).containsExactly("a: 2 producers, 4 consumers, 2 destinations",
            "b: 2 producers, 4 consumers, 2 destinations", "c: 2 producers, 4 consumers, 2 destinations");
    }

    @Test
    void oneDestinationIsSharedProducerByProducerAndConsumerByConsumer() {
        Placement placement = sends("p", "queue://Q", 1, its -> its.perDestination = 4)
            .receives("c", "queue://Q", 1, its -> its.perDestination = 3).placed(2);
        assertThat(sets(placement.shares())).containsExactly("{0, 2} {0, 2}", "{1, 3} {1}");
        assertThat(placement.crossesAgents()).isTrue();
        assertThat(placement.crossesClocks()).isTrue();
    }

    @Test
    void onlyAgentsWithTheCoordinatorsOwnClockHaveOneClock() {
        sends("p", "queue://Q", 1, its -> its.perDestination = 2).receives("c", "queue://Q", 1, its -> its.perDestination = 2);
        Placement placement = Placement.of(plan(), List.of(new Placement.Candidate("a", "", Map.of(), true),
            new Placement.Candidate("b", "", Map.of(), true)), on);
        assertThat(placement.crossesAgents()).isTrue();
        assertThat(placement.crossesClocks()).isFalse();
        assertThat(Placement.of(plan(), List.of(new Placement.Candidate("a", "far", Map.of(), false),
            new Placement.Candidate("b", "far", Map.of(), false)), on).crossesClocks()).as("each has an estimate of its own").isTrue();
        assertThat(Placement.of(plan(), List.of(new Placement.Candidate("a", "", Map.of(), true),
            new Placement.Candidate("b", "far", Map.of(), false)), on).crossesClocks()).isTrue();
    }

    @Test
    void smallGroupsGoRoundTheAgentsAndKeepTheirEndsTogether() {
        for (int i = 0; i < 6; i++) {
            sends("p" + i, "queue://Q" + i, 1, _ -> {}).receives("c" + i, "queue://Q" + i, 1, _ -> {});
        }
        Placement placement = placed(3);
        assertThat(sets(placement.shares())).containsExactly("{0, 3} {0, 3}", "{1, 4} {1, 4}", "{2, 5} {2, 5}");
        assertThat(placement.crossesAgents()).isFalse();
    }

    @Test
    void groupsGoWhereTheyAreSaidToBe() {
        sends("p", "queue://Q", 4, _ -> {}).receives("c", "queue://Q", 4, _ -> {}).on("producers p", "a").on("consumers c", "B", "c");
        Placement placement = placed(4);
        assertThat(sets(placement.shares())).containsExactly("{0, 1, 2, 3} {}", "{} {0, 2}", "{} {1, 3}", "{} {}");
        assertThat(placement.crossesAgents()).isTrue();
        assertThat(placement.notices()).containsExactly(
            "Agent d has nothing to do: no group is to be there; 'on' with that name, or 'on: spread', places one.");
    }

    @Test
    void hostsAndLabelsAreNamesToo() {
        sends("p", "queue://Q", 4, _ -> {}).receives("c", "queue://Q", 4, _ -> {});
        on.put("producers p", new AgentChoice(List.of("host1"), List.of()));
        on.put("consumers c", new AgentChoice(List.of(), List.of("near")));
        List<Placement.Candidate> agents = List.of(new Placement.Candidate("a", "host1", Map.of(), false),
            new Placement.Candidate("b", "host1", Map.of("near", ""), false),
            new Placement.Candidate("c", "host2", Map.of("zone", "near"), false));
        assertThat(sets(Placement.of(plan(), agents, on).shares())).containsExactly("{0, 2} {}", "{1, 3} {0, 2}", "{} {1, 3}");
        on.put("consumers c", new AgentChoice(List.of("c"), List.of("zone=near")));
        assertThat(sets(Placement.of(plan(), agents, on).shares())).containsExactly("{0, 2} {}", "{1, 3} {}", "{} {0, 1, 2, 3}");
        on.put("consumers c", new AgentChoice(List.of(), List.of("far")));
        assertThatThrownBy(() -> Placement.of(plan(), agents, on))
            .hasMessage("Group 'consumers c' is to be on agents with the label 'far', "
                + "and none has it; there are a on host1, b on host1 (near), c on host2 (zone=near).");
        on.put("consumers c", new AgentChoice(List.of("host3"), List.of()));
        assertThatThrownBy(() -> Placement.of(plan(), agents, on)).hasMessageStartingWith("Group 'consumers c' is to be on 'host3', and no "
            + "agent or host has that name");
    }

    @Test
    void whoNamesALabelMeansAllAgentsThatHaveIt() {
        sends("p", "queue://Q", 1, _ -> {}).receives("c", "queue://Q", 1, _ -> {});
        on.put("consumers c", new AgentChoice(List.of(), List.of("near"), true));
        List<Placement.Candidate> agents = List.of(Placement.Candidate.of("a"), new Placement.Candidate("b", "", Map.of("near", ""), false),
            new Placement.Candidate("c", "", Map.of("near", ""), false));
        assertThat(sets(Placement.of(plan(), agents.subList(0, 2), on).shares())).containsExactly("{0} {}", "{} {0}");
        assertThatThrownBy(() -> Placement.of(plan(), agents, on)).isInstanceOf(UsageException.class)
            .extracting(failure -> ((UsageException) failure).sentence(Setting::key)).asString()
            .startsWith(
                "Group 'consumers c' is to be on all agents of 'label:near', which are b and c, and nothing says how many it has for ")
            .contains("say it with key 'consumers.count': 2 gives each of them something to do");
        on.put("consumers c", new AgentChoice(List.of(), List.of("near")));
        assertThat(sets(Placement.of(plan(), agents, on).shares())).containsExactly("{0} {}", "{} {0}", "{} {}");
    }

    @Test
    void agentsWithoutWorkAreSaid() {
        Placement placement = sends("p", "queue://Q", 1, _ -> {}).receives("c", "queue://Q", 1, _ -> {}).placed(3);
        assertThat(sets(placement.shares())).containsExactly("{0} {0}", "{} {}", "{} {}");
        assertThat(placement.notices()).containsExactly("Agents b and c have nothing to do: work for all of 3 agents needs a group with at "
            + "least 3 destinations, producers or consumers.");
    }

    @Test
    void requestersGetTheirReplies() {
        Placement placement = sends("p", "queue://Q", 1, its -> {
            its.perDestination = 5;
            its.request = new RequestReply(Duration.ofSeconds(1));
        }).receives("c", "queue://Q", 1, its -> its.replies = true).placed(2);
        Plan plan = plan();
        ConsumerGroup replies = plan.consumers().getLast();
        ProducerGroup requesters = plan.producers().getFirst();
        assertThat(replies.requesters()).isNotNull();
        for (int i = 0; i < 5; i++) {
            assertThat(ofConsumer(placement, replies.consumers().get(i).index()))
                .isEqualTo(ofProducer(placement, requesters.producers().get(i).index())).isEqualTo(i % 2);
        }
    }

    @Test
    void countsAreKnownToOneAgent() {
        sends("p", "queue://Q", 1, _ -> {}).receives("c", "queue://Q", 1, its -> {
            its.perDestination = 2;
            its.summarizer = new Summarizer(Destination.parse("queue://S"), Duration.ofSeconds(1), null);
        });
        refused(2, "Group 'consumers c' is on the agents a and b: they publish the counts of all of them");
        Placement placement = on("consumers c", "b").placed(2);
        assertThat(sets(placement.shares())).containsExactly("{0} {}", "{1} {0, 1}");
    }

    /** The agent of the first consumer removes a subscription; if it is lost, the next remaining agent in the order of consumers does. */
    @Test
    void ofLostAgentsTheNextOneThatSharesADurableSubscriptionRemovesIt() {
        receives("c", "topic://T", 1, its -> {
            its.perDestination = 3;
            its.sharedSubscriptions = 2;
            its.durable = true;
        });
        receives("kept", "topic://K", 1, its -> {
            its.perDestination = 3;
            its.sharedSubscriptions = 1;
            its.durable = true;
            its.keepSubscriptions = true;
        });
        List<ConsumerGroup> groups = plan().consumers();
        List<AgentState> agents = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Share share = new Share(i, new BitSet(), new BitSet());
            int at = i;
            groups.forEach(group -> IntStream.range(0, group.consumers().size()).filter(c -> c % 3 == at)
                .forEach(c -> share.consumers().set(group.consumers().get(c).index())));
            agents.add(new AgentState(DistributedRunTest.info("a" + i, true), share, Path.of("nowhere")));
        }
        int one = groups.getFirst().consumers().getFirst().subscription();
        int two = groups.getFirst().consumers().getLast().subscription();
        assertThat(one).isNotEqualTo(two);
        assertThat(AgentState.subscriptionOwners(groups, agents)).isEmpty();
        agents.get(1).stage = AgentState.Stage.LOST;
        assertThat(AgentState.subscriptionOwners(groups, agents)).as("it was to remove none").isEmpty();
        agents.get(0).stage = AgentState.Stage.ENDED;
        assertThat(AgentState.subscriptionOwners(groups, agents)).as("it did so").isEmpty();
        agents.get(0).leftEarly = true;
        agents.get(2).stage = AgentState.Stage.ENDED;
        assertThat(AgentState.subscriptionOwners(groups, agents)).isEqualTo(Map.of(one, 2, two, 2));
        agents.get(0).leftEarly = false;
        agents.get(0).stage = AgentState.Stage.LOST;
        assertThat(AgentState.subscriptionOwners(groups, agents)).isEqualTo(Map.of(one, 2, two, 2));
        agents.get(2).stage = AgentState.Stage.LOST;
        assertThat(AgentState.subscriptionOwners(groups, agents)).isEmpty();
    }

    @Test
    void consumersWithAClientIdStayOnTheirConnection() {
        receives("c", "topic://T", 4, its -> {
            its.endpoint = new Endpoint("FAR", its.endpoint.settings().withClientId("me"));
            its.durable = true;
            its.connections = 2;
        });
        Placement placement = placed(3);
        assertThat(sets(placement.shares())).containsExactly("{} {0, 2}", "{} {1, 3}", "{} {}");
        assertThat(placement.notices()).containsExactly("Agent c has nothing to do: work for all of 3 agents needs a group with at least 3 "
            + "destinations, producers or consumers (consumers of one connection with a client id stay together).");
    }

    @Test
    void connectionsThatBecomeMoreAreSaid() {
        sends("p", "queue://Q", 1, its -> {
            its.perDestination = 4;
            its.sharedConnections = true;
        });
        assertThat(placed(2).notices())
            .containsExactly("Group 'producers p' has 2 connections instead of 1, since those that share one are on "
                + "several agents.");
        assertThat(placed(1).notices()).isEmpty();
    }

    @Test
    void aNumberToTakeIsForOneAgentOrWhatIsSent() {
        receives("c", "queue://Q", 2, its -> its.messageCount = 100);
        refused(2, "Group 'consumers c' is on the agents a and b: each agent knows only its own part");
        assertThat(placed(1).shares()).hasSize(1);
        sends("p", "queue://Q", 2, its -> its.messageCount = 100);
        assertThat(placed(2).shares()).hasSize(2);
        sends("more", "queue://Q", 2, its -> its.messageCount = 1);
        refused(2, "each agent knows only its own part");
    }

    @Test
    void aNumberOfATopicCountsForEachSubscription() {
        sends("p", "topic://T", 2, its -> its.messageCount = 100).receives("c", "topic://T", 2, its -> {
            its.perDestination = 3;
            its.messageCount = 300;
        });
        assertThat(placed(2).shares()).hasSize(2);
        consumers.set(0, consumers.getFirst().with(its -> its.messageCount = 200));
        refused(2, "each agent knows only its own part");
        consumers.set(0, consumers.getFirst().with(its -> {
            its.messageCount = 300;
            its.selector = "a = 'b'";
        }));
        refused(2, "each agent knows only its own part");
    }

    @Test
    void aLateSubscriptionIsWithItsProducers() {
        sends("p", "topic://T", 1, _ -> {}).receives("c", "topic://T", 1, its -> its.start = Start.after(Duration.ofSeconds(1)))
            .on("consumers c", "b").on("producers p", "a");
        refused(2, "Group 'consumers c' starts later than the run on topic://T, which agents a and b share: only the agent of a producer");
        assertThat(on("producers p", "b").placed(2).crossesAgents()).isFalse();
    }

    @Test
    void lateConsumersOfAQueueThatKeepsNothingAreWithItsProducers() {
        sends("p", "queue://Q", 1, _ -> {}).receives("c", "queue://Q", 1, its -> its.start = Start.after(Duration.ofSeconds(1)))
            .on("consumers c", "b").on("producers p", "a");
        assertThat(placed(2).shares()).hasSize(2);
        producers.set(0, producers.getFirst().with(its -> its.endpoint = endpoint("FLEETING")));
        consumers.set(0, consumers.getFirst().with(its -> its.endpoint = endpoint("FLEETING")));
        refused(2, "Group 'consumers c' starts later than the run on queue://Q, which agents a and b share: only the agent of a producer");
    }

    @Test
    void aBrokerInMemoryServesOneAgent() {
        consumers.add(ConsumerGroupSpec.plain(endpoint("LOOPBACK"), destinations("queue://Q", 1)));
        producers.add(ProducerGroupSpec.plain(endpoint("LOOPBACK"), destinations("queue://Q", 1), 1, Messages.ofSize(64))
            .with(its -> its.perDestination = 2));
        refused(2, "What one agent sends to queue://Q must reach another one: each agent has a LOOPBACK broker of its own");
        consumers.set(0, consumers.getFirst().with(its -> its.perDestination = 2));
        assertThat(placed(2).shares()).hasSize(2);
    }

    @Test
    void agentsHaveNamesOfTheirOwn() {
        sends("p", "queue://Q", 1, _ -> {});
        assertThatThrownBy(() -> Placement.of(plan(), List.of(Placement.Candidate.of("a"), Placement.Candidate.of("A")), on))
            .hasMessage("Two agents are called 'A'; give each a name of its own.");
        on("producers p", "agent-2");
        assertThatThrownBy(() -> Placement.of(plan(), List.of(Placement.Candidate.of("agent-1")), on))
            .hasMessage("Group 'producers p' is to be on 'agent-2', and no agent or host has that name; did you mean 'agent-1'?");
    }

    /** In any plan, each producer and consumer is in one share, on a permitted agent, together with those that must not be separated. */
    @Test
    void everyProducerAndConsumerIsInExactlyOneShare() {
        int placedPlans = 0;
        for (int seed = 0; seed < 1000; seed++) {
            PlacementTest made = random(new Random(seed));
            Random random = new Random(seed);
            List<Placement.Candidate> agents = agents(1 + random.nextInt(9));
            made.producers.forEach(side -> made.somewhere("producers " + side.name(), agents, random));
            made.consumers.forEach(side -> made.somewhere("consumers " + side.name(), agents, random));
            Plan plan = made.plan();
            Placement placement;
            try {
                placement = Placement.of(plan, agents, made.on);
            } catch (UsageException e) {
                assertThat(e.getMessage()).as("seed " + seed).contains("counts");
                continue;
            }
            placedPlans++;
            made.hold("seed " + seed, plan, agents, placement);
            assertThat(Placement.of(made.plan(), agents, made.on)).isEqualTo(placement);
        }
        assertThat(placedPlans).isGreaterThan(500);
    }

    private static PlacementTest random(Random random) {
        PlacementTest made = new PlacementTest();
        boolean asks = random.nextInt(4) == 0;
        for (int g = 0; g < 1 + random.nextInt(4); g++) {
            int count = random.nextInt(1, 7);
            made.sends("p" + g, asks ? "queue://Q0" : "queue://Q" + random.nextInt(3), asks ? 1 : random.nextInt(1, 12), its -> {
                its.perDestination = count;
                its.threads = 1 + random.nextInt(3);
                its.sharedConnections = random.nextBoolean();
                its.request = asks ? new RequestReply(Duration.ofSeconds(1)) : null;
            });
        }
        for (int g = 0; g < 1 + random.nextInt(4); g++) {
            boolean topic = random.nextInt(3) == 0 && !asks;
            int count = random.nextInt(1, 7);
            made.receives("c" + g, asks ? "queue://Q0" : (topic ? "topic://T" : "queue://Q") + random.nextInt(3),
                asks ? 1 : random.nextInt(1, 12), its -> {
                    its.perDestination = count;
                    its.replies = asks;
                    its.connections = random.nextInt(4);
                    if (topic && random.nextBoolean()) {
                        its.endpoint = new Endpoint("FAR", its.endpoint.settings().withClientId(its.name));
                        its.durable = true;
                        its.sharedSubscriptions = random.nextInt(3);
                    } else if (random.nextInt(6) == 0 && !asks) {
                        its.summarizer = new Summarizer(Destination.parse("queue://S"), Duration.ofSeconds(1), null);
                    }
                });
        }
        return made;
    }

    private void somewhere(String key, List<Placement.Candidate> agents, Random random) {
        if (random.nextInt(3) == 0) {
            List<String> names = agents.stream().map(Placement.Candidate::name).filter(_ -> random.nextBoolean()).toList();
            on.put(key, new AgentChoice(names, List.of()));
        }
    }

    private void hold(String seed, Plan plan, List<Placement.Candidate> agents, Placement placement) {
        assertThat(placement.shares()).as(seed).hasSize(agents.size());
        BitSet allProducers = new BitSet();
        BitSet allConsumers = new BitSet();
        for (Share share : placement.shares()) {
            assertThat(allProducers.intersects(share.producers()) || allConsumers.intersects(share.consumers())).as(seed).isFalse();
            allProducers.or(share.producers());
            allConsumers.or(share.consumers());
        }
        Share whole = Share.whole(plan);
        assertThat(allProducers).as(seed).isEqualTo(whole.producers());
        assertThat(allConsumers).as(seed).isEqualTo(whole.consumers());
        Map<String, Set<Integer>> connections = new HashMap<>();
        for (ConsumerGroup group : plan.consumers()) {
            AgentChoice choice = on.getOrDefault("consumers " + group.spec().name(), AgentChoice.SPREAD);
            group.consumers().forEach(c -> {
                int agent = ofConsumer(placement, c.index());
                if (group.requesters() == null && !choice.isSpread()) {
                    assertThat(choice.names()).as(seed).contains(agents.get(agent).name());
                }
                if (group.clientId(c.connection()) != null) {
                    connections.computeIfAbsent(group.clientId(c.connection()), _ -> new HashSet<>()).add(agent);
                }
            });
        }
        assertThat(connections.values()).as(seed).allMatch(on -> on.size() == 1);
        for (ProducerGroup group : plan.producers()) {
            AgentChoice choice = on.getOrDefault("producers " + group.spec().name(), AgentChoice.SPREAD);
            List<Integer> used = group.producers().stream().map(p -> ofProducer(placement, p.index())).toList();
            int may = choice.isSpread() ? agents.size() : choice.names().size();
            if (group.counts() == null && group.destinations().size() >= may) {
                for (Destination destination : group.destinations()) {
                    assertThat(group.producers().stream().filter(p -> p.destination().equals(destination)).map(p -> used.get(p.stripe())))
                        .as(seed).containsOnly(used.get(group.destinations().indexOf(destination)));
                }
            } else if (group.counts() == null) {
                assertThat(used.stream().distinct()).as(seed).hasSize(Math.min(may, used.size()));
            }
        }
        assertThat(placement.crossesClocks()).isEqualTo(placement.crossesAgents());
    }
}
