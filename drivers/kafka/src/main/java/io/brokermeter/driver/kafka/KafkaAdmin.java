package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The requests to the brokers other than sending and receiving. Each method ends within the connect timeout, and throws a
 * {@link DriverException} whose sentence names what was being done.
 */
final class KafkaAdmin implements AutoCloseable {

    /** The longest time until a topic is known to all nodes; a deleted topic takes as long to be forgotten. */
    private static final Duration SPREAD_LIMIT = Duration.ofSeconds(10);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);
    private static final Duration FIRST_ANSWER_LIMIT = Duration.ofSeconds(2);

    private final KafkaSettings settings;
    private final Admin admin;
    private final Answers answers;
    private final Map<String, Integer> partitions = new ConcurrentHashMap<>();

    private KafkaAdmin(KafkaSettings settings, Admin admin) {
        this.settings = settings;
        this.admin = admin;
        this.answers = new Answers(settings.timeout());
    }

    /** Connects, and waits for the first answer. */
    static KafkaAdmin open(KafkaSettings settings) throws DriverException {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        // Kafka's clients retry for ever if nothing listens.
        Optional<String> unreachable = Failure.unreachable(settings.url().servers(), settings.timeout());
        if (unreachable.isPresent()) {
            throw new DriverException(unreachable.get() + ".", null);
        }
        if (!settings.tls()) {
            List<ServerUrl.Server> answering = new ArrayList<>();
            for (ServerUrl.Server server : settings.url().servers()) {
                FirstAnswer answer = FirstAnswer.of(server, firstAnswerLimit(deadline));
                if (answer.refusal().isPresent()) {
                    throw new DriverException(answer.refusal().get(), null);
                }
                if (answer.came()) {
                    answering.add(server);
                }
            }
            if (!answering.isEmpty()) {
                settings.beginWith(answering);
            }
        }
        Admin admin;
        try {
            admin = Admin.create(settings.clients().admin());
        } catch (RuntimeException e) {
            throw KafkaConnectFailure.of(settings, e);
        }
        try {
            admin.describeCluster().nodes().get(left(deadline).toNanos(), TimeUnit.NANOSECONDS);
            return new KafkaAdmin(settings, admin);
        } catch (ExecutionException e) {
            admin.close(Duration.ZERO);
            throw KafkaConnectFailure.of(settings, e.getCause() == null ? e : e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            admin.close(Duration.ZERO);
            throw KafkaConnectFailure.of(settings, e);
        } catch (InterruptedException e) {
            admin.close(Duration.ZERO);
            Thread.currentThread().interrupt();
            throw new DriverException("The connection to " + settings.address() + " was interrupted.", e);
        }
    }

    /** A server that is silent is left to the client, which needs the rest of the time. */
    private static Duration firstAnswerLimit(long deadline) {
        Duration quarter = left(deadline).dividedBy(4);
        return quarter.compareTo(FIRST_ANSWER_LIMIT) < 0 ? quarter : FIRST_ANSWER_LIMIT;
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
    }

    Map<MetricName, ? extends Metric> metrics() {
        return admin.metrics();
    }

    /** Returns the servers of the URL and all nodes of the cluster. */
    List<ServerUrl.Server> servers() throws DriverException {
        List<ServerUrl.Server> servers = new ArrayList<>(settings.url().servers());
        for (Node node : answers.get(admin.describeCluster().nodes(), "asking for the nodes of the cluster")) {
            ServerUrl.Server server = new ServerUrl.Server(node.host(), node.port());
            if (!servers.contains(server)) {
                servers.add(server);
            }
        }
        return servers;
    }

    /** Returns the metadata level that a cluster reports, since the protocol has no release number; empty if the cluster reports none. */
    String version() {
        try {
            FinalizedVersionRange level = answers.get(admin.describeFeatures().featureMetadata(), "asking for features")
                .finalizedFeatures().get("metadata.version");
            return level == null ? "" : "Apache Kafka (metadata.version " + level.maxVersionLevel() + ")";
        } catch (DriverException e) {
            return "";
        }
    }

    // ---- topics

    /** @return whether this call created the topic */
    boolean declare(String topic) throws DriverException {
        partitions.remove(topic);
        Optional<TopicDescription> found = find(topic);
        if (found.isPresent()) {
            if (hasLeaders(found.get())) {
                try {
                    awaitServed(found.get(), "looking for the leaders of topic " + topic);
                } catch (DriverException e) {
                    // Another client may have created it just now; the user of the topic finds out.
                }
                partitions.put(topic, found.get().partitions().size());
            }
            return false;
        }
        String doing = "creating topic " + topic;
        try {
            answers.await(admin.createTopics(List.of(new NewTopic(topic, Optional.of(settings.partitions()), settings.replicas())
                .configs(settings.topicConfig()))).all(), doing);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                awaitLeaders(topic, doing);
                return false;
            }
            // The client may fail over an incomplete but harmless answer: look whether the topic exists.
            if (e.getCause() instanceof KafkaException || find(topic).isEmpty()) {
                throw Answers.refused(doing, e);
            }
        }
        awaitLeaders(topic, doing);
        return true;
    }

    private Optional<TopicDescription> find(String topic) throws DriverException {
        String doing = "looking for topic " + topic;
        try {
            return Optional.ofNullable(answers.await(admin.describeTopics(List.of(topic)).allTopicNames(), doing).get(topic));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            if (e.getCause() instanceof KafkaException) {
                throw Answers.refused(doing, e);
            }
            return findById(topic, doing);
        }
    }

    /**
     * Looks for a topic with an older request. The client fails over answers to the newer one in which brokers leave out optional fields.
     */
    private Optional<TopicDescription> findById(String topic, String doing) throws DriverException {
        TopicListing listed = answers.get(admin.listTopics().namesToListings(), doing).get(topic);
        if (listed == null) {
            return Optional.empty();
        }
        Uuid id = listed.topicId();
        return Optional.ofNullable(answers.get(admin.describeTopics(TopicCollection.ofTopicIds(List.of(id))).allTopicIds(), doing).get(id));
    }

    private void awaitLeaders(String topic, String doing) throws DriverException {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        while (true) {
            Optional<TopicDescription> found = find(topic);
            if (found.isPresent() && hasLeaders(found.get())) {
                awaitServed(found.get(), doing);
                partitions.put(topic, found.get().partitions().size());
                return;
            }
            answers.pause(deadline, doing);
        }
    }

    private static boolean hasLeaders(TopicDescription topic) {
        return topic.partitions().stream().allMatch(p -> p.leader() != null && !p.leader().isEmpty());
    }

    /**
     * Waits until each leader knows its role: the metadata names a leader earlier. A producer that is faster gets some requests refused and
     * a later one accepted, and then its first messages are out of order until they expire (KAFKA-15591).
     */
    private void awaitServed(TopicDescription topic, String doing) throws DriverException {
        offsets(topic.name(), topic.partitions().size(), OffsetSpec.latest(), doing);
    }

    /** Returns the number of partitions of a topic; creates the topic if it does not exist. */
    int partitions(String topic) throws DriverException {
        Integer known = partitions.get(topic);
        if (known != null) {
            return known;
        }
        declare(topic);
        Integer found = partitions.get(topic);
        if (found == null) {
            found = find(topic).map(t -> t.partitions().size()).orElseThrow(
                () -> new DriverException("Topic " + topic + " was deleted by somebody else.", null));
            partitions.put(topic, found);
        }
        return found;
    }

    /** Returns the leaders of a topic's partitions, by partition; null for a partition that has none at the moment. */
    List<@Nullable Node> leaders(String topic) throws DriverException {
        TopicDescription found = find(topic).orElseThrow(
            () -> new DriverException("Topic " + topic + " was deleted by somebody else.", null));
        @Nullable Node[] leaders = new Node[found.partitions().size()];
        for (TopicPartitionInfo each : found.partitions()) {
            leaders[each.partition()] = each.leader();
        }
        return Collections.unmodifiableList(Arrays.asList(leaders));
    }

    /** Deletes a topic, and returns when it is gone. Deletes its groups as well, unless they have members. */
    void delete(String topic, Collection<String> groups, Collection<String> shareGroups) throws DriverException {
        partitions.remove(topic);
        String doing = "deleting topic " + topic;
        try {
            answers.await(admin.deleteTopics(List.of(topic)).all(), doing);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw Answers.refused(doing, e);
            }
        }
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        while (find(topic).isPresent()) {
            answers.pause(deadline, doing);
        }
        Answers.tryIt(admin.deleteConsumerGroups(groups).all(), settings.timeout(), "deleting groups");
        if (!shareGroups.isEmpty()) {
            Answers.tryIt(admin.deleteShareGroups(shareGroups).all(), settings.timeout(), "deleting groups");
        }
    }

    // ---- groups

    /** Deletes a group with its positions; does nothing if the group does not exist. */
    void deleteGroup(String group) throws DriverException {
        String doing = "removing group " + group;
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        while (true) {
            try {
                answers.await(admin.deleteConsumerGroups(List.of(group)).all(), doing);
                return;
            } catch (ExecutionException e) {
                if (e.getCause() instanceof GroupIdNotFoundException) {
                    return;
                }
                if (!(e.getCause() instanceof GroupNotEmptyException) || System.nanoTime() >= deadline) {
                    throw Answers.refused(doing, e);
                }
                // A consumer that was closed just now may be leaving.
                answers.pause(deadline, doing);
            }
        }
    }

    /**
     * Deletes a group unless it has members.
     *
     * @param limit the longest time to wait for the answer
     */
    void deleteEmptyGroup(String group, Duration limit) {
        Answers.tryIt(admin.deleteConsumerGroups(List.of(group)).all(), limit, "removing group " + group);
    }

    /**
     * Makes a share group begin with the oldest message.
     *
     * @param isolation Kafka's isolation level, which decides whether messages of a transaction are visible before its end
     */
    void prepareShareGroup(String group, String isolation) throws DriverException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        answers.get(admin.incrementalAlterConfigs(Map.of(resource, List.of(
            new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET),
            new AlterConfigOp(new ConfigEntry("share.isolation.level", isolation), AlterConfigOp.OpType.SET)))).all(),
            "configuring share group " + group);
    }

    /** Returns the members of a share group, with or without a place; empty if the broker does not know the group. */
    Collection<ShareMemberDescription> shareMembers(String group) throws DriverException {
        String doing = "looking for the members of share group " + group;
        try {
            ShareGroupDescription found = answers.await(admin.describeShareGroups(List.of(group)).all(), doing).get(group);
            return found == null ? List.of() : found.members();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return List.of();
            }
            throw Answers.refused(doing, e);
        }
    }

    /** Returns the state of a consumer group; {@link GroupState#STABLE} if each member has its place or was told that it has none. */
    GroupState state(String group) throws DriverException {
        ConsumerGroupDescription description =
            answers.get(admin.describeConsumerGroups(List.of(group)).all(), "looking at group " + group).get(group);
        return description == null ? GroupState.UNKNOWN : description.groupState();
    }

    /** Returns the number of messages behind the committed positions of a group; all messages of a partition without a position count. */
    OptionalLong lag(String topic, String group) throws DriverException {
        var committed = positions(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(), "group " + group);
        return sum(topic, (partition, begin, end) -> {
            OffsetAndMetadata position = committed.get(partition);
            return Math.max(0, end - (position == null ? begin : Math.max(begin, position.offset())));
        });
    }

    /** Returns the number of messages that a share group has not processed, as counted by the broker where it does. */
    OptionalLong shareLag(String topic, String group) throws DriverException {
        // Of this topic alone: asked for all topics of a group, Kafka 4.3 may never answer once one of them was deleted.
        var asked = new ListShareGroupOffsetsSpec().topicPartitions(partitionsOf(topic, partitions(topic)));
        var counted = positions(admin.listShareGroupOffsets(Map.of(group, asked)).partitionsToOffsetInfo(group), "share group " + group);
        return sum(topic, (partition, begin, end) -> {
            var position = counted.get(partition);
            // A broker that has not counted knows at least the position before all waiting messages.
            return position == null ? end - begin
                : position.lag().orElseGet(() -> Math.max(0, end - Math.max(begin, position.startOffset())));
        });
    }

    private <T> Map<TopicPartition, T> positions(KafkaFuture<Map<TopicPartition, T>> answer, String group) throws DriverException {
        String doing = "asking for the positions of " + group;
        try {
            return answers.await(answer, doing);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return Map.of();
            }
            throw Answers.refused(doing, e);
        }
    }

    private interface Lag {

        long of(TopicPartition partition, long begin, long end);
    }

    private OptionalLong sum(String topic, Lag lag) throws DriverException {
        Map<TopicPartition, Long> begins = offsets(topic, OffsetSpec.earliest());
        return OptionalLong.of(offsets(topic, OffsetSpec.latest()).entrySet().stream()
            .mapToLong(end -> lag.of(end.getKey(), begins.getOrDefault(end.getKey(), 0L), end.getValue())).sum());
    }

    private Map<TopicPartition, Long> offsets(String topic, OffsetSpec spec) throws DriverException {
        return offsets(topic, partitions(topic), spec, "asking for the offsets of topic " + topic);
    }

    private static List<TopicPartition> partitionsOf(String topic, int count) {
        return IntStream.range(0, count).mapToObj(p -> new TopicPartition(topic, p)).toList();
    }

    /**
     * Requests the offsets of all partitions, repeatedly as long as the topic is unknown: the client trusts a node's answer that there is
     * no such topic, and any node may be the last one to learn of it.
     */
    private Map<TopicPartition, Long> offsets(String topic, int count, OffsetSpec spec, String doing) throws DriverException {
        Map<TopicPartition, OffsetSpec> asked = partitionsOf(topic, count).stream()
            .collect(Collectors.toMap(Function.identity(), _ -> spec));
        long deadline = System.nanoTime() + Math.min(settings.timeout().toNanos(), SPREAD_LIMIT.toNanos());
        while (true) {
            try {
                return answers.await(admin.listOffsets(asked).all(), doing).entrySet().stream()
                    .collect(Collectors.toMap(Map.Entry::getKey, e -> e.getValue().offset()));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || System.nanoTime() >= deadline) {
                    throw Answers.refused(doing, e);
                }
            }
            answers.pause(Long.MAX_VALUE, doing);
        }
    }

    @Override
    public void close() {
        admin.close(CLOSE_LIMIT);
    }
}
