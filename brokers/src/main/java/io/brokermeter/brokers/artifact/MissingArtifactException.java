package io.brokermeter.brokers.artifact;

/**
 * Thrown when no repository has an artifact: the version that the user requests does not exist. The message is one sentence for the user.
 */
public final class MissingArtifactException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    MissingArtifactException(String message, Throwable cause) {
        super(message, cause);
    }
}
