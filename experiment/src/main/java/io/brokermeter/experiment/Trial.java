package io.brokermeter.experiment;

import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * One run of an experiment.
 *
 * @param number its place in the order of running, from 1
 * @param index the index of its point in the order of the sweep, from 0
 * @param round which repetition of the point it is, from 1
 * @param point what is special about it
 * @param workload what it does
 * @param broker the broker to start for it, or null when its URL names one, or the default one is to be used
 * @param ownDestinations whether its destinations need a suffix, since other trials use the same broker
 */
public record Trial(
        int number, int index, int round, Point point, Workload workload, @Nullable BrokerChoice broker,
        boolean ownDestinations) {

    /**
     * A scenario file that makes this trial again, without any password. Paths in it are absolute.
     *
     * @param name of the experiment that it is from
     */
    public String yaml(String name) {
        return workload.yaml(name, null, UnaryOperator.identity());
    }
}
