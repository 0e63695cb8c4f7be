package io.brokermeter.experiment.portable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.spi.parameter.StoreParameter;

/**
 * The scenario and the files that a run takes to other machines. Each file is contained once, under a relative path that does not reveal
 * its path on this machine. Used by one thread.
 */
public final class PortableFiles {

    private static final String ENCLOSED = "enclosed/";
    private static final Pattern ENCLOSED_NAME = Pattern.compile(ENCLOSED + "[0-9]{1,4}");

    private final Map<Path, String> names = new LinkedHashMap<>();
    private String text = "";

    PortableFiles() {}

    /** Returns whether a path is a relative path of a file that came with a run; such a path cannot lead to any other file. */
    public static boolean isEnclosed(String path) {
        return ENCLOSED_NAME.matcher(path).matches();
    }

    void write(String whole) {
        text = whole;
    }

    /** Returns the text of the scenario. */
    public String text() {
        return text;
    }

    /** Adds a file, unless it was added before, and returns its relative path. */
    String enclose(Path file) {
        return names.computeIfAbsent(file.toAbsolutePath().normalize(), _ -> ENCLOSED + (names.size() + 1));
    }

    /**
     * Returns a URL with relative paths in place of the files that its stores name, and adds these files.
     *
     * @param stores parameters that name files
     */
    public String url(String url, Collection<StoreParameter> stores) {
        return StoreFiles.url(url, stores, enclosing());
    }

    /** Returns parameters with relative paths in place of the files that stores name, and adds these files. */
    public Map<String, String> properties(Map<String, String> properties, Collection<StoreParameter> stores) {
        return StoreFiles.properties(properties, stores, enclosing());
    }

    private BinaryOperator<String> enclosing() {
        return (name, value) -> {
            if (value.isEmpty()) {
                return value;
            }
            Path file = ValueSyntax.path(value, Path.of(""));
            if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
                throw new UsageException("Parameter %s names '%s', which agents need and which cannot be read.", name, value);
            }
            return enclose(file);
        };
    }

    /** Returns the files, by their relative paths. */
    public Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        names.forEach((file, path) -> files.put(path, file));
        return files;
    }

    /** Returns a sentence of another machine with the files' paths on this machine in place of the relative ones. */
    public String local(String sentence) {
        Map<String, Path> files = files();
        StringBuilder local = new StringBuilder(sentence);
        // From the end, so that an inserted path is not taken for a relative one.
        for (int at = sentence.lastIndexOf(ENCLOSED); at >= 0; at = sentence.lastIndexOf(ENCLOSED, at - 1)) {
            int end = at + ENCLOSED.length();
            while (end < sentence.length() && sentence.charAt(end) >= '0' && sentence.charAt(end) <= '9') {
                end++;
            }
            Path file = files.get(sentence.substring(at, end));
            if (file != null) {
                local.replace(at, end, file.toString());
            }
        }
        return local.toString();
    }

    /**
     * Reads the files. Blocks.
     *
     * @return their contents in base64, by their relative paths
     * @throws UsageException with one sentence, when a file cannot be read, or when all together are larger than
     *     {@link PortableScenario#MOST_BYTES}
     */
    public Map<String, String> contents() {
        Map<String, String> all = new LinkedHashMap<>();
        int left = PortableScenario.MOST_BYTES;
        for (Map.Entry<String, Path> file : files().entrySet()) {
            if (Files.exists(file.getValue()) && !Files.isRegularFile(file.getValue())) {
                // A pipe can be read only once, and may never end.
                throw new UsageException("The file %s, which agents need, is no regular file.", file.getValue());
            }
            try (InputStream in = Files.newInputStream(file.getValue())) {
                byte[] content = in.readNBytes(left + 1);
                if (content.length > left) {
                    throw new UsageException(
                        "Agents get files of at most %d MiB together, and with %s it is more; take a smaller part of it.",
                        PortableScenario.MOST_BYTES >> 20, file.getValue());
                }
                left -= content.length;
                all.put(file.getKey(), Base64.getEncoder().encodeToString(content));
            } catch (IOException e) {
                throw new UsageException("The file %s, which agents need, cannot be read: %s.", file.getValue(), e.getMessage());
            }
        }
        return all;
    }
}
