package io.brokermeter.spi.parameter;

import java.util.Collection;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** Finds the name that a misspelt name was probably meant to be. */
public final class Nearest {

    private Nearest() {}

    /** Returns the candidate nearest to {@code name} in spelling, the shortest of those that begin with it; null when none is near. */
    public static @Nullable String to(String name, Collection<String> candidates) {
        String wanted = plain(name);
        String best = null;
        int least = Math.max(2, wanted.length() / 3) + 1;
        for (String candidate : candidates) {
            String other = plain(candidate);
            boolean begun = wanted.length() >= 3 && !other.equals(wanted)
                && (other.startsWith(wanted) || wanted.startsWith(other) && other.length() >= 4);
            int distance = begun ? 1 : distance(wanted, other);
            boolean shorter = begun && distance == least && best != null && candidate.length() < best.length();
            if ((distance < least || shorter) && distance < Math.max(wanted.length(), other.length())) {
                least = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replace("brokermeter_", "").replace("-", "").replace("_", "");
    }

    /** Returns the number of insertions, deletions, replacements and swaps of neighbouring letters between two words. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + same);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
