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
 * Loads the provider's classes from the user's jars, apart from brokermeter's own libraries, which may hold other versions
 * of the same classes. The two share the Jakarta Messaging interfaces and the log. One loader serves all connections with
 * the same jars, and stays as long as the process.
 */
final class ProviderLoader extends URLClassLoader {

    private static final Map<List<Path>, ProviderLoader> LOADERS = new ConcurrentHashMap<>();

    private final ClassLoader own;

    private ProviderLoader(URL[] jars, ClassLoader own) {
        super("provider", jars, ClassLoader.getPlatformClassLoader());
        this.own = own;
    }

    /**
     * The loader of some jars.
     *
     * @param text jars and directories of jars with commas between them
     * @throws IllegalArgumentException with one sentence for the user, when one of them does not exist
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
                // a log of its own, then
            }
        }
        return super.loadClass(name, resolve);
    }
}
