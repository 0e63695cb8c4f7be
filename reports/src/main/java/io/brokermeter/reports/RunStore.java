package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;

/**
 * Where runs and sweeps leave their files when nobody says otherwise: {@code $XDG_STATE_HOME/brokermeter/runs}, by default
 * below {@code ~/.local/state}. The names of the directories begin with their time (UTC), so that the order of names is
 * that of time.
 *
 * @param root the directory of all of them; need not exist
 */
public record RunStore(Path root) {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final Pattern NAME = Pattern.compile("\\d{8}T\\d{6}\\.\\d{3}Z-.+");
    private static final Pattern LAST = Pattern.compile("last(?:~(\\d{1,6}))?");
    private static final int LONGEST_NAME = 60;

    /** The store of a user with this environment. The XDG rules: a relative path in the variable counts for nothing. */
    public static RunStore of(Map<String, String> environment) {
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        Path base = state.startsWith("/") ? Path.of(state)
                : Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".local", "state");
        return new RunStore(base.resolve("brokermeter").resolve("runs"));
    }

    /**
     * Creates a directory that nobody had before.
     *
     * @param name what is behind the time in its name; signs that do not belong into a file's name are replaced
     * @throws IOException when it cannot be created
     */
    public Path create(String name) throws IOException {
        Files.createDirectories(root);
        Instant time = Clock.systemUTC().instant();
        while (true) {
            try {
                return Files.createDirectory(root.resolve(TIME.format(time) + "-" + fileName(name)));
            } catch (FileAlreadyExistsException e) {
                time = time.plusMillis(1);
            }
        }
    }

    /** A text as a part of a file's name: letters, digits, dots, dashes and underscores. */
    public static String fileName(String text) {
        String name = text.replaceAll("[^\\p{Alnum}._-]+", "-").replaceAll("^[.-]+|-+$", "");
        return name.isEmpty() ? "run" : name.substring(0, Math.min(LONGEST_NAME, name.length()));
    }

    /** Every run and sweep, the newest first. */
    public List<Path> all() throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(root)) {
            return entries.filter(path -> NAME.matcher(path.getFileName().toString()).matches() && Files.isDirectory(path))
                    .sorted(Comparator.<Path>naturalOrder().reversed()).toList();
        }
    }

    /**
     * The directory that is meant by {@code last}, {@code last~N} (the Nth before the last), the name of one in the store,
     * or a path.
     *
     * @throws UsageException with one sentence, when there is none
     */
    public Path find(String text) {
        Matcher matcher = LAST.matcher(text);
        try {
            if (matcher.matches()) {
                List<Path> all = all();
                int back = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
                if (back >= all.size()) {
                    throw new UsageException(all.isEmpty() ? "There is no run in " + root + " yet."
                            : "There is no '" + text + "': " + root + " has " + all.size() + (all.size() == 1 ? " run." : " runs."));
                }
                return all.get(back);
            }
        } catch (IOException e) {
            throw new UsageException(root + " cannot be read: " + e.getMessage() + ".");
        }
        Path path = Path.of(text);
        if (!Files.isDirectory(path) && Files.isDirectory(root.resolve(text))) {
            path = root.resolve(text);
        }
        if (!Files.isDirectory(path)) {
            throw new UsageException("There is no run '" + text + "': name a directory of a run, last, or last~1 for the one before it.");
        }
        return path;
    }
}
