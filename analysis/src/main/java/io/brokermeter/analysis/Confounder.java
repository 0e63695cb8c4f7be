package io.brokermeter.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.ScenarioDifference;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.EnvironmentDocument;
import org.jspecify.annotations.Nullable;

/**
 * A condition that differs between two sides.
 *
 * @param name name of the condition: {@code size}, {@code machine}, {@code clock}, {@code client}, or the key of a scenario file
 * @param first value on the first side
 * @param second value on the second side
 * @param subject whether such a difference is what comparisons are made for, such as the version of a broker; otherwise figures cannot be
 *     compared, unless the difference is intended
 */
public record Confounder(String name, String first, String second, boolean subject) {

    /**
     * An entry in a run's environment file.
     *
     * @param condition name of the condition that it belongs to
     */
    private record Entry(String condition, String name, Function<EnvironmentDocument, @Nullable Object> value) {

        static Entry machine(String name, Function<EnvironmentDocument.Machine, @Nullable Object> value) {
            return new Entry("machine", name, of -> value.apply(of.machine()));
        }

        /** Returns the value in the environment of a trial; empty if it is not known. */
        String in(MeasuredTrial trial) {
            return switch (value.apply(trial.environment())) {
                case null -> "";
                // The same machine may report slightly less memory after a kernel update.
                case Long bytes when name.endsWith("Bytes") -> Math.round(bytes / (double) (1L << 30)) + " GiB";
                case List<?> list -> list.stream().map(String::valueOf).collect(Collectors.joining(" "));
                case Object one -> String.valueOf(one);
            };
        }
    }

    private static final List<Entry> ENVIRONMENT = List.of(Entry.machine("cpuModel", EnvironmentDocument.Machine::cpuModel),
        Entry.machine("cpuCount", EnvironmentDocument.Machine::cpuCount),
        Entry.machine("cpusOfThisProcess", EnvironmentDocument.Machine::cpusOfThisProcess),
        Entry.machine("memoryBytes", EnvironmentDocument.Machine::memoryBytes),
        Entry.machine("system", EnvironmentDocument.Machine::system),
        Entry.machine("cgroupCpuMax", EnvironmentDocument.Machine::cgroupCpuMax),
        Entry.machine("cgroupMemoryMax", EnvironmentDocument.Machine::cgroupMemoryMax),
        Entry.machine("cpuGovernor", EnvironmentDocument.Machine::cpuGovernor),
        Entry.machine("schedAutogroup", EnvironmentDocument.Machine::schedAutogroup),
        new Entry("clock", "clockSource", of -> of.machine().clockSource()), new Entry("java", "java", of -> of.machine().java()),
        new Entry("java", "jvm", of -> of.machine().jvm()), new Entry("java", "jvmFlags", of -> of.atEnd().jvmFlags()),
        new Entry("java", "collectors", of -> of.atEnd().collectors()), new Entry("brokermeter", "tool", of -> of.machine().tool()));
    /** The last parts of the scenario keys that say how to reach a broker, which may be what is compared. */
    private static final Set<String> SUBJECTS = Set.of("url", "user", "password", "passwordFile", "passwordEnv", "clientId");

    /**
     * Returns the conditions that differ, from the files of all trials of both sides. A condition that the files of one side do not record
     * counts as equal.
     */
    static List<Confounder> between(Side first, Side second) {
        Map<String, Confounder> all = new LinkedHashMap<>();
        scenario(first, second).stream().filter(difference -> !isSearched(first, difference.key())).forEach(difference -> {
            String word = word(difference.key());
            all.putIfAbsent(word + difference.key(), new Confounder(word, labelled(word, difference.key(), difference.first()),
                labelled(word, difference.key(), difference.second()), isSubject(difference)));
        });
        ENVIRONMENT.forEach(entry -> add(all, entry.condition, entry.name, values(first, entry), values(second, entry), false));
        Set<String> roles = new LinkedHashSet<>();
        for (Side side : List.of(first, second)) {
            side.trials().forEach(trial -> roles.addAll(trial.versions().keySet()));
        }
        for (String role : roles) {
            if (role.equals("tool") || role.equals("java")) {
                continue;
            }
            boolean client = role.endsWith("client");
            boolean both = role.equals("consumer client") && versions(first, role).equals(versions(first, "producer client"))
                && versions(second, role).equals(versions(second, "producer client"));
            if (!both) {
                add(all, client ? "client" : role, role, versions(first, role), versions(second, role), !client);
            }
        }
        return List.copyOf(all.values());
    }

    /** Returns whether trials are searches of the value of a key, which is what they find and not how they are made. */
    private static boolean isSearched(Side side, String key) {
        return side.trials().stream().map(MeasuredTrial::limit).anyMatch(limit -> limit != null && limit.key().equals(key));
    }

    /** Returns whether a user allows this difference: by the name of the condition, the key, or a key above it. */
    boolean isMeant(Set<String> meant) {
        return meant.contains(name) || meant.stream().anyMatch(key -> name.startsWith(key + "."));
    }

    /** Formats the condition with its values on both sides: {@code clock (A tsc, B hpet)}. */
    public String text(String firstLetter, String secondLetter) {
        return name + " (" + firstLetter + " " + first + ", " + secondLetter + " " + second + ")";
    }

    private static void add(Map<String, Confounder> all, String word, String name, Set<String> one, Set<String> other, boolean subject) {
        if (!one.isEmpty() && !other.isEmpty() && !one.equals(other)) {
            all.put(word + " " + name, new Confounder(word, labelled(word, name, String.join(" and ", one)),
                labelled(word, name, String.join(" and ", other)), subject));
        }
    }

    /** Returns the value, prefixed with the name of the entry where a condition has several entries. */
    private static String labelled(String word, String name, String value) {
        return word.equals(name) || ENVIRONMENT.stream().filter(entry -> entry.condition.equals(word)).count() == 1 || word.equals("size")
            || word.equals("protocol")
                ? value : name + " " + value;
    }

    private static Set<String> values(Side side, Entry entry) {
        return side.trials().stream().map(entry::in).filter(text -> !text.isEmpty()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> versions(Side side, String role) {
        return side.trials().stream().map(trial -> trial.versions().getOrDefault(role, "")).filter(text -> !text.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the differences of each scenario of one side to each of the other; the trials of a side mostly share one scenario. */
    private static List<ScenarioDifference> scenario(Side first, Side second) {
        List<ScenarioDifference> all = new ArrayList<>();
        for (Map.Entry<String, Path> left : scenarios(first).entrySet()) {
            for (Map.Entry<String, Path> right : scenarios(second).entrySet()) {
                if (left.getKey().equals(right.getKey())) {
                    continue;
                }
                Path one = left.getValue();
                Path other = right.getValue();
                try {
                    ScenarioDifference.between(one, other).stream().filter(difference -> !all.contains(difference)).forEach(all::add);
                } catch (UsageException e) {
                    all.add(new ScenarioDifference("scenario", one.toString(), "cannot be read: " + e.getMessage()));
                }
            }
        }
        return all;
    }

    /** Returns one file for each scenario of the trials of a side, by its text without name and seed. */
    private static Map<String, Path> scenarios(Side side) {
        Map<String, Path> all = new LinkedHashMap<>();
        for (MeasuredTrial trial : side.trials()) {
            Path file = trial.directory().resolve(RunDirectory.SCENARIO);
            try {
                String text = Files.readString(file).lines().filter(line -> !line.startsWith("seed:") && !line.startsWith("name:"))
                    .collect(Collectors.joining("\n"));
                all.putIfAbsent(text, file);
            } catch (IOException e) {
                // a trial without a scenario file has no result, either
            }
        }
        return all;
    }

    private static String word(String key) {
        return key.endsWith("message.size") ? "size" : key.endsWith("protocol") ? "protocol" : key;
    }

    private static boolean isSubject(ScenarioDifference difference) {
        String key = difference.key();
        // Renaming a queue does not change the load; a topic in place of a queue does.
        boolean renamed = (key.endsWith(".queue") || key.endsWith(".topic")) && !difference.first().equals("default")
            && !difference.second().equals("default");
        return renamed || key.startsWith("broker.") || key.equals("broker") || (key + ".").contains("properties.")
            || SUBJECTS.contains(key.substring(key.lastIndexOf('.') + 1));
    }
}
