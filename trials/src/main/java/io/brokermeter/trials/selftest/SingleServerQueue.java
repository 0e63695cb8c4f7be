package io.brokermeter.trials.selftest;

import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.trials.selftest.SelfTestLine.Grade;

/**
 * A queue with Poisson arrivals and one server, whose mean response time is known: M/M/1 or M/D/1. Times are in seconds.
 *
 * @param load arrivals times the mean time of service, from 0 to 1
 * @param served messages a second that the server can serve
 * @param exponential whether times of service are exponential (M/M/1) instead of constant (M/D/1)
 */
record SingleServerQueue(double load, double served, boolean exponential) {

    /** The number of standard deviations up to which a mean is as good as the known one: beyond it is one of 10,000 by chance. */
    private static final double DEVIATIONS = 5;

    /** Returns the arrivals a second. */
    double arriving() {
        return load * served;
    }

    /** Returns the mean time from arrival to the end of service, by the formula of Pollaczek and Khinchine. */
    double mean() {
        return waiting() + moment(1);
    }

    /**
     * Returns the standard deviation of the mean of the response times of successive messages of a queue in its steady state, divided by
     * that mean. Successive times are alike, so it is many times that of as many independent ones. The waiting time V of an arrival, less
     * its mean, is a martingale's step less the change of V²/(2(1 - load)), which solves Poisson's equation of the queue; the variance of
     * these steps is that of the mean times the number of messages (method: Asmussen, Applied Probability and Queues, 2003, section I.7).
     */
    double deviation(long messages) {
        double a = arriving() / (1 - load);
        double wait = waiting();
        double squared = 2 * wait * wait + a * moment(3) / 3;
        double mean = mean();
        double steps = squared * (a * a * moment(2) + 2 * a * moment(1) + 1)
            + 2 * wait * (a * a * moment(3) / 2 + 1.5 * a * moment(2) + moment(1) - mean - a * mean * moment(1))
            + a * a * moment(4) / 4 + moment(2) + mean * mean + a * moment(3) - a * mean * moment(2) - 2 * mean * moment(1);
        return Math.sqrt(steps / messages) / mean;
    }

    /** Returns the factor by which the mean of so many response times may differ from the known one. */
    double tolerance(long messages) {
        return Math.exp(DEVIATIONS * deviation(messages));
    }

    /**
     * Returns whether a measured mean response time is the known one.
     *
     * @param own what sending and receiving threads that wake late add to each time, in seconds
     * @param disturbed whether threads of this machine wait so long that a time that is too long is no surprise
     */
    Grade grade(long messages, double measured, double own, OwnStalls stalls, boolean disturbed) {
        if (messages == 0) {
            return disturbed ? Grade.DOUBTFUL : Grade.WRONG;
        }
        double tolerance = tolerance(messages);
        if (measured < mean() / tolerance) {
            return Grade.WRONG;
        }
        double most = mean() * tolerance + 2 * own;
        // What becomes due in a stall comes as a burst, which a queue takes long to work off when there is little to spare.
        double late = 2 * stallSeconds(stalls) / (1 - load);
        return measured <= most ? Grade.OK : measured <= most + late || disturbed ? Grade.DOUBTFUL : Grade.WRONG;
    }

    /** Returns for how long a moment lies in a stall in the mean, in seconds. */
    private static double stallSeconds(OwnStalls stalls) {
        double mean = 0;
        double above = 0;
        for (OwnStalls.Level level : stalls.levels()) {
            mean += level.lost() * (level.aboveMillis() - above) / 1e3;
            above = level.aboveMillis();
        }
        return mean;
    }

    private double waiting() {
        return arriving() * moment(2) / 2 / (1 - load);
    }

    /** Returns a moment of the time of service. */
    private double moment(int power) {
        double moment = 1;
        for (int i = 1; i <= power; i++) {
            moment *= (exponential ? i : 1) / served;
        }
        return moment;
    }
}
