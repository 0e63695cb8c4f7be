package io.brokermeter.cli.kubernetes;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.table.OptionSyntax;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code kubernetes}: prints the manifests for a run with agents in Kubernetes. */
@Command(name = "kubernetes",
    description = "Print the manifests with which a scenario runs on agents in Kubernetes: a Job of the agents, one of the coordinator, a "
        + "headless Service between them; they use no right of the cluster's API.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter agent --new-key cluster.p12",
        "  kubectl create secret generic brokermeter-key --from-file=cluster.p12",
        "  brokermeter kubernetes scenario.yaml --agents 3 --image registry.example/brokermeter:0.1.0 > manifests.yaml",
        "  kubectl apply -f manifests.yaml",
        "  kubectl logs -f job/brokermeter"})
public final class KubernetesCommand implements Action {

    private static final int MOST_AGENTS = 1_000;
    private static final int MOST_SECONDS = 30 * 86_400;
    /** A label of RFC 1123, short, since names derived from it have up to 24 characters more, and those of pods even more. */
    private static final Pattern LABEL = Pattern.compile("[a-z]([-a-z0-9]{0,28}[a-z0-9])?");
    private static final String A_NAME = "a name of Kubernetes: lower-case letters, digits and hyphens";
    private static final Pattern OBJECT = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][\\w.:/@-]*");
    private static final Pattern CPU = Pattern.compile("0*[1-9]\\d*m?|\\d+\\.\\d{1,3}");
    private static final Pattern MEMORY = Pattern.compile("[1-9]\\d*(Ki|Mi|Gi|Ti|k|M|G|T)");

    @Parameters(paramLabel = "FILE", description = "The scenario file.")
    Path file = Path.of("");

    @Option(names = "--agents", order = 1, paramLabel = "N", defaultValue = "3",
        description = "Number of agents. Default: ${DEFAULT-VALUE}.")
    int agents = 3;

    @Option(names = "--image", order = 2, paramLabel = "IMAGE",
        description = "The image, whose entry point is brokermeter. Default: none, it must be given.")
    String image = "";

    @Option(names = "--name", order = 3, paramLabel = "NAME", defaultValue = "brokermeter",
        description = "Name of the run's objects; two runs at a time need two. Default: ${DEFAULT-VALUE}.")
    String name = "brokermeter";

    @Option(names = "--namespace", order = 4, paramLabel = "NAME",
        description = "Namespace of the objects. Default: that of kubectl's context.")
    String namespace = "";

    @Option(names = "--secret", order = 5, paramLabel = "NAME",
        description = "Secret that has the key of the cluster as cluster.p12. Default: the name of the run, with -key behind it.")
    @Nullable String secret;

    @Option(names = "--key", order = 6, paramLabel = "FILE",
        description = "File with the key, to have the Secret among the manifests, which are as secret as it then. Default: none, the Secret "
            + "is there.")
    @Nullable Path key;

    @Option(names = "--cpu", order = 7, paramLabel = "QUANTITY", defaultValue = "2",
        description = "Processors that each pod asks for, as Kubernetes writes them: 2 or 500m. Default: ${DEFAULT-VALUE}.")
    String cpu = "2";

    @Option(names = "--memory", order = 8, paramLabel = "QUANTITY", defaultValue = "2Gi",
        description = "Memory of each pod, as Kubernetes writes it. Default: ${DEFAULT-VALUE}.")
    String memory = "2Gi";

    @Option(names = "--claim", order = 9, paramLabel = "NAME",
        description = "PersistentVolumeClaim in which the coordinator leaves the files of the run; without one they go with its pod. "
            + "Default: none.")
    String claim = "";

    @Option(names = "--deadline", order = 10, paramLabel = "SECONDS", defaultValue = "86400",
        description = "Number of seconds after which Kubernetes ends what still runs or waits. Default: ${DEFAULT-VALUE}.")
    int deadline = 86_400;

    @Option(names = "--within", order = 11, paramLabel = "TIME", defaultValue = "10m",
        description = "How long the coordinator waits for the agents, whose nodes may have to be started and to fetch the image first. In "
            + "seconds or with a unit. Default: ${DEFAULT-VALUE}.")
    String within = "10m";

    @Option(names = "--yes", order = 12, description = "Run more than " + Changes.MANY + " trials. Default: off.")
    boolean yes;

    @Override
    public int run(PrintStream out, PrintStream err) {
        if (image.isEmpty()) {
            throw new UsageException("--image must be given: --image IMAGE.");
        }
        check(name, LABEL, "--name", "a lower-case name of at most 30 letters, digits and hyphens that begins with a letter");
        check(secretName(), OBJECT, "--secret", A_NAME);
        if (!namespace.isEmpty()) {
            check(namespace, OBJECT, "--namespace", A_NAME);
        }
        if (!claim.isEmpty()) {
            check(claim, OBJECT, "--claim", A_NAME);
        }
        check(image, IMAGE, "--image", "the name of an image");
        check(cpu, CPU, "--cpu", "a quantity like 2 or 500m");
        check(memory, MEMORY, "--memory", "a quantity like 2Gi or 512Mi");
        NumberLimits.between("--agents", agents, 1, MOST_AGENTS);
        NumberLimits.between("--deadline", deadline, 1, MOST_SECONDS);
        List<Changes.Set> options = coordinatorOptions();
        KubernetesScenario scenario = KubernetesScenario.read(file, options, yes);
        byte[] secretBytes = key == null ? null : KubernetesScenario.bytes(key, "key");
        out.print(new KubernetesManifests(this, scenario, options, secretBytes).yaml());
        return 0;
    }

    /** Returns the name of the Secret with the key. */
    String secretName() {
        return secret == null ? name + "-key" : secret;
    }

    /** Returns the options of the coordinator, all about its agents, with the keys of scenario files that they set. */
    private List<Changes.Set> coordinatorOptions() {
        return List.of(set("--agents", "dns:" + name + "-agents"), set("--key", KubernetesManifests.KEY_PATH),
            set("--expect", String.valueOf(agents)),
            set("--within", NumberLimits.read("--within", () -> OptionSyntax.SECONDS.inFile(within))));
    }

    private static Changes.Set set(String option, String text) {
        String path = SettingOptions.ofAgents().stream().filter(one -> one.name().equals(option)).findFirst().orElseThrow().path();
        return new Changes.Set(path, text, option, false);
    }

    private static void check(String value, Pattern form, String option, String what) {
        if (!form.matcher(value).matches()) {
            throw new UsageException(option + ": '" + value + "' is not " + what + ".");
        }
    }
}
