package io.brokermeter.cluster;

import org.jspecify.annotations.Nullable;

/** Thrown when a cluster cannot do what was asked; the message is one sentence for the user. */
public final class ClusterException extends Exception {

    public ClusterException(String sentence) {
        super(sentence);
    }

    public ClusterException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
