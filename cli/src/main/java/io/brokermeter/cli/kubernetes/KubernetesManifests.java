package io.brokermeter.cli.kubernetes;

import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.brokermeter.experiment.Changes;
import org.jspecify.annotations.Nullable;

/**
 * The objects with which a scenario runs on agents in Kubernetes, as YAML: a Secret, a ConfigMap, a headless Service, a Job of the agents and
 * one of the coordinator. None of them uses the API of the cluster, so there is no service account and no role.
 *
 * @param asked the command, with names, image and amounts from the command line
 * @param scenario the scenario and the files that it names
 * @param options options of the coordinator
 * @param key content of the key's file; null for a Secret that exists
 */
record KubernetesManifests(KubernetesCommand asked, KubernetesScenario scenario, List<Changes.Set> options, byte @Nullable [] key) {

    private static final int PORT = 7800;
    private static final String KEY_FILE = "cluster.p12";
    /** The path of the key in the pods. */
    static final String KEY_PATH = "/etc/brokermeter/" + KEY_FILE;
    private static final String MEMBER_FILE = "/work/member";
    private static final String SCENARIO_FILE = "scenario.yaml";
    private static final int USER = 65_532;

    /** Returns all objects, one YAML document after the other. */
    String yaml() {
        List<String> documents = new ArrayList<>();
        if (key != null) {
            documents
                .add("# Who can read this belongs to the cluster: keep it as you keep the key.\n" + head("v1", "Secret", asked.secretName())
                    + "type: Opaque\ndata:\n  " + KEY_FILE + ": " + quoted(Base64.getEncoder().encodeToString(key)) + "\n");
        }
        documents.add(configMap());
        documents.add(service());
        documents.add(job("agent", asked.name + "-agents", asked.agents, List.of("agent", "--once", "--key", KEY_PATH, "--member-file",
            MEMBER_FILE)));
        List<String> run = new ArrayList<>(List.of("run", "/etc/brokermeter-scenario/" + SCENARIO_FILE));
        options.forEach(option -> run.addAll(List.of(option.option(), option.text())));
        if (asked.yes) {
            run.add("--yes");
        }
        documents.add(job("coordinator", asked.name, 1, run));
        return introduction() + String.join("---\n", documents);
    }

    /** Returns the scenario and its files, which have numbers for names, since a name there is no path. */
    private String configMap() {
        StringBuilder texts = new StringBuilder("data:\n  " + SCENARIO_FILE + ": ").append(literal(scenario.text()));
        StringBuilder others = new StringBuilder();
        int number = 0;
        for (byte[] content : scenario.files().values()) {
            String name = "  " + fileKey(++number) + ": ";
            try {
                String decoded = KubernetesScenario.decoded(content);
                texts.append(name).append(literal(decoded));
            } catch (CharacterCodingException e) {
                others.append(name).append(quoted(Base64.getEncoder().encodeToString(content))).append('\n');
            }
        }
        return head("v1", "ConfigMap", asked.name + "-scenario") + texts + (others.isEmpty() ? "" : "binaryData:\n" + others);
    }

    private static String fileKey(int number) {
        return "file-" + number;
    }

    /** Returns the paths at which a pod has the files of the ConfigMap; nothing where there is the scenario alone. */
    private String paths() {
        if (scenario.files().isEmpty()) {
            return "";
        }
        StringBuilder items = new StringBuilder("            items:\n").append(path(SCENARIO_FILE, SCENARIO_FILE));
        int number = 0;
        for (String path : scenario.files().keySet()) {
            items.append(path(fileKey(++number), path));
        }
        return items.toString();
    }

    private static String path(String key, String path) {
        return "              - key: " + key + "\n                path: " + quoted(path) + "\n";
    }

    private String introduction() {
        String in = asked.namespace.isEmpty() ? "" : " -n " + asked.namespace;
        return (key == null ? """
            # The key of the cluster, once, before anything else:
            #   brokermeter agent --new-key %1$s
            #   kubectl%2$s create secret generic %3$s --from-file=%1$s
            """.formatted(KEY_FILE, in, asked.secretName()) : "") + """
            # Start, see the result, take all away:
            #   kubectl%1$s apply -f FILE
            #   kubectl%1$s logs -f job/%2$s
            #   kubectl%1$s delete -f FILE
            # A Job cannot be started twice: take it away before the next run.
            """.formatted(in, asked.name);
    }

    private String service() {
        return """
            # Headless: its name leads to the addresses of all agents. Also of those that are not ready, since the coordinator waits for them
            # by itself and says which is missing.
            """
            + head("v1", "Service", asked.name + "-agents") + """
                spec:
                  clusterIP: None
                  publishNotReadyAddresses: true
                  selector:
                """ + labels("agent", "    ") + """
                  ports:
                    - name: cluster
                      port: %1$d
                      targetPort: %1$d
                      protocol: TCP
                """.formatted(PORT);
    }

    private String job(String role, String job, int pods, List<String> arguments) {
        boolean agent = role.equals("agent");
        StringBuilder text = new StringBuilder();
        text.append(agent
            ? "# An agent that ends before its time is not replaced: a new one would not belong to the run. The coordinator says so.\n"
            : "# Measured once: a run that failed is not repeated unasked.\n");
        text.append(head("batch/v1", "Job", job)).append("spec:\n");
        if (agent) {
            text.append("  completionMode: Indexed\n");
        }
        text.append("""
              parallelism: %1$d
              completions: %1$d
              backoffLimit: 0
              activeDeadlineSeconds: %2$d
              template:
                metadata:
                  labels:
            """.formatted(pods, asked.deadline)).append(labels(role, "        ")).append("    spec:\n");
        if (agent) {
            text.append("      subdomain: ").append(quoted(job)).append("\n");
            text.append("""
                      topologySpreadConstraints: # agents on one node share its processors and its link
                        - maxSkew: 1
                          topologyKey: kubernetes.io/hostname
                          whenUnsatisfiable: ScheduleAnyway
                          labelSelector:
                            matchLabels:
                """).append(labels(role, "              "));
        }
        text.append("""
                  restartPolicy: Never
                  automountServiceAccountToken: false
                  enableServiceLinks: false
                  securityContext:
                    runAsNonRoot: true
                    runAsUser: %1$d
                    runAsGroup: %1$d
                    fsGroup: %1$d
                    seccompProfile:
                      type: RuntimeDefault
                  containers:
                    - name: brokermeter
                      image: %2$s
                      args:
            """.formatted(USER, quoted(asked.image)));
        arguments.forEach(argument -> text.append("            - ").append(quoted(argument)).append('\n'));
        text.append("""
                      workingDir: /work
                      env:
                        - name: HOME
                          value: /work
                        - name: BROKERMETER_PREPARE
                          value: "off"
            """);
        if (agent) {
            text.append("""
                          ports:
                            - name: cluster
                              containerPort: %1$d
                              protocol: TCP
                          # Ready is who the coordinator has in its cluster. A shell's own test, which starts no JVM beside the load.
                          readinessProbe:
                            exec:
                              command: ["sh", "-c", "test -f %2$s"]
                            periodSeconds: 10
                """.formatted(PORT, MEMBER_FILE));
        }
        text.append("""
                      resources: # no limit of processors: what is throttled sends late
                        requests:
                          cpu: %1$s
                          memory: %2$s
                        limits:
                          memory: %2$s
                      securityContext:
                        allowPrivilegeEscalation: false
                        readOnlyRootFilesystem: true
                        capabilities:
                          drop: [ALL]
                      volumeMounts:
                        - name: key
                          mountPath: /etc/brokermeter
                          readOnly: true
            """.formatted(quoted(asked.cpu), quoted(asked.memory)));
        if (!agent) {
            text.append("""
                            - name: scenario
                              mountPath: /etc/brokermeter-scenario
                              readOnly: true
                """);
        }
        text.append("""
                        - name: work
                          mountPath: /work
                        - name: tmp
                          mountPath: /tmp
                  volumes:
                    - name: key
                      secret:
                        secretName: %s
                        defaultMode: 0440
            """.replace("0440", "288").formatted(quoted(asked.secretName())));
        if (!agent) {
            text.append("""
                        - name: scenario
                          configMap:
                            name: %s
                """.formatted(quoted(asked.name + "-scenario"))).append(paths());
        }
        text.append("        - name: work\n");
        text.append(agent || asked.claim.isEmpty() ? "          emptyDir: {}\n"
            : "          persistentVolumeClaim:\n            claimName: " + quoted(asked.claim) + "\n");
        return text.append("        - name: tmp\n          emptyDir: {}\n").toString();
    }

    private String head(String version, String kind, String object) {
        return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata:\n  name: " + quoted(object) + "\n"
            + (asked.namespace.isEmpty() ? "" : "  namespace: " + quoted(asked.namespace) + "\n") + "  labels:\n"
            + "    app.kubernetes.io/name: brokermeter\n    app.kubernetes.io/instance: " + quoted(asked.name) + "\n";
    }

    private String labels(String role, String indent) {
        return indent + "app.kubernetes.io/name: brokermeter\n" + indent + "app.kubernetes.io/instance: " + quoted(asked.name) + "\n"
            + indent
            + "app.kubernetes.io/component: " + role + "\n";
    }

    /**
     * Returns a text as the value of a key of the second level: as a block of its lines, unchanged, or as a quoted string where a block
     * cannot represent it.
     */
    private static String literal(String text) {
        if (!text.chars().allMatch(c -> c == '\n' || c >= ' ' && c < 0x7f || c >= 0xa0 && c != 0x2028 && c != 0x2029 && c != 0xfeff)
            || text.isBlank()) {
            return quoted(text) + "\n";
        }
        boolean ended = text.endsWith("\n");
        StringBuilder lines = new StringBuilder(ended ? "|2+\n" : "|2-\n");
        for (String line : (ended ? text.substring(0, text.length() - 1) : text).split("\n", -1)) {
            lines.append(line.isEmpty() ? "" : "    ").append(line).append('\n');
        }
        return lines.toString();
    }

    /** Returns a text as a string in the syntax of JSON, which is also one of YAML. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c >= 0x7f) {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
