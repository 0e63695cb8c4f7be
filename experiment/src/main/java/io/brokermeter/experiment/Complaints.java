package io.brokermeter.experiment;

import java.util.LinkedHashSet;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;

/** Every mistake found in a file, each once, so that a user learns of all of them together. */
final class Complaints {

    private static final int MOST = 20;

    private final Set<String> sentences = new LinkedHashSet<>();
    private final boolean atOnce;

    Complaints() {
        this(false);
    }

    private Complaints(boolean atOnce) {
        this.atOnce = atOnce;
    }

    /** For a command line: the first mistake is thrown, in the words of its options. */
    static Complaints atOnce() {
        return new Complaints(true);
    }

    /** A sentence that speaks of options, in the words of what was read. */
    String inItsWords(String sentence) {
        return atOnce ? sentence : KeyTable.inKeys(sentence);
    }

    /** About a key. {@code sentence} is one whole sentence. */
    void about(Place place, String path, String sentence) {
        if (atOnce) {
            throw new UsageException(sentence);
        }
        sentences.add(place + ": " + (path.isEmpty() ? "" : "key '" + path + "': ") + sentence);
    }

    /** Those of another, each with something more behind it. */
    void add(Complaints other, String more) {
        other.sentences.forEach(sentence -> sentences.add(sentence + more));
    }

    boolean isEmpty() {
        return sentences.isEmpty();
    }

    /** @throws UsageException with all of them, a line each, when there are any */
    void raise() {
        if (!sentences.isEmpty()) {
            throw new UsageException(String.join(System.lineSeparator(), sentences.stream().limit(MOST).toList()));
        }
    }
}
