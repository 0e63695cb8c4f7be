package io.brokermeter.reports.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** The scripts and the style of a page, and the forms in which it holds them. uPlot stands as its authors published it, with its licence. */
final class Assets {

    private Assets() {}

    /** The style of uPlot and ours. */
    static String style() {
        return read("uPlot.min.css") + "\n" + read("page.css");
    }

    /** uPlot with its licence, then ours; nothing in it ends the element. */
    static String script() {
        String script = "/* uPlot 1.6.32\n" + read("uPlot.LICENSE") + "*/\n" + read("uPlot.iife.min.js") + "\n" + read("charts.js") + "\n"
            + read("page.js");
        if (script.contains("</script")) {
            throw new IllegalStateException("A script would end its element");
        }
        return script;
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

    /** As a content security policy names a script. */
    static String sha256(String text) {
        try {
            return "sha256-"
                + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Deflated (RFC 1951) and in Base64, as {@code page.js} unpacks it. */
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
