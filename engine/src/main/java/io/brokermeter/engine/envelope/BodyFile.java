package io.brokermeter.engine.envelope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.engine.scenario.UsageException;

/** Reads whole files that bodies are made of into memory. A file may take at most a quarter of the JVM's maximum memory. */
final class BodyFile {

    private BodyFile() {}

    /**
     * Returns the bytes of a file.
     *
     * @throws UsageException with one sentence, if the file is missing, empty, not a regular file, too large or cannot be read
     */
    static byte[] read(Path file) {
        if (!Files.exists(file)) {
            throw new UsageException("File " + file + ", which bodies are to be made of, does not exist.");
        }
        if (!Files.isRegularFile(file)) {
            throw new UsageException(file + ", which bodies are to be made of, is not a plain file.");
        }
        byte[] bytes;
        try {
            long most = Runtime.getRuntime().maxMemory() / 4;
            if (Files.size(file) > most) {
                throw new UsageException("File " + file + " is larger than " + (most >> 20) + " MiB, a quarter of the "
                    + "memory there is; give more with JAVA_ARGS=-Xmx4g or so.");
            }
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UsageException("File " + file + ", which bodies are to be made of, cannot be read: "
                + e.getMessage() + ".");
        }
        if (bytes.length == 0) {
            throw new UsageException("File " + file + ", which bodies are to be made of, is empty.");
        }
        return bytes;
    }
}
