package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.ssh.SshHosts;
import io.brokermeter.trials.agents.AgentPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Agents, coordinator and workers as separate processes, with a real broker. */
@Order(1)
class AgentsTest extends ToolInDirectory {

    @RegisterExtension
    private static final SharedBroker BROKER = new SharedBroker();

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private static final int TRIES = 3;
    private static final Pattern PORT = Pattern.compile("port (\\d+)");

    private final List<Running> agents = new ArrayList<>();
    private final List<Running> clients = new ArrayList<>();
    private int attempt;

    @AfterEach
    void end() throws Exception {
        clients.forEach(Running::close);
        agents.forEach(Running::close);
        // Workers of agents that were killed write into the directory, which is deleted next, until they notice it.
        Waiting.until("no process works in " + directory, () -> ProcessHandle.allProcesses().noneMatch(this::worksHere));
    }

    private boolean worksHere(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd")).startsWith(directory.toRealPath());
        } catch (IOException e) {
            // it has ended, or belongs to another user
            return false;
        }
    }

    /** Returns the directory of the files of the run. */
    private Path out() {
        return directory.resolve(attempt == 0 ? "run" : "run" + attempt);
    }

    /** Starts an agent and returns its port. */
    private String agent(String name, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("agent", "--port", "0", "--name", name));
        words.addAll(List.of(more));
        Running agent =
            new Tool(Files.createDirectories(directory.resolve(name))).start(words.toArray(String[]::new)).awaitOut("It waits for");
        agents.add(agent);
        Matcher port = PORT.matcher(agent.out());
        assertThat(port.find()).isTrue();
        return port.group(1);
    }

    private Running client(String agentsThere, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("client", "--agents", agentsThere, "--url", BROKER.url(), "--warmup", "0", "--out",
            out().toString()));
        words.addAll(List.of(more));
        words.add("queue://agents-" + System.nanoTime());
        Running client = tool().start(words.toArray(String[]::new));
        clients.add(client);
        return client;
    }

    private Running steady(String... agentsThere) throws Exception {
        return steady(List.of(), agentsThere);
    }

    private Running steady(List<String> more, String... ports) throws Exception {
        List<String> hosts = new ArrayList<>();
        for (String port : ports) {
            hosts.add("localhost:" + port);
        }
        // With one message in flight, a run that ends while the broker takes a second for its first messages would miss most of its rate.
        List<String> words =
            new ArrayList<>(List.of("--producers", "4", "--consumers", "4", "--rate", "400", "--max-pending", "100", "--duration", "600"));
        words.addAll(more);
        return client(String.join(",", hosts), words.toArray(String[]::new)).awaitBlocks(1);
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(out().resolve(file));
    }

    @Test
    void thoseOfThisMachineAreExactTogetherAndByProducer() throws Exception {
        // no rate, since a busy machine could miss it and fail the run
        Finished run = PROGRAM.run("client", "--agents", "2", "--url", BROKER.url(), "--connect-timeout", "60s", "--producers", "7",
            "--consumers", "5", "--message-count", "1407", "--out", out().toString(), "queue://agents-exact").exits(0);
        assertThat(run.total("total sent")).isEqualTo(1_407);
        assertThat(run.total("total received")).isEqualTo(1_407);
        assertThat(run.total("lost")).isZero();
        assertThat(lines("endpoints.csv").stream().filter(line -> line.contains("producers")).mapToLong(AgentsTest::messages)).hasSize(7)
            .allMatch(count -> count == 201);
        for (int i = 1; i <= 2; i++) {
            assertThat(directory.resolve("run/agents/agent" + i)).isDirectoryContaining("glob:**result.json")
                .isDirectoryContaining("glob:**latency.hlog");
        }
        run.leavesNothing();
        assertThat(run.out()).containsPattern("--- agent agent1: +sent \\d+, received \\d+, cpu ");
        Path page = directory.resolve("page.html");
        PROGRAM.run("report", directory.resolve("run").toString(), "--html", page.toString()).exits(0);
        assertThat(page).content().contains("agents-table", "agents-fairness-table");
        assertThat(lines("generator.csv")).as("the coordinator is no generator").hasSize(1);
    }

    @Test
    void aFileThatIsTooLargeForAgentsIsRefused() throws Exception {
        Path large = directory.resolve("large");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(17L << 20);
        }
        PROGRAM.run("client", "--agents", "2", "--url", BROKER.url(), "--producers", "1", "--consumers", "1", "--body", "file:" + large,
            "--message-count", "1", "--out", "none").exits(2).saysOnly(large.toString());
    }

    /** Connections are reset on their way through the network, and later the broker is killed: both by one run. */
    @Test
    void aBrokerThatDiesUnderAgentsBehindANetworkIsScoredAndTheLedgerIsExact() throws Exception {
        Finished run;
        do {
            run = tool().run("client", "--agents", "2", "--broker", "nats", "--warmup", "0", "--producers", "2", "--consumers", "2",
                "--rate", "100", "--max-pending", "100", "--duration", "10", "--reconnect", "100ms", "--network", "rtt=40ms", "--fault",
                "reset connection at 500ms", "--fault", "kill broker at 3s for 200ms", "--allow-loss", "--out", out().toString(),
                "queue://agents-fault");
            // After a stall the load may be over before a fault is due, or before its clients notice it.
        } while (!(run.err().contains("kill broker: gone at") && run.err().contains("reset connection: ")
            && run.out().contains("until a client noticed")) && ++attempt < TRIES);
        assertThat(run.err()).contains("A TCP proxy adds the network", "reset connection: ", "kill broker: gone at",
            "agent1: Connection of ", "agent2: Connection of ");
        assertThat(run.out()).contains("fault at").contains("until a client noticed").contains("lost:                      0");
        assertThat(run.total("total sent")).isPositive();
        String result = String.join("", lines("result.json"));
        assertThat(result).contains("\"failover\":{").contains("\"faultKnown\":true");
        Matcher least = Pattern.compile("\"transfer\":\\{.*?\"p50Micros\":([0-9.]+)").matcher(result);
        assertThat(least.find()).isTrue();
        assertThat(Double.parseDouble(least.group(1))).as("20 ms to the broker, and 20 ms from it").isGreaterThan(40_000);
        assertThat(out().resolve("failover.csv")).isNotEmptyFile();
        run.leavesNothing();
    }

    private static long messages(String line) {
        String[] cells = line.split(",");
        for (int i = cells.length - 1; i >= 0; i--) {
            if (cells[i].matches("[0-9]{2,}")) {
                return Long.parseLong(cells[i]);
            }
        }
        return -1;
    }

    @Test
    void agentsOfOtherMachinesGoByTheClockOfTheCoordinator() throws Exception {
        String key = directory.resolve("a.p12").toString();
        PROGRAM.run("agent", "--new-key", key).exits(0);
        List<String> hosts = new ArrayList<>();
        for (String name : List.of("near", "far")) {
            Running agent =
                new Tool(Files.createDirectories(directory.resolve(name))).with("JAVA_TOOL_OPTIONS", "-Dbrokermeter.machine=" + name)
                    .start("agent", "--port", "0", "--bind", "127.0.0.1", "--name", name, "--label", "at=" + name, "--key", key)
                    .awaitOut("It waits for");
            agents.add(agent);
            Matcher port = PORT.matcher(agent.out());
            assertThat(port.find()).isTrue();
            hosts.add("localhost:" + port.group(1));
        }
        Finished run = client(String.join(",", hosts), "--key", key, "--producers", "3", "--consumers", "2", "--producer-agents", "near",
            "--consumer-agents", "label:at=far", "--rate", "100", "--message-count", "201", "--json",
            directory.resolve("run.json").toString(),
            "--hdr", directory.resolve("run.hdr").toString()).await().exitsWellAtAnyRate();
        assertThat(run.total("total received")).isEqualTo(201);
        assertThat(run.err()).contains("Times from one agent to another are");
        boolean judged = run.err().contains("another are right");
        assertThat(directory.resolve("run/environment.json")).content()
            .containsPattern("\"oneWayTimes\" ?: ?\"" + (judged ? "judged" : "left out"));
        assertThat(directory.resolve("run.json")).content().contains("\"oneWayTimes\":\"" + (judged ? "judged" : "left out"));
        assertThat(directory.resolve("run.hdr")).content().contains("#[oneWayTimes: " + (judged ? "judged" : "left out") + "]");
        for (String name : List.of("near", "far")) {
            String own = Files.readString(directory.resolve("run/agents/" + name + "/environment.json"));
            assertThat(own.contains("\"oneWayTimes\"")).isEqualTo(!judged);
        }
        assertThat(run.out()).containsPattern("--- agent near: +sent 201, received 0, .* clock within [0-9.]+ us")
            .containsPattern("--- agent far: +sent 0, received 201, .* clock within [0-9.]+ us");
    }

    @Test
    void agentsAreBroughtToHostsByTheUsersSshAndEndWithTheRun() throws Exception {
        String key = directory.resolve("a.p12").toString();
        PROGRAM.run("agent", "--new-key", key).exits(0);
        Path home = directory.resolve("home");
        Files.createDirectories(home.resolve("lib"));
        Path program = Files.writeString(Files.createDirectories(home.resolve("bin")).resolve("brokermeter"),
            "#!/bin/sh\nexec " + String.join(" ", ToolClassPath.java()) + " io.brokermeter.cli.Main \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        int[] ports = FreePorts.some(2);
        try (SshHosts hosts = SshHosts.in(Files.createDirectory(directory.resolve("ssh")), "localhost")) {
            Finished run =
                tool().with(AgentPool.SSH, String.join(" ", hosts.ssh())).with("JAVA_TOOL_OPTIONS", "-Dbrokermeter.home=" + home)
                    .run("client", "--agents", "localhost:" + ports[0] + ",localhost:" + ports[1], "--deploy", "ssh", "--key", key, "--url",
                        BROKER.url(), "--producers", "2", "--consumers", "2", "--message-count", "401", "--out", "none",
                        "queue://agents-ssh")
                    .exits(0);
            assertThat(run.total("total sent")).isEqualTo(401);
            assertThat(run.total("total received")).isEqualTo(401);
            assertThat(run.out()).contains("--- agent localhost-" + ports[0], "--- agent localhost-" + ports[1]);
            // Where a session did not end in time, the shell on the host deletes the key after the session.
            Waiting.until("the keys are gone", () -> hosts.keys().isEmpty());
            assertThat(hosts.copies()).hasSize(1);
            run.leavesNothing();
        }
    }

    @Test
    void aBrokerAtANamedAddressHasAPasswordThatAgentsGetAndNobodyElseSees() throws Exception {
        Path run = directory.resolve("run");
        Running running = tool()
            .start("client", "--agents", "2", "--broker", "artemis", "--broker-address", "127.0.0.2", "--producers", "2",
                "--consumers", "2", "--rate", "300", "--max-pending", "100", "--warmup", "0", "--duration", "600", "--out", run.toString(),
                "--serve", "--fault", "run echo hello at 500s", "queue://agents-address");
        clients.add(running);
        running.awaitBlocks(1);
        Matcher url = Pattern.compile("tcp://127\\.0\\.0\\.2:\\d+").matcher(running.out());
        assertThat(url.find()).as(running.out()).isTrue();
        Finished stranger = tool().run("producer", "--url", url.group(), "--message-count", "1", "--out", "none").exits(1);
        assertThat(stranger.err()).containsIgnoringCase("user");
        Matcher page = Pattern.compile("(?m)^Live page: (.*)$").matcher(running.out());
        assertThat(page.find()).isTrue();
        aPageShowsAllAgentsAndEndsThem(running, page.group(1));
        Finished ended = running.await().exitsAtAnyRate(130);
        assertThat(ended.total("total received")).isEqualTo(ended.total("total sent")).isPositive();
        ended.leavesNothing();
        try (Stream<Path> files = Files.walk(run)) {
            assertThat(files.filter(Files::isRegularFile)).isNotEmpty().allSatisfy(file -> assertThat(Files.readString(file,
                StandardCharsets.ISO_8859_1)).doesNotContain("brokermeter:", "password"));
        }
    }

    private static void aPageShowsAllAgentsAndEndsThem(Running running, String page) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient();
                BufferedReader events = new BufferedReader(new InputStreamReader(client
                    .send(HttpRequest.newBuilder(URI.create(page + "events")).build(), HttpResponse.BodyHandlers.ofInputStream()).body(),
                    StandardCharsets.UTF_8))) {
            // The two agents send half of it each. The whole page, which is told now and then, has the sentence, too, but no controls.
            String told = events.readLine();
            while (told.contains("\"header\"") || !told.matches("data: .*\\b(29\\d|30\\d)/s of 300/s.*")) {
                told = events.readLine();
            }
            assertThat(told).contains("\"rate\":false", "\"fault\":1", "\"does\":\"run echo hello\"");
            assertThat(post(client, page + "faster").body()).startsWith("The rate stays: it can be changed of one process");
            assertThat(post(client, page + "fault/1").statusCode()).isEqualTo(200);
            running.awaitErr("fault 1, run echo hello, was asked for by hand at ").awaitErr("ended with exit status 0");
            assertThat(post(client, page + "end").statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> post(HttpClient client, String url) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
    }

    /** The agent is there for one coordinator that has its key, and for all trials of that one. */
    @Test
    void trialsOfAFileRunOnTheSameAgentWhichGetsItsBodies() throws Exception {
        String key = directory.resolve("a.p12").toString();
        String another = directory.resolve("b.p12").toString();
        PROGRAM.run("agent", "--new-key", key).exits(0);
        PROGRAM.run("agent", "--new-key", another).exits(0);
        String port = agent("near", "--bind", "127.0.0.1", "--once", "--key", key);
        PROGRAM.run("client", "--agents", "localhost:" + port, "--within", "3s", "--key", another, "--url", BROKER.url(),
            "--message-count", "1", "--out", "none").exits(2).saysOnly("0 of 1 agent");
        Path bodies = Files.writeString(directory.resolve("bodies.txt"), "one\ntwo\n");
        Path file = Files.writeString(directory.resolve("a.yaml"), """
            url: %s
            connectTimeout: 60s
            destinations: agents-trials
            agents: localhost:%s
            producers: {count: 3}
            consumers: {count: 3}
            load: {messages: 301}
            message: {body: 'lines:bodies.txt'}
            repeat: 2
            thresholds: ['lost == 0']
            """.formatted(BROKER.url(), port));
        Finished run =
            PROGRAM.run("run", file.toString(), "--key", key, "--out", directory.resolve("sweep").toString()).exitsWellAtAnyRate();
        assertThat(run.out()).contains("trial 1 of 2", "trial 2 of 2");
        try (Stream<Path> results = Files.walk(directory.resolve("sweep"))) {
            assertThat(results
                .filter(path -> path.endsWith("result.json") && path.getParent().toString().matches(".*/trials?/[^/]+|.*/00[12][^/]*")))
                .hasSize(2)
                .allSatisfy(result -> assertThat(result).content().contains("\"received\":301", "\"agents\":[{\"name\":\"near\""))
                .allSatisfy(result -> assertThat(result.resolveSibling("scenario.yaml")).content().contains("lines:bodies.txt"))
                .allSatisfy(result -> assertThat(result.resolveSibling("agents/near/scenario.yaml")).content().contains("lines:enclosed/1")
                    .doesNotContain(bodies.toString()))
                .allSatisfy(result -> assertThat(result.resolveSibling("agents/near/enclosed")).doesNotExist());
        }
        assertThat(agents.getFirst().await().exits(0).out().lines().filter(line -> line.endsWith(" is over."))).hasSize(2);
        Files.writeString(bodies, "others\n");
        PROGRAM.run("run", "--resume", directory.resolve("sweep").toString()).exits(2).saysOnly(bodies + " has changed");
    }

    /** Labels are known only once the agents are connected, which is before the first trial. The agents wait for the next run after that. */
    @Test
    void trialsWhoseGroupsCanBeNowhereAreRefusedOnceAndAnAgentThatItsUserEndsEndsTheRunCleanly() throws Exception {
        String near = agent("near", "--label", "at=near");
        String far = agent("far", "--label", "at=8");
        Path file = Files.writeString(directory.resolve("a.yaml"), """
            url: %s
            destinations: agents-nowhere
            agents: localhost:%s,localhost:%s
            producers: {}
            consumers: {on: {label: at=far}}
            load: {messages: 10}
            sweep: {producers.on: [spread, near]}
            repeat: 2
            """.formatted(BROKER.url(), near, far));
        Path sweep = directory.resolve("sweep");
        PROGRAM.run("run", file.toString(), "--out", sweep.toString()).exits(2)
            .saysOnly("a with producers.on=", ": Group 'consumers consumers' is to be on ");
        assertThat(sweep).doesNotExist();
        assertThat(agents).allSatisfy(agent -> assertThat(agent.out()).doesNotContain("begins"));
        Path other = Files.writeString(directory.resolve("b.yaml"), """
            url: %s
            destinations: agents-nowhere
            agents: 2
            producers: {on: agent7}
            load: {messages: 10}
            repeat: 2
            """.formatted(BROKER.url()));
        PROGRAM.run("run", other.toString()).exits(2).saysOnly("b: Group 'producers producers' is to be on 'agent7'");

        Running run = steady(near, far);
        Finished agent = agents.get(1).signal("INT").await().exits(130);
        assertThat(agent.out()).contains("is being ended", "is over");
        Finished ended = run.await().exits(1);
        assertThat(ended.err()).contains("Agent far was ended by its user");
        assertThat(ended.total("total received")).isEqualTo(ended.total("total sent"));
        agent.leavesNothing();
    }

    /** The worker of the killed agent cannot delete its files: it is stopped, and killed before it notices that its agent has ended. */
    @Test
    void aKilledAgentIsNamedAndItsFilesAreDeletedByTheNextOneAndTheOtherEndsCleanlyAndWaits() throws Exception {
        Path member = Files.createFile(directory.resolve("member"));
        String near = agent("near", "--member-file", member.toString());
        assertThat(member).as("a file that was left, before anybody has called").doesNotExist();
        Running run = steady(near, agent("far"));
        assertThat(member).as("while the agent is a member of a cluster").isEmptyFile();
        assertThat(places("near")).hasSize(1);
        assertThat(places("far")).hasSize(1);
        ProcessHandle worker = ProcessHandle.of(agents.get(1).pid()).orElseThrow().descendants().findFirst().orElseThrow();
        assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(worker.pid())).start().waitFor()).isZero();
        agents.get(1).close();
        worker.destroyForcibly();
        worker.onExit().get(Tool.LIMIT_SECONDS, TimeUnit.SECONDS);
        Finished ended = run.await().exits(1);
        assertThat(ended.err()).contains("Agent far is gone");
        assertThat(ended.out()).contains("SUMMARY");
        assertThat(ended.total("total sent")).isPositive();
        assertThat(lines("endpoints.csv").stream().filter(line -> line.startsWith("producer,"))).hasSize(4)
            .filteredOn(line -> line.endsWith(",")).hasSize(2);
        Path page = directory.resolve("page.html");
        PROGRAM.run("report", directory.resolve("run").toString(), "--html", page.toString(), "--json",
            directory.resolve("report.json").toString()).exits(0);
        assertThat(page).content().contains("Of 4 on agents that were lost it is not known");
        assertThat(directory.resolve("report.json")).content().contains("\"messages\":null");
        agents.getFirst().awaitOut("is over");
        Waiting.until("the member's file goes with the coordinator, and the files of the run", () -> !Files.exists(member)
            && places("near").isEmpty());
        assertThat(places("far")).hasSize(1);
        Path foreign = Files.createDirectory(directory.resolve("far/tmp/brokermeter-agent-x"));
        agent("far");
        assertThat(places("far")).containsExactly(foreign.getFileName().toString());
        Files.writeString(member, "mine");
        PROGRAM.run("agent", "--member-file", member.toString()).exits(2)
            .saysOnly("--member-file " + member + " cannot be written: something is in its place.");
        assertThat(member).hasContent("mine");
    }

    /** Returns the names of the files of an agent's worker in the agent's directory for temporary files. */
    private List<String> places(String name) {
        String[] places = directory.resolve(name).resolve("tmp").toFile().list((_, file) -> file.startsWith("brokermeter-agent-"));
        return places == null ? List.of() : List.of(places);
    }

    @Test
    void ctrlCBeforeTheLoadEndsAllAndBlamesNothing() throws Exception {
        Running run = client("2", "--consumers", "2", "--producers", "2", "--rate", "100", "--duration", "600");
        Finished ended = run.awaitOut("Connection brokerURL").signal("INT").await().exitsAtAnyRate(130);
        assertThat(ended.err()).doesNotContain("could not be", "gone");
        ended.leavesNothing();
    }
}
