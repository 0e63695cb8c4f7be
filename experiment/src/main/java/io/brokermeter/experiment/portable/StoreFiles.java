package io.brokermeter.experiment.portable;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.spi.parameter.StoreParameter;

/** Replaces the files with certificates and keys that an access to a broker names, in its URL and in its other parameters. */
public final class StoreFiles {

    /** The ends of a parameter's value for whichever driver reads the URL. */
    private static final String END = "\\z|[&)#]|,[A-Za-z][A-Za-z0-9+.-]*://";

    private static final Pattern PARAMETER =
        Pattern.compile("(?<=[?&;,(])([^=&?;,()#]+)=((?:(?!" + END + ")[^?])*+)(?=" + END + ")");

    private StoreFiles() {}

    /**
     * Returns a URL with other values in place of the files that it names. A value whose end differs between drivers stays as it is.
     *
     * @param stores parameters that name files
     * @param change returns another value for the name and the value of a parameter, both without the URL's escapes
     */
    public static String url(String url, Collection<StoreParameter> stores, BinaryOperator<String> change) {
        return PARAMETER.matcher(url).replaceAll(match -> {
            String name = decoded(match.group(1));
            return Matcher.quoteReplacement(isStore(name, stores)
                ? match.group(1) + "=" + encoded(change.apply(name, decoded(match.group(2)))) : match.group());
        });
    }

    /** Returns parameters with other values in place of the files that they name. */
    public static Map<String, String> properties(Map<String, String> properties, Collection<StoreParameter> stores,
            BinaryOperator<String> change) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.replaceAll((name, value) -> isStore(name, stores) ? change.apply(name, value) : value);
        return all;
    }

    static boolean isStore(String name, Collection<StoreParameter> stores) {
        return stores.stream().anyMatch(store -> store.name().equals(name));
    }

    /** Returns a text without the escapes of a URL, as drivers decode it; unchanged where it has invalid escapes. */
    static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("%2F", "/");
    }
}
