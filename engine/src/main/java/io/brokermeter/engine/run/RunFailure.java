package io.brokermeter.engine.run;

/** A run that could not begin. The message is one sentence for the user; exit code 1. */
public final class RunFailure extends Exception {

    public RunFailure(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
