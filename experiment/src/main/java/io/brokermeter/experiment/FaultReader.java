package io.brokermeter.experiment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import org.jspecify.annotations.Nullable;

/** Reads the faults of a scenario. Their targets are checked later, when the broker is known. */
final class FaultReader {

    private FaultReader() {}

    /**
     * Returns the valid faults; mistakes in the others are added to the errors of the file.
     *
     * @param file the whole file
     * @param groups the values of its key {@code faults}
     * @param scenario the scenario without faults
     */
    static List<Fault> read(SectionValues file, List<SectionValues> groups, Scenario scenario) {
        List<Fault> all = new ArrayList<>();
        if (groups.size() > Fault.MOST) {
            file.wrong("faults", "there are more than " + Fault.MOST + ".");
            return all;
        }
        for (SectionValues one : groups) {
            Fault fault = fault(one);
            if (fault == null) {
                continue;
            }
            try {
                fault.requireIn(scenario);
                all.forEach(fault::requireBeside);
                all.add(fault);
            } catch (UsageException e) {
                one.wrong("at", Validator.sentence(e));
            }
        }
        return all;
    }

    private static @Nullable Fault fault(SectionValues one) {
        List<Fault.Action> actions = Arrays.stream(Fault.Action.values()).filter(action -> one.has(action.word())).toList();
        String text = one.text("fault");
        if (text != null) {
            if (!actions.isEmpty() || one.has("at") || one.has("for") || one.has("by")) {
                one.wrong("fault", "it says everything, so no other key may stand beside it.");
                return null;
            }
            return one.read("fault", Optional.<Fault>empty(), words -> Optional.of(Fault.parse(words))).orElse(null);
        }
        if (actions.size() != 1) {
            one.wrong(actions.isEmpty() ? "a fault says what is done and to whom, like 'kill: broker'." : "a fault is one thing, not both '"
                + actions.get(0).word() + "' and '" + actions.get(1).word() + "'; make two of them.");
            return null;
        }
        if (!one.has("at")) {
            one.wrong("a fault needs 'at', when it comes, like 'at: 20s'.");
            return null;
        }
        Duration at = one.read("at", Duration.ZERO, time -> Units.duration(time, "s"));
        Duration length = one.has("for") ? one.read("for", Duration.ZERO, time -> Units.duration(time, "s")) : null;
        Duration by = one.has("by") ? one.read("by", Duration.ZERO, ValueSyntax::fineTime) : null;
        String word = actions.getFirst().word();
        try {
            return new Fault(actions.getFirst(), one.text(word, ""), at, length, by);
        } catch (UsageException e) {
            one.wrong(word, Validator.sentence(e));
            return null;
        }
    }
}
