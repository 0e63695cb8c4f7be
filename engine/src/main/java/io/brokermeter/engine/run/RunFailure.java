package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.finding.Finding;
import org.jspecify.annotations.Nullable;

/** Thrown when a run could not begin; the exit code is 1. */
public final class RunFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Finding.Failure> findings = new ArrayList<>();

    /** Creates a failure without a cause, for a run whose processes are elsewhere. */
    public RunFailure(Finding.Failure finding) {
        this(finding, null);
    }

    public RunFailure(Finding.Failure finding, @Nullable Throwable cause) {
        super(finding.toString(), cause);
        findings.add(finding);
    }

    /** Returns why the run could not begin. */
    public Finding.Failure finding() {
        return findings.getFirst();
    }

    /** Returns why the run could not begin, and then what went wrong when everything was closed and removed again. */
    public List<Finding.Failure> findings() {
        return List.copyOf(findings);
    }

    /** Adds what went wrong when everything was closed and removed again; each trouble is kept once. */
    void add(List<Finding.Failure> troubles) {
        troubles.stream().distinct().forEach(findings::add);
    }

    /** Returns this failure with another account of why the run could not begin. */
    public RunFailure as(Finding.Failure finding) {
        RunFailure seen = new RunFailure(finding);
        seen.addSuppressed(this);
        seen.findings.addAll(findings.subList(1, findings.size()));
        return seen;
    }
}
