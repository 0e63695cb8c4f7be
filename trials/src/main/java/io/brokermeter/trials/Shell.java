package io.brokermeter.trials;

/** Words of a command line that a user is to type. */
final class Shell {

    private Shell() {}

    /** A path as a shell reads it, with {@code ~} for the user's home. */
    static String belowHome(String path) {
        String home = System.getenv().getOrDefault("HOME", "");
        boolean below = home.length() > 1 && path.startsWith(home + "/");
        String rest = below ? path.substring(home.length() + 1) : path;
        return (below ? "~/" : "") + (rest.isEmpty() ? "" : quoted(rest));
    }

    /** A word as it must stand there. */
    static String quoted(String word) {
        return word.matches("[\\w./+@%:=,~-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
