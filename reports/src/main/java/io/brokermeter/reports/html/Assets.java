package io.brokermeter.reports.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * The scripts and the style of a page, and the encodings in which it contains them. uPlot is included as its authors published it, with
 * its licence.
 */
public final class Assets {

    private static final Pattern COLOUR = Pattern.compile("--(\\w+): ([^;]+);");

    private Assets() {}

    /** Returns the style of uPlot followed by that of brokermeter. */
    static String style() {
        return read("uPlot.min.css") + "\n" + read("page.css");
    }

    /** Returns the style of a page without scripts, which is dark where the reader's system is. */
    static String stillStyle() {
        String style = read("page.css");
        int dark = style.indexOf(":root.dark {");
        String values = style.substring(dark, style.indexOf('}', dark) + 1).replace(":root.dark", ":root");
        return style + "@media screen and (prefers-color-scheme: dark) { " + values + " }\n";
    }

    /** Returns the colours of the page in light mode, as its style writes them, by the names of their variables: {@code c0}. */
    public static Map<String, String> lightColours() {
        String style = read("page.css");
        String values = style.substring(style.indexOf(":root {"), style.indexOf('}'));
        return COLOUR.matcher(values).results().collect(Collectors.toUnmodifiableMap(one -> one.group(1), one -> one.group(2)));
    }

    /** Returns uPlot with its licence, followed by brokermeter's scripts; the text does not contain the end tag of its element. */
    static String script() {
        String script = "/* uPlot 1.6.32\n" + read("uPlot.LICENSE") + "*/\n" + read("uPlot.iife.min.js") + "\n" + read("charts.js") + "\n"
            + read("page.js");
        if (script.contains("</script")) {
            throw new IllegalStateException("A script would end its element");
        }
        return script;
    }

    /** Returns the script that a page has in addition while its run goes on. */
    static String live() {
        return read("live.js");
    }

    private static String read(String name) {
        try (InputStream in = Assets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("There is no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the hash of a script, as a content security policy states it. */
    static String sha256(String text) {
        try {
            return "sha256-"
                + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Compresses a text by Deflate (RFC 1951) and encodes it in Base64, as {@code page.js} decodes it. */
    static String packed(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            deflater.end();
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
