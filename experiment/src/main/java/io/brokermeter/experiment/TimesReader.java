package io.brokermeter.experiment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** Reads when a run begins to count, how long it takes, and in which phases. */
final class TimesReader {

    private final SectionValues file;
    private final Path base;
    private final long seed;
    private final FileErrors errors;

    /** @param base directory of the files that loads name */
    TimesReader(SectionValues file, Path base, long seed, FileErrors errors) {
        this.file = file;
        this.base = base;
        this.seed = seed;
        this.errors = errors;
    }

    /** Returns the phases of the run; each may have loads by the names of groups of producers. */
    List<Phase> phases(List<ProducerGroupSpec> producers) {
        Tree tree = file.fields().get("phases");
        List<Tree> items = Tree.items(tree);
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            SectionValues one = file.of("phases", items.get(i), tree instanceof Tree.Items ? "phases." + i : "phases");
            if (one == null) {
                continue;
            }
            String length = one.text("duration");
            if (length == null) {
                one.wrong("a phase needs a 'duration'.");
                continue;
            }
            Map<String, Load> loads = new LinkedHashMap<>();
            Tree load = one.fields().get("load");
            if (load instanceof Tree.Fields byGroup) {
                byGroup.fields().forEach((group, field) -> {
                    if (Tree.isNothing(field.value())) {
                        return;
                    }
                    List<String> names = producers.stream().map(ProducerGroupSpec::name).toList();
                    int number = names.indexOf(group);
                    if (number < 0) {
                        String near = Nearest.to(group, names);
                        errors.about(field.location(), one.path() + ".load." + group, "there is no group of producers of that "
                            + "name" + (near == null ? "; there are " + String.join(", ", names) + "." : "; did you mean '"
                                + near + "'?"));
                        return;
                    }
                    loads.put(group, ValueSyntax.load(field.value().flow(), seed + number * Binder.SEEDS_APART, base));
                });
            } else if (one.text("load") != null) {
                loads.put("", one.read("load", (Load) new Load.AllOut(), text -> ValueSyntax.load(text, seed, base)));
            }
            String name = one.text("name", "phase-" + (i + 1));
            Phase phase = Binder.built(one, () -> new Phase(name, ValueSyntax.time(length), loads));
            if (phase != null) {
                phases.add(phase);
            }
        }
        return phases;
    }

    /** Returns the times of the run, which must fit its phases. */
    Limits limits(List<Phase> phases) {
        Limits limits = Limits.of(its -> {
            file.fill(its);
            its.recovery = recovery();
            its.warmup = its.settles ? Limits.firstPart(its.duration) : its.warmup;
        });
        Duration warmup = limits.warmup();
        Duration duration = limits.duration();
        if (limits.settles() && (duration.isZero() || !phases.isEmpty())) {
            file.wrong("warmup", phases.isEmpty() ? "auto needs " + file.name("duration") + ", of which it is a part."
                : "auto cannot tell a run that settles from phases that differ; give a time.");
        } else if (!duration.isZero() && !phases.isEmpty()) {
            file.wrong("duration", "a scenario with phases takes as long as they do; leave it out.");
        } else if (!duration.isZero() && duration.compareTo(warmup) < 0) {
            file.wrong("duration", "it must not be shorter than " + file.given("warmup") + ", which is part of it.");
        }
        return limits;
    }

    private @Nullable Recovery recovery() {
        Duration limit = file.read("reconnectLimit", ValueSyntax::time);
        Duration interval = file.read("reconnect", Duration.ZERO, ValueSyntax::time);
        if (!file.has("reconnect")) {
            if (file.has("reconnectLimit")) {
                file.wrong("reconnectLimit", "it needs " + file.name("reconnect") + ", without which a lost connection ends the run.");
            }
            return null;
        }
        try {
            return new Recovery(interval, limit);
        } catch (UsageException e) {
            file.wrong("reconnect", e.sentence(setting -> setting == Setting.RECONNECT ? "it"
                : file.name("reconnectLimit") + " " + file.written("reconnectLimit", Units.text(limit))));
            return null;
        }
    }
}
