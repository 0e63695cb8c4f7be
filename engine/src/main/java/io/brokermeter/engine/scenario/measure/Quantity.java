package io.brokermeter.engine.scenario.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.scenario.Scenario;

/**
 * A figure of a run that is one number: its name in a threshold, its unit, and what a run needs to have it. A number of things that a run
 * did or saw is a {@link Count}, and all others are {@link Measure}s, or the mean rates of counts.
 */
public sealed interface Quantity permits Count, MeanRate, Measure {

    /**
     * What every figure has.
     *
     * @param key the name of the figure in a threshold
     * @param doc a description of the figure, one sentence
     */
    record Row(String key, Unit unit, Needs needs, Live live, String doc) {}

    Row row();

    /** Returns the name of the figure in a threshold. */
    default String key() {
        return row().key;
    }

    default Unit unit() {
        return row().unit;
    }

    /** Returns a description of the figure, one sentence. */
    default String doc() {
        return row().doc;
    }

    default Needs needs() {
        return row().needs;
    }

    default Live live() {
        return row().live;
    }

    /** Returns whether each phase of a run has the figure, too. */
    boolean isOfPhases();

    /** Returns all figures: counts, mean rates, and the others. */
    static List<Quantity> all() {
        List<Quantity> all = new ArrayList<>(List.of(Count.values()));
        Arrays.stream(Count.values()).filter(Count::isOfPhases).map(MeanRate::new).forEach(all::add);
        all.addAll(List.of(Measure.values()));
        return List.copyOf(all);
    }

    /** The units of figures. */
    enum Unit {
        MESSAGES("messages", "a number of messages, like 0, 1000 or 2M"),
        COUNT("", "a number, like 0 or 5"),
        MICROS("us", "a time with a unit, like 500us or 10ms"),
        SECONDS("s", "a time with a unit, like 500ms or 30s"),
        PER_SECOND("msg/s", "a rate, like 500/s or 37k/s"),
        PERCENT("%", "a percentage, like 99.9%"),
        BYTES("bytes", "a size, like 512MiB or 2GiB"),
        BYTES_PER_SECOND("B/s", "a rate of bytes, like 10MB/s or 512KiB/s");

        private final String suffix;
        private final String form;

        Unit(String suffix, String form) {
            this.suffix = suffix;
            this.form = form;
        }

        /** Returns the name of the unit in files; empty for a plain number. */
        public String suffix() {
            return suffix;
        }

        /** Returns a description of the form of a limit in this unit. */
        public String form() {
            return form;
        }
    }

    /** The parts of a run without which a figure does not exist. */
    enum Needs {
        NOTHING(""), PRODUCERS("producers"), CONSUMERS("consumers"), SCHEDULE("a scheduled load, such as a rate"),
        REQUESTS("requests that ask for replies"), DELAYS("a delivery delay"),
        PROCESSING("consumers with a processing time"),
        LEDGER("a ledger, which is kept where there are consumers and messages have envelopes");

        private final String words;

        Needs(String words) {
            this.words = words;
        }

        /** Returns the needed parts, as a noun. */
        public String words() {
            return words;
        }

        /** Returns whether the runs of a scenario have these parts. */
        public boolean isMetBy(Scenario scenario) {
            return switch (this) {
                case NOTHING -> true;
                case PRODUCERS -> scenario.sends();
                case CONSUMERS -> scenario.receives();
                case SCHEDULE -> scenario.scheduled();
                case REQUESTS -> scenario.producers().stream().anyMatch(spec -> spec.request() != null);
                case DELAYS -> scenario.receives()
                    && scenario.producers().stream().anyMatch(spec -> !spec.messages().deliveryDelay().isZero());
                case PROCESSING -> scenario.consumers().stream().anyMatch(spec -> !spec.processing().isNone());
                case LEDGER -> scenario.receives() && !scenario.isBare();
            };
        }
    }

    /** The ways in which a figure is known while the run goes on. */
    enum Live {
        /** The figure never falls, so a limit that it has passed stays passed. */
        GROWS,
        /** The figure is a mean over the run so far. */
        VARIES,
        /** The figure is known only when the run is over. */
        NEVER
    }
}
