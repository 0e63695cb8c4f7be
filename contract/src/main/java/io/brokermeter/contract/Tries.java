package io.brokermeter.contract;

/** Repeats tests that a machine can spoil by standing still for seconds, although the driver and the broker work. */
public final class Tries {

    private static final int MOST = 3;

    private Tries() {}

    /** A test. */
    public interface Try {

        void run() throws Exception;
    }

    /** Runs a test up to three times, until it passes; the failure of the last try is thrown. */
    public static void upToThree(Try test) throws Exception {
        for (int left = MOST - 1;; left--) {
            try {
                test.run();
                return;
            } catch (AssertionError e) {
                if (left == 0) {
                    throw e;
                }
            }
        }
    }
}
