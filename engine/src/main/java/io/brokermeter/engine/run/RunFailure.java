package io.brokermeter.engine.run;

import io.brokermeter.engine.finding.Finding;

/** Thrown when a run could not begin; the exit code is 1. */
public final class RunFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Finding.Failure finding;

    /** Creates a failure without a cause, for a run whose processes are elsewhere. */
    public RunFailure(Finding.Failure finding) {
        super(finding.toString());
        this.finding = finding;
    }

    RunFailure(Finding.Failure finding, Throwable cause) {
        super(finding.toString(), cause);
        this.finding = finding;
    }

    /** Returns why the run could not begin. */
    public Finding.Failure finding() {
        return finding;
    }
}
