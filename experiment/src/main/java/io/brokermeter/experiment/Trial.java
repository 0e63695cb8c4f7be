package io.brokermeter.experiment;

import java.util.function.UnaryOperator;

import io.brokermeter.experiment.access.BrokerChoice;
import org.jspecify.annotations.Nullable;

/**
 * One run of an experiment. Immutable.
 *
 * @param number position in the order of running, from 1
 * @param index index of its point in the order of the sweep, from 0
 * @param round number of the repetition of the point, from 1
 * @param point its values of the keys that vary
 * @param workload workload that it runs
 * @param broker broker to start for it, or null when its URL names one, or the default one is to be used
 * @param ownDestinations whether its destinations need a suffix, since other trials use the same broker
 */
public record Trial(
        int number, int index, int round, Point point, Workload workload, @Nullable BrokerChoice broker,
        boolean ownDestinations) {

    /** Returns a copy of this trial with another workload. */
    public Trial with(Workload other) {
        return new Trial(number, index, round, point, other, broker, ownDestinations);
    }

    /**
     * Returns the text of a scenario file that repeats this trial, without any password. Paths in it start from an absolute directory.
     *
     * @param name name of the experiment
     */
    public String yaml(String name) {
        return workload.yaml(name, null, UnaryOperator.identity());
    }
}
