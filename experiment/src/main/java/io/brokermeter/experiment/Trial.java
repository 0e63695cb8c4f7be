package io.brokermeter.experiment;

import java.util.Objects;
import java.util.function.Consumer;
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

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public int number = 1;
        public int index;
        public int round = 1;
        public Point point;
        public Workload workload;
        public @Nullable BrokerChoice broker;
        public boolean ownDestinations;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Trial of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Trial(its.number, its.index, its.round, Objects.requireNonNull(its.point, "point"),
            Objects.requireNonNull(its.workload, "workload"), its.broker, its.ownDestinations);
    }

    /** The same with another workload. */
    public Trial with(Workload other) {
        return new Trial(number, index, round, point, other, broker, ownDestinations);
    }

    /**
     * A scenario file that makes this trial again, without any password. Paths in it are absolute.
     *
     * @param name of the experiment that it is from
     */
    public String yaml(String name) {
        return workload.yaml(name, null, UnaryOperator.identity());
    }
}
