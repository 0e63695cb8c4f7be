package io.brokermeter.engine.scenario;

import java.nio.file.Path;

/** What bodies consist of. */
public sealed interface Content {

    /** Bytes that no compressor makes smaller. */
    record Random() implements Content {}

    /**
     * Bytes that a compressor makes smaller.
     *
     * @param share of the bytes that repeat, above 0 and at most 1
     */
    record Compressible(double share) implements Content {

        public Compressible {
            if (!(share > 0) || share > 1) {
                throw new UsageException("The compressible share of a body is above 0% and at most 100%.");
            }
        }
    }

    /** The same byte all over. */
    record Constant(byte value) implements Content {}

    /** Every body is the whole file. */
    record WholeFile(Path file) implements Content {}

    /** Every body is a line of the file, in turn, from the beginning again after the last. */
    record Lines(Path file) implements Content {}

    /**
     * Every body is made from a text with placeholders.
     *
     * @param text the text
     * @param origin where it came from, for messages to the user
     */
    record Template(String text, String origin) implements Content {}

    /** Whether the content decides itself what a body is, so that the envelope must travel beside it. */
    default boolean verbatim() {
        return this instanceof WholeFile || this instanceof Lines || this instanceof Template;
    }
}
