package io.brokermeter.trials.selftest;

/**
 * A queue with Poisson arrivals and one server, whose mean response time is known: M/M/1 or M/D/1. Times are in seconds.
 *
 * @param load arrivals times the mean time of service, from 0 to 1
 * @param served messages a second that the server can serve
 * @param exponential whether times of service are exponential (M/M/1) instead of constant (M/D/1)
 */
record SingleServerQueue(double load, double served, boolean exponential) {

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
