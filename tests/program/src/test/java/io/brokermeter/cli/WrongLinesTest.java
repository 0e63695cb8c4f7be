package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes in the command lines of each command: one sentence, status 2, and no connection to the broker that is named. */
class WrongLinesTest {

    private static final String START = "url: tcp://127.0.0.1:1\nproducers: {destinations: [queue://A], load: {messages: 5}}\n";
    private static final String LONG = "url: tcp://127.0.0.1:1\nproducers: {destinations: [queue://A]}\nduration: 5s\n";
    private static final Map<String, String> TEXTS = Map.ofEntries(
        Map.entry("good.yaml", START),
        Map.entry("nan.yaml", START.replace("messages", "rate: .nan, messages")),
        Map.entry("less.yaml", START.replace("5}", "-1}")),
        Map.entry("tag.yaml", START.replace("tcp://127.0.0.1:1", "!!java.net.URL ['http://x/']")),
        Map.entry("port.yaml", START.replace(":1\n", ":70000\n")),
        Map.entry("scheme.yaml", START.replace("tcp://127", "foo://127")),
        Map.entry("known.yaml", START.replace(":1\n", ":1?misspelt=1\n")),
        Map.entry("property.yaml", "url: kafka://127.0.0.1:1\nproducers: {destinations: [queue://A], load: {messages: 5}}\nproperties:\n"
            + "  acks: all\n  misspelt.ms: 5\n"),
        Map.entry("kafka.yaml", "driverClass: x.KafkaBenchmarkDriver\ncommonConfig: |\n  bootstrap.servers=127.0.0.1:1\nproducerConfig: |\n"
            + "  acks=all\n  linger.ms=none\n"),
        Map.entry("minutes.yaml", "messageSize: 100\ntestDurationMinutes: 1\n"),
        Map.entry("group.yaml", "producers: {destinations: [queue://A], load: {messages: 5}}\nconsumers:\n  destinations: [queue://A]\n"
            + "  url: tcp://127.0.0.1:70000\n"),
        Map.entry("factory.yaml", START + "protocol: JMS\n"),
        Map.entry("size.yaml", START + "message: {size: 9999999999}\n"),
        Map.entry("columns.yaml", START + "columns: nosuch\n"),
        Map.entry("fault.yaml", LONG + "faults: [{do: explode, at: 1s}]\n"),
        Map.entry("late.yaml", LONG + "faults: ['kill broker at 20s for 10s']\n"),
        Map.entry("network.yaml", LONG + "network: 'rtt=10parsec'\n"),
        Map.entry("endless.yaml", LONG.replace("duration: 5s\n", "")),
        Map.entry("empty.yaml", ""),
        Map.entry("nothing.yaml", "{}"),
        Map.entry("workload.yaml", "topics: 1\nmessageSize: 100\n"),
        Map.entry("driver.yaml", "name: x\ndriverClass: io.openmessaging.benchmark.driver.nosuch.Driver\n"),
        Map.entry("open", "no key"));

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @TempDir
    static Path files;

    private static ServerSocket broker;

    @BeforeAll
    static void begin() throws IOException {
        broker = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        broker.setSoTimeout(1);
        for (Map.Entry<String, String> text : TEXTS.entrySet()) {
            Files.writeString(files.resolve(text.getKey()), text.getValue());
        }
        Files.setPosixFilePermissions(files.resolve("open"), PosixFilePermissions.fromString("rw-r--r--"));
        Files.write(files.resolve("binary.yaml"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 'a', 0});
        Files.createDirectory(files.resolve("none"));
    }

    @AfterAll
    static void end() throws IOException {
        broker.close();
    }

    @AfterEach
    void nobodyConnected() {
        assertThatThrownBy(() -> broker.accept().close()).isInstanceOf(SocketTimeoutException.class);
    }

    /** PORT stands for a port on which the test listens, FILES for the directory of the files, and ~ for a blank within a word. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "run FILES/nan.yaml                             | nan.yaml:2: key 'producers.load.rate': Rate '.nan'",
        "run FILES/less.yaml                            | less.yaml:2: key 'producers.load.messages': Count '-1'",
        "run FILES/tag.yaml                             | tag.yaml:1: key 'url': it must be a text",
        "run FILES/port.yaml                            | port.yaml:1: URL 'tcp://127.0.0.1:70000' must name a host and a port from 1 to 65535",
        "run FILES/scheme.yaml                          | scheme.yaml:1: No protocol here has URLs that begin with foo://",
        "run FILES/known.yaml                           | known.yaml:1: The CORE client does not know the parameter 'misspelt'",
        "run FILES/property.yaml                        | property.yaml:5: Protocol KAFKA does not know the parameter 'misspelt.ms'",
        "run --omb FILES/minutes.yaml --driver FILES/kafka.yaml | kafka.yaml:6: ",
        "run FILES/group.yaml                           | group.yaml:4: URL 'tcp://127.0.0.1:70000' must name a host",
        "run FILES/factory.yaml                         | factory.yaml:1: Protocol JMS needs either the parameter factory",
        "run FILES/good.yaml --scale 1e300              | --scale must be a number above 0 and at most 1,000,000, like 0.05.",
        "run FILES/size.yaml                            | key 'message.size': Size '9999999999' is too large",
        "run FILES/columns.yaml                         | columns.yaml:3: key 'columns': 'nosuch' is none of",
        "run FILES/fault.yaml                           | fault.yaml:4: key 'faults.0.do'",
        "run FILES/late.yaml                            | late.yaml:4: key 'faults.0.at': Fault 'kill broker at 20s for 10s' comes after the end",
        "run FILES/network.yaml                         | network.yaml:4: key 'network': A network's rtt '10parsec' is not a time",
        "run FILES/endless.yaml                         | it would never end",
        "run FILES/empty.yaml                           | empty.yaml:1: the file is empty",
        "run FILES/nothing.yaml                         | it has neither 'producers' nor 'consumers'",
        "run FILES/binary.yaml                          | binary.yaml is not a text in UTF-8",
        "run FILES/none                                 | has no scenario file in it",
        "run /dev/zero                                  | Scenario file /dev/zero is larger than 4 MiB",
        "run --driver FILES/driver.yaml                 | --driver needs --omb",
        "run --omb FILES/workload.yaml                  | key 'testDurationMinutes'",
        "run --omb FILES/workload.yaml --driver FILES/driver.yaml | driver.yaml:2: key 'driverClass'",
        "run FILES/good.yaml --scale NaN                | --scale",
        "run FILES/good.yaml --scale Infinity           | --scale",
        "run FILES/good.yaml --set =5                   | --set '=5' needs a key and a value",
        "run FILES/good.yaml --columns nosuch           | --columns: there is no column 'nosuch'",
        "run FILES/good.yaml --label x                  | --label needs NAME=VALUE, not 'x'",
        "run FILES/good.yaml --junit /no/such/dir/x.xml | --junit /no/such/dir/x.xml cannot be written",
        "run FILES/good.yaml --broker-metrics http://127.0.0.1:1/ | No metrics of the broker from http://127.0.0.1:1/",
        "runs --count 0                                 | --count 0 must be at least 1",
        "runs purne                                     | 'purne' is nothing that runs can do",
        "runs prune                                     | Say what is to go",
        "runs prune --keep -1                           | --keep -1 must be at least 0",
        "runs prune --older-than 5                      | --older-than '5' is not a time with a unit",
        "runs prune --max-size lots                     | --max-size 'lots' is not a size",
        "report nosuch                                  | There is no run 'nosuch'",
        "report --columns x                             | --columns: there is no column 'x'",
        "replay last                                    | There is no run in",
        "compare                                        | Give a RUN: brokermeter compare RUN;",
        "compare a b --fail-if throughput               | --fail-if: 'throughput' must be a figure",
        "compare a b --figure nosuch                    | --figure: There is no figure 'nosuch'",
        "ab                                             | Name a scenario file",
        "ab FILES/good.yaml                             | Say what differs",
        "ab FILES/good.yaml --a producers.count=1 --b producers.count=1 | Both variants are the same",
        "ab FILES/good.yaml --a producers.cuont=1       | did you mean 'count'?",
        "ab FILES/good.yaml --a duration=2s --pairs 3   | --pairs: '3' must be rising numbers from 6",
        "ab FILES/good.yaml --a duration=2s --width 0   | --width 0 must be above 0",
        "watch --runs 0                                 | --runs 0 must be from 1 to 1000",
        "watch --figure nosuch                          | --figure: There is no figure 'nosuch'",
        "failover --broker artemis --fault explode      | Fault 'explode' is unknown",
        "failover --broker artemis --fault kill~node~7~at~3s | Broker artemis has no 'node 7'",
        "failover --url tcp://127.0.0.1:PORT            | --i-own-this-broker",
        "window --rtt 5ms                               | --rtt needs at least two round trips",
        "window --rtt 10ms,1ms                          | --rtt must ascend",
        "window --sizes 10                              | --sizes 10 must be from 28 B",
        "window --side left                             | --side 'left' is none of producer, consumer, both",
        "window --url tcp://127.0.0.1:PORT --time 0     | --time 0 is too short",
        "agent --port -1                                | --port -1 must be from 0 to 65535",
        "agent --key FILES/open                         | chmod 600",
        "agent --new-key FILES/open                     | exists already, and a key is never overwritten",
        "broker artemis activemq                        | 'activemq' is not understood by 'broker'",
        "broker mosquitto --broker-journal asyncio      | Broker mosquitto has no journal 'asyncio'",
        "drivers NOSUCH                                 | Unknown protocol 'NOSUCH'",
        "kubernetes FILES/good.yaml --image x --agents 0 | --agents 0 must be from 1 to 1000",
        "kubernetes FILES/good.yaml --image x --cpu lots | --cpu: 'lots' is not a quantity",
        "kubernetes FILES/good.yaml --image x --deadline 0 | --deadline 0 must be from 1",
        "prepare now                                    | 'now' is not understood by 'prepare'",
        "completion bash zsh                            | 'zsh' is not understood by 'completion'",
        "frobnicate                                     | Unknown command frobnicate; there are client, producer",
        "client --url tcp://127.0.0.1:PORT --load sine:1k,2k@10s | an amplitude that is not larger than the mean",
        "client --url tcp://127.0.0.1:PORT --load bursts:10@0s/1s | --load: Bursts need a length above 0",
        "client --url tcp://127.0.0.1:PORT --load trace:/dev/zero | Trace /dev/zero is not a plain file",
        "client --url tcp://127.0.0.1:PORT --rate NaN   | --rate: Rate 'NaN' is not a number of messages",
        "client --url tcp://127.0.0.1:PORT --rate 1e9999 | --rate: Rate '1e9999' is out of range",
        "client --url tcp://127.0.0.1:PORT --duration 999999999h | --duration: Duration '999999999h'",
        "client --url tcp://127.0.0.1:PORT --keys zipf:0,1 | --keys: The number of keys must be from 1",
        "client --url tcp://127.0.0.1:PORT --priority 4:50%,9:60% | --priority: The shares in '4:50%,9:60%' add up to 110%",
        "client --url tcp://127.0.0.1:PORT --requeue 60% --reject 60% | --requeue and --reject together are more than all",
        "client --url tcp://127.0.0.1:PORT --num-destinations 100000000 | are more than 100,000 destinations",
        "client --url tcp://127.0.0.1:PORT --reconnect-limit 5s | --reconnect-limit needs --reconnect",
        "client --url tcp://127.0.0.1:PORT --threshold response.p99~<~5 | must be a time with a unit",
        "client --url tcp://127.0.0.1:PORT --network loss=200% | A network's loss must be from 0%",
        "client --url tcp://127.0.0.1:PORT --client-jars /no/such.jar | --client-jars needs --protocol JMS",
        "client --url tcp://127.0.0.1:PORT --password x | Protocol CORE has no password without a user name",
        "client --url tcp://127.0.0.1:70000             | must name a host and a port from 1 to 65535",
        "client --url 127.0.0.1:PORT                    | URL '127.0.0.1:PORT' cannot be read",
        "client --url tcp://127.0.0.1:PORT?producerWindowSize=x | Parameter 'producerWindowSize' must be a number, not 'x'",
        "client --url stomp://127.0.0.1:PORT?heart-beat=x | Parameter heart-beat of protocol STOMP must be two numbers",
        "client --url mqtt://127.0.0.1:PORT?qos=7       | Parameter qos of protocol MQTT must be a whole number from 0 to 2",
        "client --url amqp://127.0.0.1:PORT?transport=pigeon | transport=pigeon must be own or client",
        "client --url amqp091://127.0.0.1:PORT?frame-max=1 | Parameter frame-max of protocol AMQP091",
        "client --url kafka://127.0.0.1:PORT?acks=maybe | Invalid value maybe for configuration acks",
        "client --url redis://127.0.0.1:PORT/db         | must name one server and nothing behind it",
        "client --url nats://127.0.0.1:PORT queue://a~b | is no subject of NATS",
        "client --url rocketmq://127.0.0.1:PORT?send=x  | Parameter send of protocol ROCKETMQ must be one of",
        "client --url beanstalkd://127.0.0.1:PORT topic://T | beanstalkd has only queues",
        "client --protocol JMS --url tcp://127.0.0.1:PORT | Protocol JMS needs either the parameter factory",
        "producer --url tcp://127.0.0.1:PORT --consumers 2 | belongs to client, consumer, run, ab, search, window and failover, not to producer",
        "consumer --url tcp://127.0.0.1:PORT --persistent | belongs to client, producer, run, ab, search, window and failover, not to consumer",
    })
    void isRefusedWithOneSentence(String line, String expected) throws Exception {
        String port = Integer.toString(broker.getLocalPort());
        String[] words = line.strip().split(" +");
        for (int i = 0; i < words.length; i++) {
            words[i] = words[i].replace("PORT", port).replace("FILES", files.toString()).replace('~', ' ');
        }
        PROGRAM.run(words).exits(2).saysOnly(expected.strip().replace("PORT", port));
    }
}
