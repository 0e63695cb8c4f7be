package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Input that the program must refuse: with one sentence and status 2, without a connection, and without remaining files. */
class BadInputTest {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "client --raet 5                                                  | did you mean --rate?",
        "client --protocol FOO --json r.json                              | Unknown protocol 'FOO'",
        "client --rate -1 --json r.json                                   | --rate",
        "client --message-size many                                       | --message-size",
        "client --producers -3                                            | --producers",
        "client --message-size 16 --protocol MQTT --property version=3.1.1 --json r.json topic://T | of the envelope, which protocol MQTT cannot carry beside the body",
        "client --durable --json r.json topic://T                         | --clientID",
        "client --shared 2 --json r.json queue://Q                        | --shared",
        "client --json /no/such/directory/r.json                          | /no/such/directory",
        "client --json r.json --hdr /no/such/directory/r.hlog             | /no/such/directory",
        "client --json r.json --url tcp://localhost:notaport              | notaport",
        "client --json r.json --url tcp://localhost:61616?misspelt=1      | misspelt",
        "client --json r.json --rate 5 --rate-per-producer 5              | not both",
        "client --json r.json --broker artemis --url tcp://localhost:1    | not both",
        "client --json r.json --body lines:/no/such/file                  | File /no/such/file, which bodies are to be made of, does not exist.",
        "client --json r.json --body text:{{cuonter}}                     | line 1, column 1: {{cuonter}} is not known",
        "client --json r.json --message-size unifrom:1..2                 | --message-size",
        "client --json r.json --keys zipf:10,x                            | --keys",
        "client --json r.json --keys k --group g                          | not both",
        "client --json r.json --rollback 5%                               | --commit-interval",
        "client --json r.json --consumer-startup-delay after-producers    | --duration or --message-count",
        "client --json r.json --duration 5 --warmup 10                    | --warmup",
        "client --json r.json --user u --password-file /dev/zero          | --password-file /dev/zero has a first line of more than 64 KiB",
        "client --json r.json --broker-pid 2147483647                     | --broker-pid 2147483647: there is no such process",
        "producer --json r.json --broker-pid 1,x                          | --broker-pid '1,x' must be process ids",
        "consumer --json r.json --broker-jmx nowhere                      | --broker-jmx 'nowhere' must be host:port",
        "client --json r.json --broker-metrics nowhere                    | --broker-metrics 'nowhere' must be the URL",
        "client --json r.json --broker-metric a                           | --broker-metric needs --broker-metrics",
        "consumer --json r.json --broker nonsense                         | --broker",
        "client --agents a,b --json r.json                                | --agents needs --key: agents on other machines",
        "client --agents a,b:x --key k --json r.json                      | 'b:x' is no host",
        "client --agents 2 --key /no/such/key --url loopback://x --json r.json | --key names the file /no/such/key, which does not exist",
        "client --agents h:1 --key /etc/hosts --url tcp://x:1 --json r.json --network 5ms | --agents: a network between clients and broker is made on this machine",
        "client --agents localhost:1 --url tcp://x:1 --json r.json --network loss=1% | agents that run already stay in the network where they are",
        "client --agents 2 --url tcp://x:1 --json r.json --body file:/no/such/file | /no/such/file",
        "client --agents 2 --url tcp://x:1?sslEnabled=true&crlPath=/x --json r.json | Parameter crlPath names '/x', which agents need and which cannot be read",
        "client --agents 2 --url loopback://x --json r.json --threshold duplicates==0,abort | cannot end a run on agents",
        "agent --port 70000                                               | --port 70000 must be from 0 to 65535",
        "agent --key /no/such/key                                         | /no/such/key",
        "agent --bind 192.0.2.1                                           | without a key nothing listens beyond that",
        "agent --label =x                                                 | --label '=x' must be NAME or NAME=VALUE",
        "agent --name a/b                                                 | --name 'a/b' must be",
        "agent --member-file /no/such/directory/file                      | --member-file /no/such/directory/file cannot be written",
        "agent --new-key /no/such/directory/key                           | does not exist",
        "producer --consumer-network 5ms --json r.json                    | Option --consumer-network belongs to client, run, ab, search and failover, not to producer.",
        "producer --json r.json --broker artemis:0.0.1                    | Apache Artemis 0.0.1 cannot be fetched",
    })
    void isRefusedWithOneSentence(String commandLine, String expected) throws Exception {
        PROGRAM.refuses(commandLine, expected.strip());
    }

    @Test
    void anAddressOfAnotherMachineIsRefusedBeforeAnythingConnects() throws Exception {
        Finished finished =
            PROGRAM.run("producer", "--url", "mqtt://127.0.0.1:1", "--source-address", "192.0.2.9", "queue://Q").exits(2);
        assertThat(finished.err()).startsWith("--source-address: 192.0.2.9 is no address of this machine (");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "run FILE --agents 2 --threshold duplicates==0,abort              | cannot end a run on agents",
        "ab FILE --b properties.crlPath=/x --agents 2              | Parameter crlPath names '/x', which agents need and which cannot be read",
        "run FILE --agents 2 --key /no/such/key                           | agents.keyFile' names the file /no/such/key, which does not exist",
        "run FILE --agents a,b                                            | --agents a,b: key 'agents.hosts': it needs 'keyFile'",
        "run FILE --agents 2 --expect 3                                   | --expect 3: key 'agents.expect': it is more than the 2 agents",
        "run --resume last --agents 2                                     | none of those about agents",
        "run --resume last --driver a.yaml                                | --omb, --driver, --out",
    })
    void agentsOfTrialsAreRefused(String commandLine, String expected, @TempDir Path elsewhere) throws Exception {
        Path file = elsewhere.resolve("a.yaml");
        Files.writeString(file, """
            url: tcp://refused:1?sslEnabled=true
            destinations: A
            producers: {}
            consumers: {}
            duration: 1s
            """);
        PROGRAM.refuses(commandLine.replace("FILE", file.toString()), expected.strip());
    }

    @AfterEach
    void noReportIsLeft() throws IOException {
        Path directory = PROGRAM.directory();
        assertThat(directory.toFile().list()).isSubsetOf("tmp", "state");
        // a run that is refused only when its broker is fetched has created its run files before, and removes them again
        try (Stream<Path> left = Files.walk(directory)) {
            assertThat(left.filter(path -> path.startsWith(directory.resolve("state")))).allMatch(
                path -> Stream.of("state", "brokermeter", "runs").anyMatch(path::endsWith));
        }
    }
}
