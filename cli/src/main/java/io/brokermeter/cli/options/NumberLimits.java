package io.brokermeter.cli.options;

import java.util.function.Supplier;

import io.brokermeter.engine.scenario.UsageException;

/** Checks the values of options. Each method throws a {@link UsageException} with the option and the value that is not allowed. */
public final class NumberLimits {

    private static final int LAST_PORT = 65_535;

    private NumberLimits() {}

    /** Returns the result of a parser; when it refuses an option's value, the sentence of the exception begins with the option. */
    public static <T> T read(String option, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (UsageException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
    }

    public static void atLeast(String option, long number, long least) {
        if (number < least) {
            throw new UsageException(option + " " + number + " must be at least " + least + ".");
        }
    }

    public static void between(String option, long number, long least, long most) {
        if (number < least || number > most) {
            throw new UsageException(option + " " + number + " must be from " + least + " to " + most + ".");
        }
    }

    /** Checks the number of a port to listen on; 0 stands for any free port. */
    public static void port(String option, int number) {
        between(option, number, 0, LAST_PORT);
    }

    public static void aboveZero(String option, double number) {
        if (!Double.isFinite(number) || number <= 0) {
            throw new UsageException(option + " " + number + " must be greater than 0.");
        }
    }
}
