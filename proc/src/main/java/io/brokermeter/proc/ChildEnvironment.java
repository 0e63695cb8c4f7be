package io.brokermeter.proc;

/** The environment that processes get which this program starts. */
public final class ChildEnvironment {

    private ChildEnvironment() {}

    /** Takes out what is for this program alone, passwords among it: others may read it in {@code /proc/PID/environ} when the process has another user. */
    public static ProcessBuilder withoutOwnVariables(ProcessBuilder builder) {
        builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
        return builder;
    }
}
