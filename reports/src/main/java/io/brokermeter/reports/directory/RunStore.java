package io.brokermeter.reports.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.PrivateFiles;
import org.jspecify.annotations.Nullable;

/**
 * The default directory of runs and sweeps: {@code $XDG_STATE_HOME/brokermeter/runs}, by default below {@code ~/.local/state}.
 * The names of its directories begin with their time (UTC), so that the order of names is that of time.
 *
 * @param root the directory of all runs and sweeps; need not exist
 */
public record RunStore(Path root) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final Pattern NAME = Pattern.compile("\\d{8}T\\d{6}\\.\\d{3}Z-.+");
    private static final Pattern LAST = Pattern.compile("last(?:~(\\d{1,6}))?");
    private static final int TIME_LENGTH = "20260102T030405.678Z".length();
    private static final int LONGEST_NAME = 60;
    /**
     * The time of the last directory that this process created, in milliseconds since the epoch: of two within a
     * millisecond the second has the later name.
     */
    private static final AtomicLong NEWEST = new AtomicLong();

    /**
     * Returns the store of a user with this environment. By the XDG rules a relative path in the variable is ignored, and so is one in
     * {@code HOME}, in whose place the home directory that the JVM reports is used; without any, the store is in a temporary directory.
     */
    public static RunStore of(Map<String, String> environment) {
        Path base = absolute(environment.getOrDefault("XDG_STATE_HOME", ""));
        if (base == null) {
            Path home = absolute(environment.getOrDefault("HOME", ""));
            home = home != null ? home : absolute(System.getProperty("user.home", ""));
            home = home != null ? home : Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
            base = home.resolve(".local").resolve("state");
        }
        return new RunStore(base.resolve("brokermeter").resolve("runs"));
    }

    private static @Nullable Path absolute(String text) {
        try {
            Path path = Path.of(text);
            return path.isAbsolute() ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /**
     * Creates a new directory.
     *
     * @param name the part of its name after the time; characters that do not belong in a file name are replaced
     * @throws IOException if the directory cannot be created
     */
    public Path create(String name) throws IOException {
        PrivateFiles.directories(root);
        Instant time = Instant.ofEpochMilli(NEWEST.updateAndGet(last -> Math.max(last + 1, Clock.systemUTC().millis())));
        while (true) {
            try {
                return PrivateFiles.directory(root.resolve(TIME.format(time) + "-" + fileName(name)));
            } catch (FileAlreadyExistsException e) {
                time = time.plusMillis(1);
            }
        }
    }

    /** Converts a text to a part of a file name: letters, digits, dots, dashes and underscores. */
    public static String fileName(String text) {
        String name = text.replaceAll("[^\\p{Alnum}._-]+", "-").replaceAll("^[.-]+|-+$", "");
        return name.isEmpty() ? "run" : name.substring(0, Math.min(LONGEST_NAME, name.length()));
    }

    /** Returns the name of a directory of the store without the time in front; any other name unchanged. */
    public static String withoutTime(String name) {
        return NAME.matcher(name).matches() ? name.substring(TIME_LENGTH + 1) : name;
    }

    /** Returns the time at which a directory of the store was created, from its name. */
    public static Instant timeOf(Path directory) {
        return TIME.parse(directory.getFileName().toString().substring(0, TIME_LENGTH), Instant::from);
    }

    /** Returns every run and sweep, the newest first. */
    public List<Path> all() throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(root)) {
            return entries.filter(path -> NAME.matcher(path.getFileName().toString()).matches() && Files.isDirectory(path))
                .sorted(Comparator.<Path>naturalOrder().reversed()).toList();
        }
    }

    /** Returns whether a text is {@code last} or {@code last~N}. */
    public static boolean isLast(String text) {
        return LAST.matcher(text).matches();
    }

    /**
     * Returns the directory that is meant by {@code last}, {@code last~N} (the Nth before the last), the name of one in
     * the store, or a path.
     *
     * @param counts selects the directories that {@code last} counts
     * @param what name of those, for the message if there are none: {@code sweep}, {@code finished run}
     * @throws UsageException with one sentence, if there is no such directory
     */
    public Path find(String text, Predicate<Path> counts, String what) {
        Matcher matcher = LAST.matcher(text);
        try {
            if (matcher.matches()) {
                List<Path> all = all().stream().filter(counts).toList();
                int back = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
                if (back >= all.size()) {
                    throw new UsageException(all.isEmpty() ? "There is no " + what + " in " + root + " yet."
                        : "There is no '" + text + "': " + root + " has " + all.size() + " " + what
                            + (all.size() == 1 ? "." : "s."));
                }
                return all.get(back);
            }
        } catch (IOException e) {
            throw new UsageException(root + " cannot be read: " + e.getMessage() + ".");
        }
        Path path;
        try {
            path = Path.of(text);
        } catch (InvalidPathException e) {
            throw new UsageException("'" + text + "' is not a path.");
        }
        if (text.isBlank()) {
            throw new UsageException("Name a directory of a run, last, or last~1 for the one before it.");
        }
        if (!Files.isDirectory(path) && Files.isDirectory(root.resolve(text))) {
            path = root.resolve(text);
        }
        if (!Files.isDirectory(path)) {
            throw new UsageException("There is no run '" + text + "': name a directory of a run, last, or last~1 for the one before it.");
        }
        return path;
    }
}
