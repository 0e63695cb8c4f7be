package io.brokermeter.analysis.statistics;

/**
 * The exact distributions of two rank statistics under the null hypothesis of no difference. Both are symmetric, and neither depends on the
 * distribution of the measured values, as long as there are no ties; ties make an interval that is based on them wider than necessary, not
 * narrower.
 */
final class NullDistribution {

    private NullDistribution() {}

    /**
     * Returns the distribution of Wilcoxon's signed-rank statistic: the sum of those ranks 1 to {@code n} that belong to positive
     * differences, each with probability 1/2.
     *
     * @return the probability of each sum from 0 to n(n+1)/2
     */
    static double[] signedRank(int n) {
        double[] probability = new double[n * (n + 1) / 2 + 1];
        probability[0] = 1;
        for (int rank = 1, most = 0; rank <= n; rank++) {
            most += rank;
            for (int sum = most; sum >= 0; sum--) {
                probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
            }
        }
        return probability;
    }

    /**
     * Returns the distribution of the Mann-Whitney statistic of samples of sizes {@code m} and {@code n}: the number of pairs in which the
     * value of the first sample is greater. The greatest of all values belongs to the first sample with probability m/(m+n), and is then
     * greater in n pairs; the rest is the statistic with one value less.
     *
     * @return the probability of each number from 0 to mn
     */
    static double[] mannWhitney(int m, int n) {
        double[][] smaller = new double[n + 1][];
        for (int j = 0; j <= n; j++) {
            smaller[j] = new double[] {1};
        }
        for (int i = 1; i <= m; i++) {
            double[][] own = new double[n + 1][];
            own[0] = new double[] {1};
            for (int j = 1; j <= n; j++) {
                double[] all = new double[i * j + 1];
                double first = i / (double) (i + j);
                for (int u = 0; u < all.length; u++) {
                    double fromFirst = u >= j ? smaller[j][u - j] : 0;
                    double fromSecond = u < own[j - 1].length ? own[j - 1][u] : 0;
                    all[u] = first * fromFirst + (1 - first) * fromSecond;
                }
                own[j] = all;
            }
            smaller = own;
        }
        return smaller[n];
    }

    /**
     * Returns how many of the lowest values together have at most the given probability. For the returned number {@code k}, the k-th
     * smallest and the k-th greatest of the values behind the statistic are the ends of an interval.
     */
    static int lowest(double[] probability, double most) {
        double sum = 0;
        int count = 0;
        while (count < probability.length && sum + probability[count] <= most) {
            sum += probability[count++];
        }
        return count;
    }
}
