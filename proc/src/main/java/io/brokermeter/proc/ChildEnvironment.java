package io.brokermeter.proc;

/** Prepares the environment of processes that this program starts. */
public final class ChildEnvironment {

    private ChildEnvironment() {}

    /**
     * Removes the variables for this program alone, passwords among them: others may read them in {@code /proc/PID/environ} if the
     * process has another user.
     */
    public static ProcessBuilder withoutOwnVariables(ProcessBuilder builder) {
        builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
        return builder;
    }
}
