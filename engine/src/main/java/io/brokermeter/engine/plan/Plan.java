package io.brokermeter.engine.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.GroupSpec;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a run: a pure function of the scenario, the files that it names and the drivers at hand. The creation of a plan
 * checks everything that can be checked without a network, and reads the files that bodies are made of.
 *
 * @param scenario the scenario that is planned
 * @param destinations all destinations, those of replies included
 * @param producers the groups of producers
 * @param consumers the groups of consumers, those of replies last
 * @param subscriptions number of subscriptions in the ledger's sense
 */
public record Plan(
        Scenario scenario, List<Destination> destinations, List<ProducerGroup> producers, List<ConsumerGroup> consumers,
        int subscriptions) {

    /** The largest number of requesters in a group, each of which has a destination for its replies. */
    private static final int MOST_REQUESTERS = 1_000;

    /**
     * Creates the plan of a scenario.
     *
     * @throws UsageException with one sentence that names the setting, if the scenario cannot be run
     */
    public static Plan of(Scenario scenario, List<Driver> drivers) {
        Plan plan = new Planning(scenario, drivers).plan();
        Footprint.check(plan, Runtime.getRuntime().maxMemory());
        return plan;
    }

    /** Returns whether the broker confirms the messages of all groups; if not, a send counts as completed when it was written. */
    public boolean confirms() {
        return producers.stream().allMatch(ProducerGroup::confirms);
    }

    /** Returns all groups, those of consumers first. */
    public List<Group> groups() {
        return Stream.<Group>concat(consumers.stream(), producers.stream()).toList();
    }

    /** Returns the groups of producers that send requests. */
    public List<ProducerGroup> requesters() {
        return producers.stream().filter(group -> group.spec().request() != null).toList();
    }

    /** Returns the number of producers of the run. */
    public int producerCount() {
        return producers.stream().mapToInt(group -> group.producers().size()).sum();
    }

    /** Returns the number of messages that each group of consumers takes in total, by number of the group; absent for no limit. */
    public Map<Integer, Long> quotas() {
        return consumers.stream().filter(group -> group.spec().messageCount() > 0)
            .collect(Collectors.toMap(ConsumerGroup::index, group -> group.spec().messageCount()));
    }

    /** Returns the destination on which the replies to a requester arrive. */
    public static Destination replies(ProducerPlan requester) {
        return Destination.parse("queue://" + requester.destination().name() + ".replies." + requester.index());
    }

    private static final class Planning {

        private final Scenario scenario;
        private final List<Driver> drivers;
        private final List<Destination> destinations;
        /** The numbers of the destinations that the scenario names; a search through the list for each producer takes quadratic time. */
        private final Map<Destination, Integer> numbers = new HashMap<>();
        /** The numbers of consumers on the destinations. */
        private final Map<Destination, Integer> consumersOn = new HashMap<>();
        /** The sizes of the largest bodies that the run sends to the destinations, in bytes. */
        private final Map<Destination, Integer> largestTo = new HashMap<>();
        private final List<ProducerGroup> producers = new ArrayList<>();
        private final List<ConsumerGroup> consumers = new ArrayList<>();
        private final Map<String, Integer> subscriptions = new LinkedHashMap<>();
        private int producerNumber;
        private int consumerNumber;
        private int groupNumber;
        private int subscriptionGroup;

        Planning(Scenario scenario, List<Driver> drivers) {
            this.scenario = scenario;
            this.drivers = drivers;
            this.destinations = new ArrayList<>(scenario.destinations());
            for (int d = 0; d < destinations.size(); d++) {
                numbers.putIfAbsent(destinations.get(d), d);
            }
            for (ConsumerGroupSpec spec : scenario.consumers()) {
                spec.destinations().stream().distinct()
                    .forEach(destination -> consumersOn.merge(destination, spec.perDestination(), Integer::sum));
            }
        }

        private int number(Destination destination) {
            return numbers.getOrDefault(destination, -1);
        }

        Plan plan() {
            Checks.scenario(scenario);
            for (ProducerGroupSpec spec : scenario.producers()) {
                Driver driver = driver(spec.endpoint(), spec.destinations());
                Checks.producers(spec, driver);
                Checks.source(scenario, spec, driver);
                add(producers(spec, driver));
            }
            for (ConsumerGroupSpec spec : scenario.consumers()) {
                Driver driver = driver(spec.endpoint(), spec.destinations());
                Checks.consumers(spec, driver);
                Checks.source(scenario, spec, driver);
                ConsumerGroup group = consumers(spec, driver);
                consumers.add(group);
                if (spec.summarizer() != null) {
                    add(counts(group, spec.summarizer()));
                }
            }
            if (producerNumber > Envelope.PRODUCERS) {
                throw new UsageException(String.format(Locale.ROOT, "%,d producers are more than the %,d that the messages of one run can "
                    + "tell apart.", producerNumber, Envelope.PRODUCERS));
            }
            requestReply();
            return new Plan(scenario, List.copyOf(destinations), List.copyOf(producers), List.copyOf(consumers),
                subscriptions.size());
        }

        private Driver driver(Endpoint endpoint, List<Destination> used) {
            for (Driver driver : drivers) {
                if (driver.protocol().equalsIgnoreCase(endpoint.protocol())) {
                    try {
                        if (endpoint.settings().password() != null && endpoint.settings().user() == null
                            && !driver.takesPasswordAlone(endpoint.settings())) {
                            throw new UsageException("Protocol %s has no password without a user name; give %s, too.", driver.protocol(),
                                Setting.USER);
                        }
                        driver.check(endpoint.settings());
                        used.forEach(destination -> driver.check(endpoint.settings(), destination));
                    } catch (IllegalArgumentException e) {
                        throw new UsageException(e);
                    }
                    return driver;
                }
            }
            String known = drivers.stream().map(Driver::protocol).sorted().collect(Collectors.joining(", "));
            throw new UsageException("Protocol '" + endpoint.protocol() + "' is not known; there are " + known + ".");
        }

        /** Returns the settings of the first connection. */
        private ConnectionSettings settings(GroupSpec spec) {
            return spec.endpoint().settings().withSource(scenario.connecting().source(0));
        }

        private ProducerGroup producers(ProducerGroupSpec spec, Driver driver) {
            List<ProducerPlan> plans = new ArrayList<>();
            int threads = (int) Math.min(spec.threads(), spec.size());
            // Destinations vary fastest, so that neighbouring stripes of the schedule go to different destinations.
            for (int n = 0; n < spec.perDestination(); n++) {
                for (Destination destination : spec.destinations()) {
                    int stripe = plans.size();
                    int thread = stripe % threads;
                    plans.add(new ProducerPlan(producerNumber++, stripe, number(destination), destination, thread,
                        spec.sharedConnections() ? thread : stripe));
                }
            }
            int connections = spec.sharedConnections() ? threads : plans.size();
            ProducerGroup group = asked(() -> new ProducerGroup(groupNumber++, spec, driver, plans, threads, connections));
            ask(() -> {
                ProducerSettings all = group.settings();
                // variants, of which there may be very many, are checked in full with one destination only: they are the same for all
                ProducerSettings first = ProducerSettings.of(its -> its.variants = List.of(all.variants().getFirst()));
                for (Destination destination : spec.destinations()) {
                    driver.check(settings(spec), destination,
                        destination.equals(spec.destinations().getFirst()) ? all : first);
                }
            });
            return group;
        }

        private static void ask(Runnable question) {
            asked(() -> {
                question.run();
                return question;
            });
        }

        /** Returns the answer to a question; turns the refusal of a driver, or of the settings for it, into a {@link UsageException}. */
        private static <T> T asked(Supplier<T> question) {
            try {
                return question.get();
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            }
        }

        /** Creates a group with one producer, for the counts that consumers publish. */
        private ProducerGroup counts(ConsumerGroup counted, Summarizer summarizer) {
            ProducerGroupSpec spec = ProducerGroupSpec.publishing(counted.spec().name() + " counts", counted.spec().endpoint(), summarizer);
            Driver driver = driver(spec.endpoint(), spec.destinations());
            Checks.producers(spec, driver);
            Destination to = summarizer.to();
            List<ProducerPlan> plans = List.of(new ProducerPlan(producerNumber++, 0, number(to), to, 0, 0));
            return new ProducerGroup(groupNumber++, spec, driver, plans, 1, 1).counting(counted);
        }

        private void add(ProducerGroup group) {
            producers.add(group);
            group.spec().destinations().forEach(destination -> largestTo.merge(destination, group.stock().longest(), Math::max));
        }

        private ConsumerGroup consumers(ConsumerGroupSpec spec, Driver driver) {
            String clientId = spec.endpoint().settings().clientId();
            int shared = spec.sharedSubscriptions();
            // With a client id a shared subscription belongs to it, so its consumers must share a connection.
            boolean oneConnectionPerSubscription = shared > 0 && clientId != null;
            int automatic = oneConnectionPerSubscription ? spec.destinations().size() * shared : (int) spec.size();
            int connections = spec.connections() == 0 ? automatic : Math.min(spec.connections(), automatic);
            // A single group has the names that Artemis perf gives; several groups must not use the same names.
            String prefix = scenario.consumers().size() == 1 ? "" : spec.name() + "-";

            List<ConsumerPlan> plans = new ArrayList<>();
            for (Destination destination : spec.destinations()) {
                int d = number(destination);
                boolean competing = !destination.isTopic() && consumersOn.getOrDefault(destination, 0) > 1;
                ConsumerSettings checked = null;
                for (int s = 0; s < Math.max(1, shared); s++, subscriptionGroup++) {
                    for (int c = 0; c < spec.perDestination(); c++) {
                        String name = shared > 0 ? prefix + "shared-" + destination.name() + "-" + s
                            : spec.durable() ? prefix + "durable-" + destination.name() + "-" + c : null;
                        String key = d + "/" + (!destination.isTopic() ? "q"
                            : prefix + (shared > 0 ? "s" + s : "c" + c));
                        int subscription = subscriptions.computeIfAbsent(key, k -> subscriptions.size());
                        ConsumerSettings settings = spec.settings(name, competing, largestTo.getOrDefault(destination, 0));
                        if (!settings.equals(checked)) {
                            // a lost connection opens its consumers once more
                            ConsumerSettings asked = scenario.limits().recovery() == null ? settings : settings.resumed();
                            ask(() -> driver.check(settings(spec), destination, asked));
                            checked = settings;
                        }
                        plans.add(new ConsumerPlan(consumerNumber++, d, destination, subscription,
                            (oneConnectionPerSubscription ? subscriptionGroup : plans.size()) % connections, settings));
                    }
                }
            }
            List<@Nullable String> clientIds = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                clientIds.add(clientId == null ? null : connections == 1 ? clientId : clientId + i);
            }
            return new ConsumerGroup(groupNumber++, spec, driver, List.copyOf(plans), clientIds, null);
        }

        /** Creates for each requester a destination for its replies, with a consumer on it. */
        private void requestReply() {
            boolean answered = scenario.consumers().stream().anyMatch(ConsumerGroupSpec::replies);
            boolean asked = scenario.producers().stream().anyMatch(spec -> spec.request() != null);
            if (answered != asked) {
                throw new UsageException(asked ? "Requests need a group of consumers that replies."
                    : "Consumers that reply need producers that send requests.");
            }
            Set<Destination> repliedTo = new LinkedHashSet<>();
            scenario.consumers().stream().filter(ConsumerGroupSpec::replies).forEach(spec -> repliedTo.addAll(spec.destinations()));
            for (ProducerGroup group : producers) {
                if (group.spec().request() == null) {
                    continue;
                }
                if (group.producers().size() > MOST_REQUESTERS) {
                    throw new UsageException("A group has at most 1,000 requesters, not " + group.producers().size() + ".");
                }
                for (Destination destination : group.spec().destinations()) {
                    if (!repliedTo.contains(destination)) {
                        throw new UsageException("Requests go to " + destination + ", but no consumer replies there.");
                    }
                }
                consumers.add(replies(group));
            }
        }

        private ConsumerGroup replies(ProducerGroup requesters) {
            Endpoint endpoint = requesters.spec().endpoint();
            List<Destination> replies = requesters.producers().stream().map(Plan::replies).toList();
            try {
                replies.forEach(destination -> requesters.driver().check(endpoint.settings(), destination));
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            }
            int connections = Math.min(requesters.connections(), replies.size());
            ConsumerGroupSpec spec = ConsumerGroupSpec.plain(endpoint, replies).with(group -> {
                group.name = requesters.spec().name() + " replies";
                group.connections = connections;
            });
            List<ConsumerPlan> plans = new ArrayList<>();
            for (ProducerPlan requester : requesters.producers()) {
                int d = destinations.size();
                destinations.add(replies.get(requester.stripe()));
                plans.add(new ConsumerPlan(consumerNumber++, d, destinations.get(d),
                    subscriptions.computeIfAbsent(d + "/replies", k -> subscriptions.size()), requester.stripe() % connections,
                    spec.settings(null, false, requesters.stock().longest())));
            }
            List<@Nullable String> clientIds = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                clientIds.add(null);
            }
            return new ConsumerGroup(groupNumber++, spec, requesters.driver(), List.copyOf(plans), clientIds, requesters);
        }
    }
}
