package io.brokermeter.experiment.omb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.Origin;
import io.brokermeter.experiment.Search;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversion of workload and driver files of OpenMessaging Benchmark. */
class OmbFilesTest {

    private static final String WORKLOAD = """
        name: two topics
        topics: 2
        partitionsPerTopic: 8
        keyDistributor: "NO_KEY"
        messageSize: 100
        payloadFile: "payload.data"
        subscriptionsPerTopic: 1
        consumerPerSubscription: 3
        producersPerTopic: 4
        producerRate: 50000
        consumerBacklogSizeGB: 0
        testDurationMinutes: 15
        warmupDurationMinutes: 1
        """;
    private static final String KAFKA = """
        name: Kafka
        driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
        replicationFactor: 3
        topicConfig: |
          min.insync.replicas=2
        commonConfig: |
          bootstrap.servers=localhost:9092
        producerConfig: |
          acks=all
          linger.ms=1
        consumerConfig: |
          auto.offset.reset=earliest
          enable.auto.commit=false
        """;

    @TempDir
    Path directory;

    @Test
    void aWorkloadOnKafkaKeepsItsShape() throws IOException {
        Experiment experiment = read(WORKLOAD, KAFKA);
        Workload workload = experiment.trials().getFirst().workload();
        Scenario scenario = workload.scenario();
        assertThat(scenario.destinations()).containsExactly(Destination.parse("queue://omb-test0"),
            Destination.parse("queue://omb-test1"));
        assertThat(scenario.producers().getFirst().perDestination()).isEqualTo(4);
        assertThat(scenario.consumers().getFirst().perDestination()).isEqualTo(3);
        assertThat(scenario.producers().getFirst().load()).isEqualTo(new Load.Constant(Rate.perSecond(50_000)));
        assertThat(scenario.producers().getFirst().messages().content()).isInstanceOf(Content.WholeFile.class);
        assertThat(scenario.limits().warmup()).isEqualTo(Duration.ofMinutes(1));
        assertThat(scenario.limits().duration()).isEqualTo(Duration.ofMinutes(16));
        assertThat(workload.producers().getFirst().protocol()).isEqualTo("KAFKA");
        assertThat(workload.producers().getFirst().url()).isEqualTo("kafka://localhost:9092");
        assertThat(workload.producers().getFirst().properties()).containsEntry("acks", "all").containsEntry("partitions", "8")
            .containsEntry("replicas", "3");
        assertThat(workload.consumers().getFirst().properties()).doesNotContainKeys("auto.offset.reset", "acks");
        assertThat(workload.producers().getFirst().properties()).containsEntry("topic-config", "min.insync.replicas=2");
    }

    @Test
    void severalSubscriptionsBecomeSharedOnesOfATopic() throws IOException {
        Scenario scenario = read(WORKLOAD.replace("subscriptionsPerTopic: 1", "subscriptionsPerTopic: 2"), """
            driverClass: io.openmessaging.benchmark.driver.artemis.ArtemisBenchmarkDriver
            brokerAddress: tcp://host:61616
            """).trials().getFirst().workload().scenario();
        assertThat(scenario.destinations()).allMatch(Destination::isTopic);
        assertThat(scenario.consumers().getFirst().sharedSubscriptions()).isEqualTo(2);
    }

    /** A rate of 0 asks for the highest one that can be kept, in short trials and one of the length of the file. */
    @Test
    void aRateOfZeroIsASearch() throws IOException {
        Experiment experiment = read(WORKLOAD.replace("producerRate: 50000", "producerRate: 0"), KAFKA);
        Search search = experiment.search();
        assertThat(search).isNotNull();
        assertThat(search.searched()).isEqualTo(Search.Searched.RATE);
        assertThat(search.confirmation()).isEqualTo(Duration.ofMinutes(16));
        Scenario scenario = experiment.trials().getFirst().workload().scenario();
        assertThat(scenario.limits().duration()).isEqualTo(Duration.ofSeconds(30));
        assertThat(scenario.thresholds()).extracting(Threshold::text).containsExactly("failed == 0");
        assertThat(read(WORKLOAD, KAFKA).search()).isNull();
    }

    /** OpenMessaging Benchmark counts the backlog of each subscription, so two subscriptions reach it in half of the time. */
    @Test
    void aBacklogGrowsInEachSubscription() throws IOException {
        String backlog = WORKLOAD.replace("consumerBacklogSizeGB: 0", "consumerBacklogSizeGB: 1").replace("producerRate: 50000",
            "producerRate: 1000");
        for (int subscriptions : new int[] {1, 2}) {
            Scenario scenario = read(backlog.replace("subscriptionsPerTopic: 1", "subscriptionsPerTopic: " + subscriptions), KAFKA)
                .trials().getFirst().workload().scenario();
            long seconds = subscriptions == 1 ? 10_738 : 5_369; // 2^30 bytes, 100 each, 1,000 of them a second
            assertThat(scenario.consumers().getFirst().start().delay()).isEqualTo(Duration.ofSeconds(60 + seconds));
            assertThat(scenario.limits().duration()).isEqualTo(Duration.ofSeconds(16 * 60 + seconds));
        }
    }

    /** Driver files have settings of producers and consumers, whatever the workload is. */
    @Test
    void aSideOfNoneIsNoGroup() throws IOException {
        String mqtt = "driverClass: x.mqtt5.MqttBenchmarkDriver\nclient: {serverUri: tcp://h:1883}\nconsumer: {receiveMaximum: 256}\n";
        for (String none : List.of("subscriptionsPerTopic: 1", "consumerPerSubscription: 3")) {
            String sending = WORKLOAD.replace(none, none.replaceFirst("[13]$", "0"));
            for (String driver : List.of(KAFKA, mqtt)) {
                Scenario scenario = read(sending, driver).trials().getFirst().workload().scenario();
                assertThat(scenario.producers()).hasSize(1);
                assertThat(scenario.consumers()).isEmpty();
            }
            Experiment late = read(sending.replace("consumerBacklogSizeGB: 0", "consumerBacklogSizeGB: 1"), KAFKA);
            assertThat(late.trials().getFirst().workload().scenario().consumers()).isEmpty();
            assertThat(late.trials().getFirst().workload().scenario().limits().duration()).isEqualTo(Duration.ofMinutes(16));
            assertThat(late.warnings()).anyMatch(one -> one.contains("key 'consumerBacklogSizeGB': there are no consumers"))
                .noneMatch(one -> one.contains("it is built by consumers"));
        }
        Scenario receiving =
            read(WORKLOAD.replace("producersPerTopic: 4", "producersPerTopic: 0"), KAFKA).trials().getFirst().workload().scenario();
        assertThat(receiving.producers()).isEmpty();
        assertThat(receiving.consumers()).hasSize(1);
    }

    @Test
    void moreEndpointsThanCanBeCountedAreRefused() {
        String most = Integer.toString(Integer.MAX_VALUE);
        assertThatThrownBy(() -> read(WORKLOAD.replace("topics: 2", "topics: " + most).replace("consumerPerSubscription: 3",
            "consumerPerSubscription: " + most).replace("subscriptionsPerTopic: 1", "subscriptionsPerTopic: " + most), KAFKA))
            .hasMessageContaining("which is the most that one process here makes");
        assertThatThrownBy(() -> read(WORKLOAD.replace("topics: 2", "topics: 3000000000"), KAFKA))
            .hasMessageContaining("'3000000000' must be a whole number of at least 1 and at most 2147483647");
    }

    @Test
    void driversOfOtherBrokersAreUnderstood() throws IOException {
        Workload rabbit = read(WORKLOAD, """
            driverClass: io.openmessaging.benchmark.driver.rabbitmq.RabbitMqBenchmarkDriver
            amqpUris: [amqp://admin:geheim@host:5672]
            messagePersistence: true
            queueType: QUORUM
            """).trials().getFirst().workload();
        assertThat(rabbit.producers().getFirst().url()).isEqualTo("amqp://host:5672");
        assertThat(rabbit.producers().getFirst().user()).isEqualTo("admin");
        assertThat(rabbit.producers().getFirst().properties()).containsEntry("queue-type", "quorum");
        assertThat(rabbit.scenario().producers().getFirst().messages().persistent()).isTrue();
        assertThat(access("rocketmq.RocketMQBenchmarkDriver\nnamesrvAddr: a:9876;b:9876").url()).isEqualTo("rocketmq://a:9876,b:9876");
        assertThat(access("jetstream.JetStreamBenchmarkDriver\nnatsHostUrl: nats://h:4222").protocol()).isEqualTo("NATS");
        assertThat(access("redis.RedisBenchmarkDriver\nredisHost: h\nredisPort: 6380").url()).isEqualTo("redis://h:6380");
    }

    @Test
    void theirNumberForNoLimitIsNoLimit() throws IOException {
        Experiment experiment = read(WORKLOAD.replace("producerRate: 50000", "producerRate: 10000000"), KAFKA);
        assertThat(experiment.trials().getFirst().workload().scenario().producers().getFirst().load()).isInstanceOf(Load.AllOut.class);
        assertThat(experiment.warnings()).anyMatch(one -> one.contains("key 'producerRate': 10000000 stands for no limit"));
    }

    @Test
    void aBacklogIsBuiltByConsumersThatComeLate() throws IOException {
        Scenario scenario = read(WORKLOAD.replace("consumerBacklogSizeGB: 0", "consumerBacklogSizeGB: 1"), KAFKA).trials().getFirst()
            .workload().scenario();
        // 1 GiB of 100 bytes each at 50,000/s takes 214.7 s, after a warm-up of a minute
        assertThat(scenario.consumers().getFirst().start().delay()).isEqualTo(Duration.ofSeconds(60 + 215));
        assertThat(scenario.limits().duration()).isEqualTo(Duration.ofSeconds(16 * 60 + 215));
    }

    @Test
    void keysWithoutAValueAreNoKeysAndHostsNeedNoScheme() throws IOException {
        EndpointChoice rocket =
            access("rocketmq.RocketMQBenchmarkDriver\nnamesrvAddr: a:9876\naccessKey:\nsomethingNew:\nenableBackpressure: true\n"
                + "backpressureConcurrency: 1024");
        assertThat(rocket.user()).isNull();
        assertThat(access("nats.NatsBenchmarkDriver\nnatsHostUrl: h:4222").url()).isEqualTo("nats://h:4222");
        EndpointChoice mqtt = access("mqtt5.MqttBenchmarkDriver\nclient:\n  serverUri: tcp://h:1883\n  username:\n  qos: 2\nconsumer:\n"
            + "  cleanSession: true\n  receiveMaximum: 256");
        assertThat(mqtt.protocol()).isEqualTo("MQTT");
        assertThat(mqtt.url()).isEqualTo("mqtt://h:1883");
        assertThat(mqtt.properties()).containsEntry("qos", "2").containsEntry("version", "5");
    }

    @Test
    void aTypeOfQueuesAndATimeoutWithoutAValueAreThoseOfTheDriver() throws IOException {
        assertThat(access("rabbitmq.RabbitMqBenchmarkDriver\nqueueType:").properties()).doesNotContainKey("queue-type");
        assertThat(access("rocketmq.RocketMQBenchmarkDriver\nnamesrvAddr: a:9876\nsendMsgTimeout:").connectTimeout())
            .isEqualTo(Duration.ofSeconds(10));
        assertThat(access("rocketmq.RocketMQBenchmarkDriver\nnamesrvAddr: a:9876\nsendMsgTimeout: 5000").connectTimeout())
            .isEqualTo(Duration.ofSeconds(5));
    }

    /** In OpenMessaging Benchmark, the share of random bytes is 0 by default, so all bytes are zeros. */
    @Test
    void randomBytesAreNoneWhereNoShareIsGiven() throws IOException {
        String random = WORKLOAD.replace("payloadFile: \"payload.data\"", "useRandomizedPayloads: true");
        assertThat(content(random)).isEqualTo(new Content.Compressible(1));
        assertThat(content(random + "randomBytesRatio: 1.0\n")).isEqualTo(new Content.Random());
        assertThat(content(random + "randomBytesRatio: 0.25\n")).isEqualTo(new Content.Compressible(0.75));
        assertThatThrownBy(() -> content(random.replace("messageSize: 100\n", "")))
            .hasMessageContaining("key 'messageSize': it is missing, and 'useRandomizedPayloads' needs it.");
    }

    private Content content(String workload) throws IOException {
        return read(workload, KAFKA).trials().getFirst().workload().scenario().producers().getFirst().messages().content();
    }

    @Test
    void jmsIsTheProtocolOfItsProvider() throws IOException {
        String artemis =
            "jms.JMSBenchmarkDriver\nconnectionFactoryClassName: org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory\n"
                + "connectionFactoryConfigurationParam: 'tcp://h:61616'\nuse20api: true\n";
        assertThat(access(artemis).protocol()).isEqualTo("CORE");
        Scenario scenario = read(WORKLOAD, "driverClass: x." + artemis + "sendWithTransactions: true\nmessageSelector: foo = 'bar'\n"
            + "properties:\n  - name: foo\n    value: bar\n").trials().getFirst().workload().scenario();
        assertThat(scenario.producers().getFirst().commitInterval()).isEqualTo(1);
        assertThat(scenario.consumers().getFirst().selector()).isEqualTo("foo = 'bar'");
        assertThatThrownBy(() -> access(artemis.replace("org.apache.activemq.artemis.jms.client", "com.example")))
            .hasMessageContaining("com.example.ActiveMQConnectionFactory").hasMessageContaining("provider that is not known");
    }

    @Test
    void mistakesNameFileLineAndKey() throws IOException {
        Files.writeString(directory.resolve("payload.data"), "x".repeat(100));
        assertThatThrownBy(() -> read(WORKLOAD.replace("topics: 2", "topcs: 2"), KAFKA))
            .hasMessageContaining("workload.yaml:2: key 'topcs'").hasMessageContaining("did you mean 'topics'?");
        assertThatThrownBy(() -> read(WORKLOAD.replace("payload.data", "gone.data"), KAFKA))
            .hasMessageContaining("workload.yaml:6: key 'payloadFile': the file gone.data does not exist");
        assertThatThrownBy(() -> read(WORKLOAD.replace("consumerBacklogSizeGB: 0", "consumerBacklogSizeGB: 100")
            .replace("producerRate: 50000", "producerRate: 0"), KAFKA))
            .hasMessageContaining("workload.yaml:11: key 'consumerBacklogSizeGB': a backlog needs a 'producerRate'");
        assertThatThrownBy(() -> read(WORKLOAD, "driverClass: a.b.PulsarBenchmarkDriver\n"))
            .hasMessageContaining("driver.yaml:1: key 'driverClass'");
        assertThatThrownBy(() -> read(WORKLOAD.replace("testDurationMinutes: 15", "testDurationMinutes: 0"), KAFKA))
            .hasMessageContaining("workload.yaml:12: key 'testDurationMinutes': '0' must be a whole number of at least 1")
            .hasMessageNotContaining("missing");
        assertThatThrownBy(() -> access("redis.RedisBenchmarkDriver\nredisPort: abc"))
            .hasMessageContaining("driver.yaml:2: key 'redisPort': 'abc' must be a whole number");
        assertThatThrownBy(() -> read(WORKLOAD, KAFKA.replace("bootstrap.servers", "bootstrap")))
            .hasMessageContaining("lacks bootstrap.servers");
    }

    /** Keys of the benchmark's forks: those of a report, those that ask for nothing, and a key for all messages. */
    @Test
    void keysOfForksAreTaken() throws IOException {
        Scenario scenario = read(WORKLOAD.replace("NO_KEY", "FIXED_KEY") + """
            logIntervalMillis: 2000
            randomTopicNames: false
            backlogDrainRatio: 0.99
            consumerOnly: false
            backlogProducerRate: -1
            warmupProducerRate: -1
            warmupProducerRateSeparationMinutes: -1
            existingTopicList: []
            """, KAFKA.replace("kafka.KafkaBenchmarkDriver", "redpanda.tx.RedpandaBenchmarkDriver") + "requestsPerTransaction: 2\n")
            .trials().getFirst().workload().scenario();
        assertThat(scenario.limits().interval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(scenario.producers().getFirst().messages().keys()).isEqualTo(Keys.one("fixed"));
        assertThat(scenario.producers().getFirst().commitInterval()).isEqualTo(2);
        assertThat(read(WORKLOAD + "sampleRateMillis: 500\n", KAFKA).trials().getFirst().workload().scenario().limits().interval())
            .isEqualTo(Duration.ofMillis(500));
        assertThat(access("rabbitmq.RabbitMqBenchmarkDriver\nbrokers: [h1, h2]\nsingleNode: false").url()).isEqualTo("amqp://h1");
        assertThat(access("rabbitmq.RabbitMqBenchmarkDriver\nbrokerAddress: h3").url()).isEqualTo("amqp://h3");
        assertThat(access("jetstream.JetStreamBenchmarkDriver\nstorageType: Memory\nmaxBytes: -1").properties())
            .containsEntry("storage", "memory");
        assertThat(access("rocketmq.RocketMQBenchmarkDriver\nnamesrvAddr: a:9876\nbatchMaxBytes: 32768\ncompressMsgBodyOverHowmuch: 4096")
            .url()).isEqualTo("rocketmq://a:9876");
    }

    @ParameterizedTest
    @ValueSource(strings = {"producerRateList: [[0, 100], [5, 200]]", "partitionsPerTopicList: [1, 4]", "producersPerTopicList: [4, 1]",
        "existingTopicList: [here]", "existingProduceTopicList: [here]", "existingConsumeTopicList: [here]", "consumerOnly: true",
        "backlogProducerRate: 100", "warmupProducerRate: 0", "nameFormat: 'x-${topics}'"})
    void keysOfForksThatGiveARunAnotherMeaningAreRefusedWithTheReason(String line) {
        String key = line.substring(0, line.indexOf(':'));
        assertThatThrownBy(() -> read(WORKLOAD + line + "\n", KAFKA)).hasMessageContaining("workload.yaml:14: key '" + key + "': ")
            .hasMessageNotContaining("no such key").hasMessageNotContaining("did you mean");
    }

    @Test
    void aTemplateOfWorkloadsIsRefusedInOneSentence() {
        assertThatThrownBy(() -> read(WORKLOAD.replace("topics: 2", "topics: [1, 2]") + "nameFormat: 'x-${topics}'\n", KAFKA))
            .hasMessageContaining("this file is a template").hasMessageNotContaining("key 'topics'");
    }

    /** The benchmark gives consumers groups of its own, and Kafka's clients ignore what they do not know. */
    @Test
    void propertiesWithoutEffectAreNamedAndLeftOut() throws IOException {
        Experiment experiment = read(WORKLOAD, KAFKA.replace("linger.ms=1", "linger.ms=1\n  value.serializer=x.Y")
            .replace("enable.auto.commit=false", "group.id=mine\n  offsetCommitLingerMs=5000"));
        Workload workload = experiment.trials().getFirst().workload();
        assertThat(workload.consumers().getFirst().properties()).doesNotContainKeys("group.id", "offsetCommitLingerMs");
        assertThat(workload.producers().getFirst().properties()).containsEntry("linger.ms", "1").doesNotContainKey("value.serializer");
        assertThat(experiment.warnings()).anyMatch(one -> one.contains("driver.yaml:14: key 'consumerConfig': group.id is left out"))
            .anyMatch(one -> one.contains("driver.yaml:15: key 'consumerConfig': offsetCommitLingerMs is left out"))
            .anyMatch(one -> one.contains("driver.yaml:11: key 'producerConfig': value.serializer is left out"));
    }

    @Test
    void whatDriversRefuseIsNamedWhereTheFileHasIt() throws IOException {
        Origin origin = read(WORKLOAD, KAFKA.replace("replicationFactor: 3", "replicationFactor: many")).origin();
        assertThat(origin.of("url", "kafka://localhost:9092")).endsWith("driver.yaml:7");
        assertThat(origin.of("linger.ms", "1")).endsWith("driver.yaml:10");
        assertThat(origin.of("replicas", "many")).endsWith("driver.yaml:3");
        assertThat(origin.of("partitions", "8")).endsWith("workload.yaml:3");
        assertThatThrownBy(() -> read(WORKLOAD, "driverClass: x.RocketMQBenchmarkDriver\nnamesrvAddr: h:1\nsendMsgTimeout: 0\n"))
            .hasMessageContaining("driver.yaml:3: key 'sendMsgTimeout'");
        // What this tool refuses, and not the benchmark, is named by its own key.
        assertThatThrownBy(() -> read(WORKLOAD + "logIntervalMillis: 1\n", KAFKA)).hasMessageContaining("workload.yaml:14: key 'interval'");
        assertThatThrownBy(() -> access("mqtt5.MqttBenchmarkDriver\nclient:\n  serverUri: tcp://h:1\n  qos: x"))
            .hasMessageContaining("driver.yaml:4: key 'qos'");
    }

    private static Set<String> parameters(String protocol) {
        assertThat(protocol).isEqualTo("KAFKA");
        return Set.of("acks", "linger.ms", "max.partition.fetch.bytes");
    }

    private EndpointChoice access(String driver) throws IOException {
        return read(WORKLOAD, "driverClass: io.openmessaging.benchmark.driver." + driver + "\n").trials().getFirst().workload()
            .producers().getFirst();
    }

    private Experiment read(String workload, String driver) throws IOException {
        Files.writeString(directory.resolve("payload.data"), "x".repeat(100));
        return OmbFiles.read(Files.writeString(directory.resolve("workload.yaml"), workload),
            Files.writeString(directory.resolve("driver.yaml"), driver), OmbFilesTest::parameters, new Changes(List.of(), false));
    }
}
