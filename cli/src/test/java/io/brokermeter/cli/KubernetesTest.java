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

/** Each manifest is held against the schema of its kind, as the Kubernetes project's own client for Java has it (keys, types, what is required). */
class KubernetesTest {

    private static final String SCENARIO =
        "  # begins with blanks: \u00e4\nload:\n  rate: 5k/s # \"quoted\" 'single' \\ back\n\n\nphases: []   \n\n";

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

    /** Otherwise a test that passes would say nothing. */
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
            "dns:brokermeter-agents", "--key", "/etc/brokermeter/cluster.p12", "--expect", "5", "--within", "120s");
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
            // 0440: the group of fsGroup reads it, and nobody else
            assertThat(at(key, "secret").get("defaultMode").getAsInt()).isEqualTo(0440);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("create secret generic brokermeter-key --from-file=cluster.p12");
    }

    @Test
    void theScenarioArrivesAsItIs() throws Exception {
        for (String text : List.of(SCENARIO, "a: 1", "a: 1\n", "\ta: 1\r\nb: 2\r\n", "\n\n", "a: |2+\n  x\n\n\n", "- \u0007\u2028\n",
            "---\na: 1\n...\n")) {
            JsonObject map = manifests(text, List.of()).getFirst();
            assertThat(at(map, "data").get("scenario.yaml").getAsString()).isEqualTo(text);
        }
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
            """)
    void whatKubernetesWouldRefuseIsRefusedHere(String option, String value, String sentence) throws Exception {
        Path file = Files.writeString(directory.resolve("scenario.yaml"), "a: 1\n");
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
        Path file = Files.writeString(directory.resolve("scenario.yaml"), "a: 1\n");
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
