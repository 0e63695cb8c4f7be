package io.brokermeter.experiment;

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
import io.brokermeter.spi.StoreParameter;

/**
 * What goes to other machines with a run: its text, and the files that must be beside it there, each once, under relative paths that say nothing of
 * where they are here. Used by one thread.
 */
public final class PortableFiles {

    private static final String ENCLOSED = "enclosed/";
    private static final Pattern ENCLOSED_NAME = Pattern.compile(ENCLOSED + "[0-9]{1,4}");

    private final Map<Path, String> names = new LinkedHashMap<>();
    private String text = "";

    PortableFiles() {}

    /** Whether it is the relative path of a file that came with a run: it leads nowhere else. */
    public static boolean isEnclosed(String path) {
        return ENCLOSED_NAME.matcher(path).matches();
    }

    void write(String whole) {
        text = whole;
    }

    /** The scenario. */
    public String text() {
        return text;
    }

    /** The relative path of a file, which goes along from now on. */
    String enclose(Path file) {
        return names.computeIfAbsent(file.toAbsolutePath().normalize(), _ -> ENCLOSED + (names.size() + 1));
    }

    /**
     * A URL with relative paths in place of the files that its stores name, which go along.
     *
     * @param stores parameters that name files
     */
    public String url(String url, Collection<StoreParameter> stores) {
        return StoreFiles.url(url, stores, enclosing());
    }

    /** The same for parameters beside the URL. */
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

    /** The files, by their relative paths. */
    public Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        names.forEach((file, path) -> files.put(path, file));
        return files;
    }

    /** A sentence of another machine with the files' own paths in place of the relative ones. */
    public String local(String sentence) {
        Map<String, Path> files = files();
        StringBuilder local = new StringBuilder(sentence);
        // From its end, so that no path that was put in is taken for a name.
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
     * @throws UsageException with one sentence when one cannot be read, or when all together have more than {@link PortableScenario#MOST_BYTES}
     */
    public Map<String, String> contents() {
        Map<String, String> all = new LinkedHashMap<>();
        int left = PortableScenario.MOST_BYTES;
        for (Map.Entry<String, Path> file : files().entrySet()) {
            if (Files.exists(file.getValue()) && !Files.isRegularFile(file.getValue())) {
                // A pipe could be read once, and perhaps never to its end.
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
