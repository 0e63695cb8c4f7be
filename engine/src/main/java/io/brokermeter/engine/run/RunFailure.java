package io.brokermeter.engine.run;

import io.brokermeter.engine.finding.Finding;

/** A run that could not begin; exit code 1. */
public final class RunFailure extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Finding.Failure finding;

    /** Of a run whose processes are elsewhere. */
    public RunFailure(Finding.Failure finding) {
        super(finding.toString());
        this.finding = finding;
    }

    RunFailure(Finding.Failure finding, Throwable cause) {
        super(finding.toString(), cause);
        this.finding = finding;
    }

    /** Why it could not begin. */
    public Finding.Failure finding() {
        return finding;
    }
}
