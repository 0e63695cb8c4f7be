package io.brokermeter.engine.scenario;

/** What the user asked for cannot be run. The message is one sentence for the user; exit code 2. */
public final class UsageException extends RuntimeException {

    public UsageException(String sentence) {
        super(sentence);
    }
}
