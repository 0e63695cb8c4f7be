package io.brokermeter.engine.scenario.message;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/** The content of bodies. */
public sealed interface Content {

    /** Bytes that no compressor can reduce. */
    record Random() implements Content {}

    /**
     * Bytes that a compressor can reduce.
     *
     * @param share share of the bytes that repeat, above 0 and at most 1
     */
    record Compressible(double share) implements Content {

        public Compressible {
            if (!(share > 0) || share > 1) {
                throw new UsageException("The compressible share of a body is above 0% and at most 100%.");
            }
        }
    }

    /** The same byte throughout. */
    record Constant(byte value) implements Content {}

    /** The whole file as every body. */
    record WholeFile(Path file) implements Content {}

    /** The lines of a file as bodies, in turn, from the beginning again after the last one. */
    record Lines(Path file) implements Content {}

    /**
     * A text with placeholders from which every body is made. The constructor refuses a text with a mistake with a
     * {@link UsageException} that names the template, the line and the column.
     *
     * @param text the text
     * @param origin origin of the text, for messages to the user
     * @param file the file from which the text was read, or null
     */
    record Template(String text, String origin, @Nullable Path file) implements Content {

        /** The longest text, in bytes. */
        private static final int MOST = 1 << 20;

        public Template {
            if (text.isEmpty()) {
                throw new UsageException("Template " + origin + " is empty.");
            }
            new TemplateReader(text, origin).read();
        }

        /** Creates a template whose text stands in the scenario itself. */
        public Template(String text, String origin) {
            this(text, origin, null);
        }

        /** Returns the parts of the text, in order. */
        public List<TemplatePart> parts() {
            return new TemplateReader(text, origin).read();
        }
    }

    /** Reads content like {@link #parse(String, Path)}, with paths relative to the working directory. */
    static Content parse(String text) {
        return parse(text, Path.of(""));
    }

    /**
     * Reads {@code random}, {@code compressible:50%}, {@code constant:x} (that character) or {@code constant:0} (that byte, 0 to
     * 255), {@code file:PATH}, {@code lines:PATH}, {@code template:PATH}, or a template itself: {@code json:{...}} or
     * {@code text:...}. The text of a template is read here, without the line break at its end; other files are read when the
     * run is planned.
     *
     * @param base the directory that relative paths start from
     * @throws UsageException with one sentence that names the wrong part or the right forms
     */
    static Content parse(String text, Path base) {
        int colon = text.indexOf(':');
        String kind = (colon < 0 ? text : text.substring(0, colon)).strip().toLowerCase(Locale.ROOT);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        if (kind.equals("random") && colon < 0) {
            return new Random();
        }
        if (colon < 0) {
            throw unknown(text);
        }
        return switch (kind) {
            case "compressible" -> new Compressible(Units.share(rest));
            case "constant" -> new Constant(constant(rest));
            case "file" -> new WholeFile(path(base, rest));
            case "lines" -> new Lines(path(base, rest));
            case "template" -> template(path(base, rest));
            case "json" -> {
                String json = rest.strip();
                if (!json.startsWith("{") && !json.startsWith("[")) {
                    throw new UsageException("The JSON of '" + text + "' must begin with { or [; a template in a file is "
                        + "template:PATH.");
                }
                yield new Template(json, inline(json));
            }
            case "text" -> new Template(rest, inline(rest));
            default -> throw unknown(text);
        };
    }

    /** Returns whether a text that {@link #parse(String, Path)} reads stands for content that is {@link #verbatim()}, without reading its file. */
    static boolean isVerbatim(String text) {
        int colon = text.indexOf(':');
        return colon >= 0 && List.of("file", "lines", "template", "json", "text")
            .contains(text.substring(0, colon).strip().toLowerCase(Locale.ROOT));
    }

    private static String inline(String text) {
        String line = text.lines().findFirst().orElse("");
        return "'" + (line.length() > 30 ? line.substring(0, 30) + "..." : line) + "'";
    }

    private static UsageException unknown(String text) {
        return new UsageException("Content '" + text + "' must be random, or begin with compressible:, constant:, file:, "
            + "lines:, template:, json: or text:.");
    }

    private static Path path(Path base, String text) {
        if (text.isBlank()) {
            throw new UsageException("The content of bodies needs the path of a file, like lines:events.log.");
        }
        try {
            return base.resolve(text.strip());
        } catch (InvalidPathException e) {
            throw new UsageException("'" + text + "' is not the path of a file.");
        }
    }

    private static byte constant(String text) {
        String value = text.strip();
        if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9') && value.length() <= 3
            && Integer.parseInt(value) < 256) {
            return (byte) Integer.parseInt(value);
        }
        if (value.length() == 1 && value.charAt(0) < 128) {
            return (byte) value.charAt(0);
        }
        throw new UsageException("Content 'constant:" + text + "' must be one ASCII character or a byte from 0 to 255, like "
            + "constant:x or constant:0.");
    }

    private static Template template(Path file) {
        String text;
        try {
            if (!Files.exists(file)) {
                throw new UsageException("Template " + file + " does not exist.");
            }
            text = BoundedText.read(file, Template.MOST);
        } catch (BoundedText.TooLong e) {
            throw new UsageException("Template " + file + " is larger than 1 MiB.");
        } catch (CharacterCodingException e) {
            throw new UsageException("Template " + file + " is not a text in UTF-8.");
        } catch (IOException e) {
            throw new UsageException("Template " + file + " cannot be read: " + e.getMessage() + ".");
        }
        int end = text.endsWith("\r\n") ? text.length() - 2 : text.endsWith("\n") ? text.length() - 1 : text.length();
        return new Template(text.substring(0, end), file.toString(), file);
    }

    /** Returns whether the content determines the whole body, so that the envelope must travel beside it. */
    default boolean verbatim() {
        return this instanceof WholeFile || this instanceof Lines || this instanceof Template;
    }
}
