package io.brokermeter.contract;

import java.util.concurrent.Callable;

/** Repeats what a machine can spoil by standing still for seconds, although the driver and the broker work. */
public final class Retry {

    private Retry() {}

    /** A test. */
    public interface Attempt {

        void run() throws Exception;
    }

    /** Runs a test up to three times, until it passes; the failure of the last try is thrown. */
    public static void upToThree(Attempt test) throws Exception {
        upTo(3, AssertionError.class, () -> {
            test.run();
            return test;
        });
    }

    /**
     * Makes up to {@code most} tries, and returns the result of the first one that does not fail.
     *
     * @param spoiled the failure after which another try is made; every other one is thrown at once, and so is that of the last try
     */
    public static <T> T upTo(int most, Class<? extends Throwable> spoiled, Callable<T> one) throws Exception {
        for (int left = most - 1;; left--) {
            try {
                return one.call();
            } catch (Throwable e) {
                if (left == 0 || !spoiled.isInstance(e)) {
                    throw e;
                }
            }
        }
    }
}
