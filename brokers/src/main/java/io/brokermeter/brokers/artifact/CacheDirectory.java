package io.brokermeter.brokers.artifact;

import java.nio.file.Path;

/** Locates the caches of this user (XDG Base Directory Specification). */
public final class CacheDirectory {

    private CacheDirectory() {}

    /** Returns the path of one of brokermeter's caches, which need not exist yet. */
    public static Path of(String name) {
        String configured = System.getenv("XDG_CACHE_HOME");
        // The specification requires that relative paths are ignored.
        Path caches = configured != null && Path.of(configured).isAbsolute()
            ? Path.of(configured) : Path.of(System.getProperty("user.home"), ".cache");
        if (!caches.isAbsolute()) {
            // A user without an entry has the home "?", which cannot be written to.
            caches = Path.of(System.getProperty("java.io.tmpdir"), "brokermeter-cache-" + ProcessHandle.current().pid()).toAbsolutePath();
        }
        return caches.resolve("brokermeter").resolve(name);
    }
}
