package io.brokermeter.experiment;

import java.util.LinkedHashSet;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Refusal;

/** Every mistake found in a file, each once, so that a user learns of all of them together. */
final class FileErrors {

    private static final int MOST = 20;

    private final Set<String> sentences = new LinkedHashSet<>();
    private final boolean atOnce;

    FileErrors() {
        this(false);
    }

    private FileErrors(boolean atOnce) {
        this.atOnce = atOnce;
    }

    /** For a command line: the first mistake is thrown, in the words of its options. */
    static FileErrors atOnce() {
        return new FileErrors(true);
    }

    /** What a rule says, with settings under the names that they have in what was read. */
    String named(RuntimeException rule) {
        if (atOnce) {
            return rule instanceof UsageException usage ? usage.sentence(Option::of)
                : rule instanceof Refusal refusal ? refusal.sentence(Option::of) : String.valueOf(rule.getMessage());
        }
        return String.valueOf(rule.getMessage());
    }

    /** Whether settings are options, not keys of a file. */
    boolean areOptions() {
        return atOnce;
    }

    /** About a key. {@code sentence} is one sentence; its subject is the key where it begins with "it". */
    void about(Place place, String path, String sentence) {
        about(place, path, "", sentence);
    }

    /** The same with the value that the key has. */
    void about(Place place, String path, String value, String sentence) {
        if (atOnce) {
            boolean subject = sentence.startsWith("it ");
            throw new UsageException(Character.isUpperCase(sentence.charAt(0)) || sentence.startsWith("--") ? sentence
                : place + (subject
                    ? (sentence.startsWith("it must ") || sentence.startsWith("it is ") ? " " + value : "") + sentence.substring(2)
                    : ": " + sentence));
        }
        sentences.add(place + ": " + (path.isEmpty() ? "" : "key '" + path + "': ") + sentence);
    }

    /** Those of another, each with something more behind it. */
    void add(FileErrors other, String more) {
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
