package io.brokermeter.analysis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/** Reads the sides of comparisons that the arguments of a command line denote. */
public final class SideReader {

    /**
     * The trials behind an argument.
     *
     * @param variants trials by their variant in a sweep; the variant of a run is empty
     * @param looks whether the width of an interval ended some of them
     */
    private record Group(String title, Map<String, List<MeasuredTrial>> variants, boolean looks) {}

    private SideReader() {}

    /**
     * Reads runs and sweeps and compares them: the first argument with each other one, variant by variant where sweeps have several, or the
     * first variant of a single sweep with its other variants.
     *
     * @param words arguments, each the name of a run or a sweep, or several names separated by commas, which are trials of one side
     * @param directories function that returns the directories that a name denotes
     * @throws UsageException for errors that the user must correct
     */
    public static List<Comparison> compared(List<String> words, Function<String, List<Path>> directories, Comparison.Question asked) {
        List<Group> groups = words.stream().map(word -> group(word, directories)).toList();
        Comparison.Question question = groups.stream().anyMatch(Group::looks) ? asked.afterLooks() : asked;
        List<Comparison> all = new ArrayList<>();
        if (groups.size() == 1) {
            List<Map.Entry<String, List<MeasuredTrial>>> variants = List.copyOf(groups.getFirst().variants().entrySet());
            if (variants.size() < 2) {
                throw new UsageException("Name a second run to compare " + words.getFirst()
                    + " with, for example: brokermeter compare last~1 last. (A single name is for a sweep with several variants.)");
            }
            Side first = new Side("A", variants.getFirst().getKey(), variants.getFirst().getValue());
            for (int i = 1; i < variants.size(); i++) {
                all.add(Comparison.meant(first, new Side(letter(i), variants.get(i).getKey(), variants.get(i).getValue()), question));
            }
            return all;
        }
        Group base = groups.getFirst();
        for (int i = 1; i < groups.size(); i++) {
            Group other = groups.get(i);
            if (base.variants().size() == 1 && other.variants().size() == 1) {
                all.add(Comparison.of("", side("A", base, base.variants().values().iterator().next()),
                    side(letter(i), other, other.variants().values().iterator().next()), question));
                continue;
            }
            Set<String> common = new LinkedHashSet<>(base.variants().keySet());
            common.retainAll(other.variants().keySet());
            if (common.isEmpty()) {
                throw new UsageException(base.title() + " and " + other.title() + " have no variant in common: the one has "
                    + names(base) + ", the other " + names(other) + ".");
            }
            for (String variant : common) {
                all.add(Comparison.of(variant, side("A", base, trials(base, variant)), side(letter(i), other, trials(other, variant)),
                    question));
            }
        }
        return all;
    }

    /**
     * Compares two variants of one sweep, A and B, by the trials that were run so far. Differences between the variants are intended.
     *
     * @return null as long as one of the variants has no trial
     */
    public static @Nullable Comparison variants(Path sweep, String first, String second, Comparison.Question question) {
        Map<String, List<MeasuredTrial>> all = SweepTrials.of(sweep);
        List<MeasuredTrial> one = all.get(first);
        List<MeasuredTrial> other = all.get(second);
        return one == null || other == null ? null
            : Comparison.meant(new Side("A", first, one), new Side("B", second, other), question);
    }

    private static List<MeasuredTrial> trials(Group group, String variant) {
        return group.variants().getOrDefault(variant, List.of());
    }

    private static Side side(String letter, Group group, List<MeasuredTrial> trials) {
        return new Side(letter, group.title(), trials);
    }

    private static String letter(int index) {
        return index < 26 ? String.valueOf((char) ('A' + index)) : "side " + (index + 1);
    }

    private static String names(Group group) {
        return group.variants().keySet().stream().map(name -> name.isEmpty() ? "a single run" : "'" + name + "'")
            .collect(Collectors.joining(", "));
    }

    private static Group group(String word, Function<String, List<Path>> directories) {
        Map<String, List<MeasuredTrial>> variants = new LinkedHashMap<>();
        List<String> titles = new ArrayList<>();
        Set<Path> seen = new LinkedHashSet<>();
        boolean looks = false;
        for (String name : Files.isDirectory(Path.of(word)) ? List.of(word) : List.of(word.split(","))) {
            for (Path directory : directories.apply(name.strip())) {
                if (seen.add(directory.toAbsolutePath().normalize())) {
                    looks |= SweepTrials.hasLooks(directory);
                    titles.add(String.valueOf(directory.toAbsolutePath().normalize().getFileName()));
                    SweepTrials.of(directory).forEach((variant, trials) -> variants.computeIfAbsent(variant, _ -> new ArrayList<>())
                        .addAll(trials));
                }
            }
        }
        for (List<MeasuredTrial> trials : variants.values()) {
            if (trials.size() > HodgesLehmann.MOST) {
                throw new UsageException(word + " stands for " + trials.size() + " trials; at most " + HodgesLehmann.MOST
                    + " are compared with others.");
            }
        }
        if (variants.isEmpty()) {
            throw new UsageException(word + " has no trial that was run.");
        }
        return new Group(titles.size() == 1 ? titles.getFirst() : titles.getFirst() + " and " + (titles.size() - 1) + " more", variants,
            looks);
    }
}
