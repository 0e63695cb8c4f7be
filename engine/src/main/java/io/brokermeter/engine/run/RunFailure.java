package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import org.jspecify.annotations.Nullable;

/** Thrown when a run could not begin; the exit code is 1. */
public final class RunFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Finding.Failure finding;
    private final transient List<Finding.Failure> afterwards;

    /** Creates a failure without a cause, for a run whose processes are elsewhere. */
    public RunFailure(Finding.Failure finding) {
        this(finding, null, List.of());
    }

    RunFailure(Finding.Failure finding, Throwable cause) {
        this(finding, cause, List.of());
    }

    private RunFailure(Finding.Failure finding, @Nullable Throwable cause, List<Finding.Failure> afterwards) {
        super(finding.toString(), cause);
        this.finding = finding;
        this.afterwards = afterwards;
    }

    /** Returns why the run could not begin. */
    public Finding.Failure finding() {
        return finding;
    }

    /** Returns why the run could not begin, and then what went wrong when everything was closed and removed again. */
    public List<Finding.Failure> findings() {
        List<Finding.Failure> findings = new ArrayList<>(afterwards);
        findings.addFirst(finding);
        return findings;
    }

    /** Returns this failure with what went wrong when everything was closed and removed again. */
    RunFailure and(List<Finding.Failure> troubles) {
        RunFailure whole = new RunFailure(finding, getCause(), troubles.stream().distinct().toList());
        whole.setStackTrace(getStackTrace());
        return whole;
    }

    /** Returns this failure with another account of why the run could not begin. */
    public RunFailure as(Finding.Failure finding) {
        RunFailure seen = new RunFailure(finding, null, afterwards);
        seen.addSuppressed(this);
        return seen;
    }
}
