package io.brokermeter.trials;

/** Quotes words of command lines that users are to type. */
public final class Shell {

    private Shell() {}

    /** Returns a path as a shell reads it, with {@code ~} for the user's home. */
    public static String belowHome(String path) {
        String home = System.getenv().getOrDefault("HOME", "");
        boolean below = home.length() > 1 && path.startsWith(home + "/");
        String rest = below ? path.substring(home.length() + 1) : path;
        return (below ? "~/" : "") + (rest.isEmpty() ? "" : quoted(rest));
    }

    /** Returns a word as a shell reads it, quoted if that is necessary. */
    public static String quoted(String word) {
        return word.matches("[\\w./+@%:=,~-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
