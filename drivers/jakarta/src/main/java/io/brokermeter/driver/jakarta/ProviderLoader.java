package io.brokermeter.driver.jakarta;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Loads the provider's classes from the user's jars, separate from brokermeter's own libraries, which may contain other versions of the
 * same classes. Both share the Jakarta Messaging interfaces and SLF4J. All connections with the same jars share one loader, which stays
 * open as long as the process lives.
 */
final class ProviderLoader extends URLClassLoader {

    private static final Map<List<Path>, ProviderLoader> LOADERS = new ConcurrentHashMap<>();

    private final ClassLoader own;

    private ProviderLoader(URL[] jars, ClassLoader own) {
        super("provider", jars, ClassLoader.getPlatformClassLoader());
        this.own = own;
    }

    /**
     * Returns the loader of the given jars.
     *
     * @param text jars and directories of jars, separated by commas
     * @throws IllegalArgumentException with one sentence for the user if a file cannot be used
     */
    static ProviderLoader of(String text) {
        List<Path> jars = new ArrayList<>();
        for (String part : text.split(",")) {
            Path path = Path.of(part.strip()).toAbsolutePath();
            if (Files.isDirectory(path)) {
                List<Path> found = jarsIn(path);
                if (found.isEmpty()) {
                    throw new IllegalArgumentException("The client jars name the directory " + path + ", which holds no jar.");
                }
                jars.addAll(found);
            } else if (Files.isReadable(path)) {
                jars.add(path);
            } else {
                throw new IllegalArgumentException("The client jars name " + path + ", which is not there or cannot be read.");
            }
        }
        return LOADERS.computeIfAbsent(List.copyOf(jars), ProviderLoader::over);
    }

    private static List<Path> jarsIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new IllegalArgumentException("The client jars name the directory " + directory + ", which cannot be read ("
                + e.getMessage() + ").", e);
        }
    }

    private static ProviderLoader over(List<Path> jars) {
        URL[] urls = jars.stream().map(jar -> {
            try {
                return jar.toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException("The client jars name " + jar + ", which is no URL.", e);
            }
        }).toArray(URL[]::new);
        return new ProviderLoader(urls, ProviderLoader.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("jakarta.jms.") || name.startsWith("org.slf4j.")) {
            try {
                return own.loadClass(name);
            } catch (ClassNotFoundException e) {
                // not among our own libraries: use the provider's
            }
        }
        return super.loadClass(name, resolve);
    }
}
