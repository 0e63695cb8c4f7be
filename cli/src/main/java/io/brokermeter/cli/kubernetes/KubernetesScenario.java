package io.brokermeter.cli.kubernetes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Trial;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.directory.RunInputs;

/**
 * A scenario and the files that it names, as the ConfigMap of a run in Kubernetes has them.
 *
 * @param text text of the scenario file
 * @param files contents of the files that it names, by their paths from the directory of the scenario file
 */
record KubernetesScenario(String text, Map<String, byte[]> files) {

    /** The greatest size of one file, and of all files of a ConfigMap, in bytes; Kubernetes accepts objects of at most 1 MiB in all. */
    private static final int LARGEST = 900 << 10;

    /**
     * Reads a scenario file as the coordinator's pod will, and the files that it names.
     *
     * @param options keys that the options of the coordinator set
     * @param many whether more than {@value Changes#MANY} trials are intended
     * @throws UsageException for mistakes in the file, and for a file that the pod would not have at its path
     */
    static KubernetesScenario read(Path file, List<Changes.Set> options, boolean many) {
        String text = text(file);
        Path directory = Objects.requireNonNull(file.toAbsolutePath().normalize().getParent(), "a file is in a directory");
        // From a relative directory, paths are relative unless the scenario itself has absolute ones.
        Path base = Path.of("").toAbsolutePath().relativize(directory);
        List<Workload> workloads = ScenarioFile.read(text, file.toString(), base, new Changes(List.of(), many).setting(options)).trials()
            .stream().map(Trial::workload).toList();
        workloads.stream().flatMap(workload -> workload.groups().stream()).map(group -> group.access().passwordFile())
            .filter(password -> password != null).findFirst().ifPresent(password -> {
                throw new UsageException(
                    "The scenario names " + password + ", and no ConfigMap is to have a password; name a variable with "
                        + "'passwordEnv', which the coordinator's pod gets from a Secret.");
            });
        Map<String, byte[]> files = new TreeMap<>();
        for (Path named : RunInputs.named(workloads.stream().map(Workload::scenario).toList())) {
            Path relative = directory.relativize(named.toAbsolutePath().normalize());
            if (named.isAbsolute() || relative.startsWith("..")) {
                throw new UsageException("The scenario names " + named + ", which the pods do not have: only files below the directory of "
                    + "the scenario file, which it names by relative paths, go with it.");
            }
            files.put(relative.toString(), bytes(named, "file"));
        }
        if (text.length() + files.values().stream().mapToLong(content -> content.length).sum() > LARGEST) {
            throw new UsageException("The scenario file and the files that it names have more than " + (LARGEST >> 10)
                + " KiB together, which Kubernetes would not take.");
        }
        return new KubernetesScenario(text, files);
    }

    private static String text(Path file) {
        try {
            return decoded(bytes(file, "scenario file"));
        } catch (CharacterCodingException e) {
            throw new UsageException(file + " is no text in UTF-8.");
        }
    }

    /** Returns the text that some bytes are in UTF-8; throws an exception if they are none. */
    static String decoded(byte[] content) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    }

    /**
     * Returns the content of a file.
     *
     * @param what what the file is, for sentences
     * @throws UsageException for a file that is not there, cannot be read, or is too large for Kubernetes
     */
    static byte[] bytes(Path file, String what) {
        try {
            if (!Files.isRegularFile(file)) {
                throw new UsageException("There is no " + what + " " + file + ".");
            }
            if (Files.size(file) > LARGEST) {
                throw new UsageException(
                    "The " + what + " " + file + " is larger than " + (LARGEST >> 10) + " KiB, which Kubernetes would not take.");
            }
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UsageException("The " + what + " " + file + " cannot be read.");
        }
    }
}
