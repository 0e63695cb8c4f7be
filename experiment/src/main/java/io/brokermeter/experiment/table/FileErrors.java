package io.brokermeter.experiment.table;

import java.util.LinkedHashSet;
import java.util.Set;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.spi.failure.Refusal;

/** Collects the mistakes in a file, each once, so that all of them are reported together. */
public final class FileErrors {

    private static final int MOST = 20;

    private final Set<String> sentences = new LinkedHashSet<>();
    private final boolean atOnce;

    public FileErrors() {
        this(false);
    }

    private FileErrors(boolean atOnce) {
        this.atOnce = atOnce;
    }

    /** Returns errors for a command line: the first mistake is thrown at once, in a sentence that names options. */
    public static FileErrors atOnce() {
        return new FileErrors(true);
    }

    /** Returns the sentence of an exception, with settings named by options for a command line, and by keys for a file. */
    public String named(RuntimeException rule) {
        if (atOnce) {
            return rule instanceof UsageException usage ? usage.sentence(Option::of)
                : rule instanceof Refusal refusal ? refusal.sentence(Option::of) : String.valueOf(rule.getMessage());
        }
        return String.valueOf(rule.getMessage());
    }

    /** Returns whether settings are options, not keys of a file. */
    public boolean areOptions() {
        return atOnce;
    }

    /**
     * Adds a mistake in a key, or throws it for a command line.
     *
     * @param path path of the key; empty for the whole file
     * @param sentence one sentence; where it begins with "it", the key is its subject
     */
    public void about(SourceLocation location, String path, String sentence) {
        about(location, path, "", sentence);
    }

    /** Adds a mistake in a key with the value that the key has, or throws it for a command line. */
    public void about(SourceLocation location, String path, String value, String sentence) {
        if (atOnce) {
            boolean subject = sentence.startsWith("it ");
            throw new UsageException(Character.isUpperCase(sentence.charAt(0)) || sentence.startsWith("--") ? sentence
                : location + (subject
                    ? (sentence.startsWith("it must ") || sentence.startsWith("it is ") ? " " + value : "") + sentence.substring(2)
                    : ": " + sentence));
        }
        sentences.add(location + ": " + (path.isEmpty() ? "" : "key '" + path + "': ") + sentence);
    }

    /** Adds the mistakes of another object, each with {@code more} appended. */
    public void add(FileErrors other, String more) {
        other.sentences.forEach(sentence -> sentences.add(sentence + more));
    }

    public boolean isEmpty() {
        return sentences.isEmpty();
    }

    /** @throws UsageException with the first 20 mistakes, one per line, when there are any */
    public void raise() {
        if (!sentences.isEmpty()) {
            throw new UsageException(String.join(System.lineSeparator(), sentences.stream().limit(MOST).toList()));
        }
    }
}
