package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.Redaction;
import io.brokermeter.experiment.published.Columns;
import io.brokermeter.experiment.published.Publication;
import io.brokermeter.experiment.published.Published;
import io.brokermeter.experiment.published.PublishedRows;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyTable;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeWriter;
import org.jspecify.annotations.Nullable;

/** Creates an experiment from a file to which the overrides were applied. */
final class Assembly {

    /** The greatest number of points whose workloads are all made at once, so that mistakes in combinations of values are found at once. */
    private static final int AT_ONCE = 10_000;

    /** A factor for seeds, so that neighbouring seeds do not shuffle alike. */
    private static final long SEEDS_APART = 0x9E3779B97F4A7C15L;

    private final Tree.Fields written;
    private final String origin;
    private final String defaultName;
    private final Path directory;
    private final boolean many;
    private final Map<String, SourceLocation> overridden;
    private final List<String> warnings;
    private final FileErrors errors = new FileErrors();

    /**
     * Creates the assembly of an experiment.
     *
     * @param overridden paths that overrides set, with the places where they were written
     */
    Assembly(
            Tree.Fields written, String origin, String defaultName, Path directory, boolean many, Map<String, SourceLocation> overridden,
            List<String> warnings) {
        this.written = written;
        this.origin = origin;
        this.defaultName = defaultName;
        this.directory = directory;
        this.many = many;
        this.overridden = overridden;
        this.warnings = warnings;
    }

    private record Made(Workload workload, @Nullable BrokerChoice broker) {}

    Experiment experiment() {
        Path base = base();
        Validator validator = new Validator(base, errors);
        validator.check(written);
        Redaction redaction = new Redaction(written);
        Sweep sweep = Sweep.read(written, redaction, errors);
        errors.raise();
        sweep.check(written, validator, errors);
        errors.raise();
        SectionValues values = new SectionValues(KeyTable.FILE, written, "", base, errors);
        String name = values.text("name", defaultName);
        if (!name.matches("[\\p{L}\\p{N}][\\p{L}\\p{N} ._-]{0,79}")) {
            values.wrong("name", "'" + name + "' must consist of letters, digits, blanks, '.', '-' and '_', at most 80.");
        }
        int repeat = values.number("repeat", 1);
        long seed = values.read("seed", System.nanoTime() & Integer.MAX_VALUE, ValueSyntax::seed);
        Order order = Order.valueOf(values.text("order", "interleaved").toUpperCase(Locale.ROOT));
        Search search = search(values, sweep, repeat);
        List<Published> published = PublishedRows.read(written, sweep.axes(), redaction, errors);
        long trials = trials(sweep.points(), repeat);
        errors.raise();
        String yaml = TreeWriter.write(redaction.whole(kept(name, seed)));
        Maker maker = new Maker(sweep, base, seed, name, values);
        List<Trial> all = maker.trials((int) trials, repeat, order);
        checkEffect(sweep);
        String unfit = search == null ? null : search.unfit(all.getFirst().workload().scenario());
        if (unfit != null) {
            values.wrong("search", unfit);
        }
        errors.raise();
        SectionValues source = values.below("source");
        Publication publication = source == null ? null
            : new Publication(source.text("document", ""), source.text("table"), source.text("machine"), source.text("url"));
        return new Experiment(name, values.text("title"), values.text("description"), publication,
            Columns.valueOf(values.text("columns", "default").toUpperCase(Locale.ROOT)), sweep.axes(), repeat, order, seed, all, search,
            published, warnings, yaml, new Origin(origin, written));
    }

    private @Nullable Search search(SectionValues values, Sweep sweep, int repeat) {
        SectionValues search = values.below("search");
        if (search == null) {
            return null;
        }
        if (!sweep.axes().isEmpty() || repeat > 1) {
            values.wrong(repeat > 1 ? "repeat" : "sweep", "a search chooses and repeats its trials itself; take this out with --set "
                + (repeat > 1 ? "repeat=1." : "sweep=null, and choose the point with --set KEY=VALUE."));
        }
        return Search.read(search, written);
    }

    private Path base() {
        if (written.get("directory") instanceof Tree.Leaf leaf && !leaf.isNothing()) {
            return ValueSyntax.path(leaf.text(), directory);
        }
        return directory;
    }

    private long trials(long points, int repeat) {
        long trials = points > Long.MAX_VALUE / repeat ? Long.MAX_VALUE : points * repeat;
        String number = trials == Long.MAX_VALUE ? "more than a billion" : String.format(Locale.ROOT, "%,d", trials);
        Tree.Field sweep = written.fields().get("sweep");
        Tree.Field counted = sweep == null ? written.fields().get("repeat") : sweep;
        SourceLocation location = counted == null ? new SourceLocation(origin, 0, 0) : counted.value().location();
        if (trials > Changes.MANY && !many) {
            errors.about(location, sweep == null ? "repeat" : "sweep", "it makes " + number + " trials; if that is meant, add "
                + "--yes.");
        } else if (trials > Integer.MAX_VALUE / 2) {
            errors.about(location, sweep == null ? "repeat" : "sweep", "it makes " + number + " trials, which is more than can "
                + "be done.");
        }
        return trials;
    }

    /** Refuses overrides that have an effect at none of the points; with very many points, they are not looked at. */
    private void checkEffect(Sweep sweep) {
        if (sweep.points() > AT_ONCE) {
            return;
        }
        overridden.forEach((path, location) -> {
            String useless = null;
            for (long i = 0; i < sweep.points(); i++) {
                useless = SharedKeys.withoutEffect(sweep.file(written, i), path);
                if (useless == null) {
                    return;
                }
            }
            if (useless != null) {
                errors.about(location, path, useless);
            }
        });
    }

    /** Returns the file with all keys that are needed to make the same trials again. */
    private Tree.Fields kept(String name, long seed) {
        SourceLocation location = new SourceLocation(origin, 0, 0);
        return written.with("name", new Tree.Leaf(name, true, location), location)
            .with("seed", new Tree.Leaf(Long.toString(seed), false, location), location)
            .with("directory", new Tree.Leaf(base().toAbsolutePath().normalize().toString(), true, location), location);
    }

    /** Makes the trials of all points and rounds. */
    private final class Maker {

        private final Sweep sweep;
        private final Path base;
        private final long seed;
        private final String name;
        private final boolean freshDestinations;
        private final Scale scale;

        Maker(Sweep sweep, Path base, long seed, String name, SectionValues values) {
            this.sweep = sweep;
            this.base = base;
            this.seed = seed;
            this.name = name;
            freshDestinations = values.read("freshDestinations", true, ValueSyntax::flag);
            scale = new Scale(values.read("scale", 1.0, ValueSyntax::factor));
        }

        /** Returns all trials; those of more than {@link Assembly#AT_ONCE} points are made each time that they are requested. */
        List<Trial> trials(int trials, int repeat, Order order) {
            int points = trials / repeat;
            boolean atOnce = points <= AT_ONCE;
            List<Made> first = new ArrayList<>();
            for (int i = 0; atOnce && i < points; i++) {
                first.add(made(i, 1));
            }
            int[][] rounds = new int[repeat][];
            List<Trial> all = new AbstractList<>() {

                @Override
                public synchronized Trial get(int at) {
                    int index = order == Order.LISTED ? at / repeat : shuffled(rounds, at / points, points)[at % points];
                    int round = 1 + (order == Order.LISTED ? at % repeat : at / points);
                    Made made = atOnce && round == 1 ? first.get(index) : made(index, round);
                    BrokerChoice broker = made.broker();
                    boolean alone = (broker == null || broker.warmup().isZero())
                        && (trials == 1 || broker != null && broker.fresh() == BrokerChoice.Fresh.TRIAL);
                    return new Trial(at + 1, index, round, sweep.point(index), made.workload(), made.broker(), freshDestinations && !alone);
                }

                @Override
                public int size() {
                    return trials;
                }
            };
            return atOnce ? List.copyOf(all) : all;
        }

        private Made made(int index, int round) {
            FileErrors wrong = new FileErrors();
            Made made = make(index, seed + round - 1, wrong);
            wrong.raise();
            if (made == null) {
                throw new IllegalStateException("no workload and no complaint");
            }
            return made;
        }

        /** Returns the order of a round; for very many points only the order of one round is kept. */
        private int[] shuffled(int[][] rounds, int round, int points) {
            if (rounds[round] == null) {
                if (points > AT_ONCE) {
                    Arrays.fill(rounds, null);
                }
                rounds[round] = shuffled(points, seed + round + 1);
            }
            return rounds[round];
        }

        private int[] shuffled(int points, long ownSeed) {
            int[] order = new int[points];
            Arrays.setAll(order, i -> i);
            SplittableRandom random = new SplittableRandom(ownSeed * SEEDS_APART);
            for (int i = points - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int kept = order[i];
                order[i] = order[other];
                order[other] = kept;
            }
            return order;
        }

        private @Nullable Made make(int index, long ownSeed, FileErrors wrong) {
            Tree.Fields file;
            try {
                file = sweep.file(written, index).with("name", new Tree.Leaf(name, true, written.location()), written.location());
            } catch (UsageException e) {
                wrong.about(new SourceLocation(origin, 1, 1), "sweep", String.valueOf(e.getMessage()));
                return null;
            }
            FileErrors own = new FileErrors();
            sweep.checkEffect(file, index, own);
            Binder binder = new Binder(file, base, ownSeed, own);
            BrokerChoice broker = binder.broker();
            Workload workload = binder.workload();
            Point point = sweep.point(index);
            wrong.add(own, point.values().isEmpty() ? "" : " (With " + point + ".)");
            if (workload == null || !own.isEmpty()) {
                return null;
            }
            return new Made(workload.with(scale.of(workload.scenario())), broker);
        }
    }
}
