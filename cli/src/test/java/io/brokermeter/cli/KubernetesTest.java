package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Manifests against the schemas of their kinds (keys, types, required values) in the Java client of the Kubernetes project. */
class KubernetesTest {

    private static final String PLAIN = "destinations: A\nproducers: 1\nduration: 5s\n";
    private static final String SCENARIO = "  # begins with blanks: \u00e4\n" + PLAIN
        + "load:\n  rate: 5k/s # \"quoted\" 'single' \\ back\n\n\nrepeat: 2   \n\n";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void eachManifestKeepsTheSchemaOfItsKind() throws Exception {
        byte[] key = {1, 2, 3, -1};
        Files.write(directory.resolve("cluster.p12"), key);
        for (List<String> more : List.of(List.<String>of(),
            List.of("--key", directory.resolve("cluster.p12").toString(), "--namespace", "load",
                "--claim", "runs", "--agents", "100", "--name", "far", "--cpu", "500m", "--memory", "4Gi"))) {
            for (JsonObject one : manifests(SCENARIO, more)) {
                switch (one.get("kind").getAsString()) {
                    case "Secret" -> V1Secret.validateJsonElement(one);
                    case "ConfigMap" -> V1ConfigMap.validateJsonElement(one);
                    case "Service" -> V1Service.validateJsonElement(one);
                    case "Job" -> V1Job.validateJsonElement(one);
                    default -> throw new AssertionError(one);
                }
                assertThat(at(one, "metadata").has("namespace")).isEqualTo(!more.isEmpty());
            }
        }
        JsonObject secret = manifests(SCENARIO, List.of("--key", directory.resolve("cluster.p12").toString())).getFirst();
        assertThat(Base64.getDecoder().decode(at(secret, "data").get("cluster.p12").getAsString())).isEqualTo(key);
    }

    /** Ensures that the check against the schema can fail. */
    @Test
    void theSchemaRefusesWhatItDoesNotHave() throws Exception {
        JsonObject job = manifests(SCENARIO, List.of()).getLast();
        JsonObject container = at(job, "spec", "template", "spec").getAsJsonArray("containers").get(0).getAsJsonObject();
        container.addProperty("imaje", "x");
        assertThatThrownBy(() -> V1Job.validateJsonElement(job)).hasMessageContaining("imaje");
    }

    @Test
    void agentsAreAnIndexedJobThatTheCoordinatorFindsByTheNameOfAService() throws Exception {
        List<JsonObject> all = manifests(SCENARIO, List.of("--agents", "5"));
        assertThat(all).extracting(one -> one.get("kind").getAsString()).containsExactly("ConfigMap", "Service", "Job", "Job");
        JsonObject service = all.get(1);
        JsonObject agents = all.get(2);
        JsonObject coordinator = all.get(3);
        assertThat(at(service, "spec").get("clusterIP").getAsString()).isEqualTo("None");
        assertThat(at(service, "spec").get("publishNotReadyAddresses").getAsBoolean()).isTrue();
        assertThat(at(service, "spec", "selector")).isEqualTo(at(agents, "spec", "template", "metadata", "labels"))
            .isNotEqualTo(at(coordinator, "spec", "template", "metadata", "labels"));
        assertThat(at(agents, "spec").get("completionMode").getAsString()).isEqualTo("Indexed");
        assertThat(at(agents, "spec").get("parallelism").getAsInt()).isEqualTo(5);
        assertThat(at(agents, "spec").get("completions").getAsInt()).isEqualTo(5);
        assertThat(arguments(agents)).containsExactly("agent", "--once", "--key", "/etc/brokermeter/cluster.p12", "--member-file",
            "/work/member");
        JsonObject probe = at(agents, "spec", "template", "spec").getAsJsonArray("containers").get(0).getAsJsonObject()
            .getAsJsonObject("readinessProbe");
        assertThat(new Gson().fromJson(at(probe, "exec").get("command"), String[].class)).containsExactly("sh", "-c",
            "test -f /work/member");
        assertThat(arguments(coordinator)).containsExactly("run", "/etc/brokermeter-scenario/scenario.yaml", "--agents",
            "dns:brokermeter-agents", "--key", "/etc/brokermeter/cluster.p12", "--expect", "5", "--within", "600s");
        for (JsonObject job : List.of(agents, coordinator)) {
            JsonObject pod = at(job, "spec", "template", "spec");
            assertThat(pod.get("restartPolicy").getAsString()).isEqualTo("Never");
            assertThat(at(job, "spec").get("backoffLimit").getAsInt()).isZero();
            assertThat(pod.get("automountServiceAccountToken").getAsBoolean()).isFalse();
            assertThat(at(pod, "securityContext").get("runAsNonRoot").getAsBoolean()).isTrue();
            JsonObject container = pod.getAsJsonArray("containers").get(0).getAsJsonObject();
            assertThat(at(container, "securityContext").get("readOnlyRootFilesystem").getAsBoolean()).isTrue();
            List<String> mounted = new ArrayList<>();
            container.getAsJsonArray("volumeMounts").forEach(mount -> mounted.add(mount.getAsJsonObject().get("name").getAsString()));
            List<String> volumes = new ArrayList<>();
            pod.getAsJsonArray("volumes").forEach(volume -> volumes.add(volume.getAsJsonObject().get("name").getAsString()));
            assertThat(volumes).containsExactlyElementsOf(mounted);
            JsonObject key = pod.getAsJsonArray("volumes").get(0).getAsJsonObject();
            assertThat(at(key, "secret").get("secretName").getAsString()).isEqualTo("brokermeter-key");
            // 0440: readable by the owner and the group of fsGroup only
            assertThat(at(key, "secret").get("defaultMode").getAsInt()).isEqualTo(0440);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("create secret generic brokermeter-key --from-file=cluster.p12");
    }

    @Test
    void theScenarioArrivesAsItIs() throws Exception {
        for (String text : List.of(SCENARIO, PLAIN.strip(), PLAIN, PLAIN.replace("\n", "\r\n"), "\n\n" + PLAIN,
            PLAIN + "title: |2+\n  x\n\n\n", PLAIN + "# \u2028\n", "---\n" + PLAIN + "...\n")) {
            JsonObject map = manifests(text, List.of()).getFirst();
            assertThat(at(map, "data").get("scenario.yaml").getAsString()).isEqualTo(text);
        }
    }

    @Test
    void filesThatTheScenarioNamesAreBesideItAtTheSamePaths() throws Exception {
        byte[] bytes = {0, (byte) 0xff, 10};
        Files.createDirectory(directory.resolve("data"));
        Files.writeString(directory.resolve("data/times.log"), "2026-11-26 08:00:00\n2026-11-26 08:00:01\n");
        Files.writeString(directory.resolve("data/a template"), "{{counter}}\r\n");
        Files.write(directory.resolve("data/body"), bytes);
        List<JsonObject> all = manifests("""
            directory: data
            destinations: A
            producers: {load: {rate: "trace:times.log"}}
            duration: 5s
            message: {body: random}
            sweep: {message.body: [random, "template:../data/a template", "file:./body"]}
            """, List.of());
        JsonObject map = all.getFirst();
        V1ConfigMap.validateJsonElement(map);
        JsonObject coordinator = all.getLast();
        V1Job.validateJsonElement(coordinator);
        Map<String, String> there = new LinkedHashMap<>();
        at(coordinator, "spec", "template", "spec").getAsJsonArray("volumes").get(1).getAsJsonObject().getAsJsonObject("configMap")
            .getAsJsonArray("items").forEach(item -> {
                String key = item.getAsJsonObject().get("key").getAsString();
                there.put(item.getAsJsonObject().get("path").getAsString(), at(map, "data").has(key)
                    ? at(map, "data").get(key).getAsString() : at(map, "binaryData").get(key).getAsString());
            });
        assertThat(there).containsOnlyKeys("scenario.yaml", "data/times.log", "data/a template", "data/body")
            .containsEntry("data/times.log", "2026-11-26 08:00:00\n2026-11-26 08:00:01\n")
            .containsEntry("data/a template", "{{counter}}\r\n")
            .containsEntry("data/body", Base64.getEncoder().encodeToString(bytes));
    }

    @Test
    void whatThePodsWouldNotHaveIsRefused() throws Exception {
        Path file = Files.createDirectory(directory.resolve("sub")).resolve("scenario.yaml");
        Path body = Files.writeString(directory.resolve("body.txt"), "x");
        Files.writeString(directory.resolve("sub/large"), "x".repeat(900 << 10));
        for (Map.Entry<String, String> one : Map.of(
            "message: {body: 'file:../body.txt'}", "which the pods do not have: only files below the directory of the scenario file",
            "message: {body: 'file:" + body + "'}", "The scenario names " + body + ", which the pods do not have",
            "message: {body: 'file:large'}", "The scenario file and the files that it names have more than 900 KiB together",
            "passwordFile: ../body.txt", "and no ConfigMap is to have a password; name a variable with 'passwordEnv'",
            "message: {size: many}", file + ":4: key 'message.size': ").entrySet()) {
            Files.writeString(file, PLAIN + one.getKey() + "\n");
            err.reset();
            assertThat(run(List.of("kubernetes", file.toString(), "--image", "image:1"))).as(one.getKey()).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains(one.getValue()).hasLineCount(1);
            assertThat(out.size()).isZero();
        }
    }

    @Test
    void moreThanAThousandTrialsNeedYesHereAndInTheCoordinator() throws Exception {
        String many = PLAIN + "repeat: 1001\n";
        Path file = Files.writeString(directory.resolve("scenario.yaml"), many);
        assertThat(run(List.of("kubernetes", file.toString(), "--image", "image:1"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).endsWith("it makes 1,001 trials; if that is meant, add --yes.");
        assertThat(arguments(manifests(many, List.of("--yes")).getLast())).last().isEqualTo("--yes");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
        textBlock = """
            --agents    | 0                | --agents %s must be from 1 to 1000.
            --agents    | 1001             | --agents %s must be from 1 to 1000.
            --name      | Upper            | --name: 'Upper' is not a lower-case name of at most 30 letters, digits and hyphens that begins with a letter.
            --namespace | a_b              | --namespace: 'a_b' is not a name of Kubernetes: lower-case letters, digits and hyphens.
            --image     | a b              | --image: 'a b' is not the name of an image.
            --cpu       | many             | --cpu: 'many' is not a quantity like 2 or 500m.
            --memory    | 0                | --memory: '0' is not a quantity like 2Gi or 512Mi.
            --key       | /nowhere/x.p12   | There is no key /nowhere/x.p12.
            --deadline  | 0                | --deadline %s must be from 1 to 2592000.
            --within    | 5x               | --within: Duration '5x' is not a time, like 30s, 5m or 250ms.
            """)
    void whatKubernetesWouldRefuseIsRefusedHere(String option, String value, String sentence) throws Exception {
        Path file = Files.writeString(directory.resolve("scenario.yaml"), PLAIN);
        List<String> arguments = new ArrayList<>(List.of("kubernetes", file.toString(), option, value));
        if (!option.equals("--image")) {
            arguments.addAll(List.of("--image", "image:1"));
        }
        assertThat(run(arguments)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).isEqualTo(sentence.replace("%s", value));
        assertThat(out.size()).isZero();
    }

    @Test
    void aScenarioThatIsNotThereIsSaid() {
        assertThat(run(List.of("kubernetes", "/nowhere.yaml", "--image", "image:1"))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8).strip()).isEqualTo("There is no scenario file /nowhere.yaml.");
    }

    @Test
    void theImageMayComeFromTheEnvironment() throws Exception {
        Path file = Files.writeString(directory.resolve("scenario.yaml"), PLAIN);
        assertThat(run(Map.of("BROKERMETER_IMAGE", "of-the-environment:1"), List.of("kubernetes", file.toString())))
            .as(err.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("of-the-environment:1");
    }

    private int run(List<String> arguments) {
        return run(Map.of(), arguments);
    }

    private int run(Map<String, String> environment, List<String> arguments) {
        return new Main(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8), environment)
            .run(arguments.toArray(String[]::new));
    }

    private List<JsonObject> manifests(String scenario, List<String> more) throws Exception {
        Path file = Files.writeString(directory.resolve("scenario.yaml"), scenario);
        List<String> arguments = new ArrayList<>(List.of("kubernetes", file.toString(), "--image", "registry.example/brokermeter:0.1.0"));
        arguments.addAll(more);
        out.reset();
        assertThat(run(arguments)).as(err.toString(StandardCharsets.UTF_8)).isZero();
        List<JsonObject> all = new ArrayList<>();
        Gson gson = new Gson();
        for (Object one : new Load(LoadSettings.builder().build()).loadAllFromString(out.toString(StandardCharsets.UTF_8))) {
            all.add(gson.toJsonTree(one).getAsJsonObject());
        }
        return all;
    }

    private static List<String> arguments(JsonObject job) {
        return Arrays.asList(new Gson().fromJson(at(job, "spec", "template", "spec").getAsJsonArray("containers").get(0).getAsJsonObject()
            .get("args"), String[].class));
    }

    private static JsonObject at(JsonElement element, String... path) {
        JsonElement there = element;
        for (String key : path) {
            there = there.getAsJsonObject().get(key);
        }
        return there.getAsJsonObject();
    }
}
