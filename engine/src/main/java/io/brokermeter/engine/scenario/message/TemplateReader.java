package io.brokermeter.engine.scenario.message;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.scenario.UsageException;

/** Splits the text of a template into its parts. For a single use by one thread. */
final class TemplateReader {

    /** The largest number of letters or digits of one placeholder. */
    private static final long MOST_LETTERS = 1 << 20;
    /** The longest text that a template may yield, in bytes. */
    private static final int MOST = 16 << 20;
    /** The limit below which the absolute values of numbers lie, so that ranges of numbers fit into a long. */
    private static final long MOST_NUMBER = 1_000_000_000_000_000_000L;
    private static final String KNOWN = "counter, int, float, text, hex, uuid, time, millis, choice and producer";

    private final String text;
    private final String origin;
    private final List<TemplatePart> parts = new ArrayList<>();
    /** The offset at which the current placeholder begins. */
    private int position;

    /** @param origin origin of the text, for messages to the user */
    TemplateReader(String text, String origin) {
        this.text = text;
        this.origin = origin;
    }

    /**
     * Returns the parts of the text.
     *
     * @throws UsageException with one sentence that names the template, the line and the column
     */
    List<TemplatePart> read() {
        int from = 0;
        int open;
        while ((open = text.indexOf("{{", from)) >= 0) {
            while (text.startsWith("{{{", open)) {
                // A JSON object may begin directly before a placeholder.
                open++;
            }
            literal(text.substring(from, open));
            position = open;
            int close = text.indexOf("}}", open);
            int line = text.indexOf('\n', open);
            if (close < 0 || line >= 0 && line < close) {
                throw wrong("{{ is not closed by }} in its line");
            }
            parts.add(placeholder(text.substring(open + 2, close)));
            from = close + 2;
        }
        literal(text.substring(from));
        long longest = parts.stream().mapToLong(TemplatePart::longest).sum();
        if (longest > MOST) {
            throw new UsageException("Template " + origin + " makes texts of up to " + longest
                + " bytes, which are more than 16 MiB.");
        }
        return List.copyOf(parts);
    }

    private void literal(String part) {
        if (!part.isEmpty()) {
            parts.add(new TemplatePart.Literal(part));
        }
    }

    private TemplatePart placeholder(String inside) {
        int colon = inside.indexOf(':');
        String name = (colon < 0 ? inside : inside.substring(0, colon)).strip();
        String argument = colon < 0 ? "" : inside.substring(colon + 1);
        return switch (name) {
            case "counter" -> counter(argument);
            case "int" -> whole(argument);
            case "float" -> decimal(argument);
            case "text" -> new TemplatePart.Letters(letters(argument, "text:16"));
            case "hex" -> new TemplatePart.Hex(letters(argument, "hex:8"));
            case "uuid" -> alone(name, argument, new TemplatePart.Uuid());
            case "time" -> alone(name, argument, new TemplatePart.Time());
            case "millis" -> alone(name, argument, new TemplatePart.Millis());
            case "producer" -> alone(name, argument, new TemplatePart.Producer());
            case "choice" -> choice(argument);
            default -> throw wrong("{{" + inside + "}} is not known; there are " + KNOWN);
        };
    }

    /** Reads {@code counter}, {@code counter:START} or {@code counter:START,STEP}. */
    private TemplatePart counter(String argument) {
        long start = 0;
        long step = 1;
        if (!argument.isBlank()) {
            String[] numbers = argument.split(",", -1);
            if (numbers.length > 2) {
                throw wrong("{{counter:" + argument + "}} must be like {{counter:10}} or {{counter:10,2}}");
            }
            start = wholeNumber(numbers[0]);
            step = numbers.length == 2 ? wholeNumber(numbers[1]) : 1;
        }
        return new TemplatePart.Counter(start, step);
    }

    private TemplatePart whole(String argument) {
        String[] bounds = range(argument, "int:1..100");
        long least = wholeNumber(bounds[0]);
        long most = wholeNumber(bounds[1]);
        inOrder(least <= most, "int", argument);
        return new TemplatePart.Whole(least, most);
    }

    /** Reads {@code float:A..B}, with as many decimals as the bounds have, but at least two, or {@code float:A..B,DECIMALS}. */
    private TemplatePart decimal(String argument) {
        int comma = argument.indexOf(',');
        String[] bounds = range(comma < 0 ? argument : argument.substring(0, comma), "float:0..9.99");
        int decimals = Math.max(2, Math.max(decimals(bounds[0]), decimals(bounds[1])));
        if (comma >= 0) {
            long asked = wholeNumber(argument.substring(comma + 1));
            if (asked < 1 || asked > 9 || asked < decimals(bounds[0]) || asked < decimals(bounds[1])) {
                throw wrong("{{float:" + argument + "}} must have from 1 to 9 decimals, and no fewer than its bounds");
            }
            decimals = (int) asked;
        }
        long least = scaled(bounds[0], decimals);
        long most = scaled(bounds[1], decimals);
        inOrder(least <= most, "float", argument);
        return new TemplatePart.Decimal(least, most, decimals);
    }

    private TemplatePart choice(String argument) {
        if (argument.isEmpty()) {
            throw wrong("{{choice}} needs something to choose from, like {{choice:red|green|blue}}");
        }
        return new TemplatePart.Choice(List.of(argument.split("\\|", -1)));
    }

    private TemplatePart alone(String name, String argument, TemplatePart part) {
        if (!argument.isBlank()) {
            throw wrong("{{" + name + "}} takes nothing after a colon, not '" + argument + "'");
        }
        return part;
    }

    private void inOrder(boolean ordered, String name, String argument) {
        if (!ordered) {
            throw wrong("the range of {{" + name + ":" + argument + "}} goes backwards");
        }
    }

    private int letters(String argument, String example) {
        long count = argument.isBlank() ? 0 : wholeNumber(argument);
        if (count < 1 || count > MOST_LETTERS) {
            throw wrong("{{" + example.substring(0, example.indexOf(':')) + "}} needs a number from 1 to 1048576, like {{"
                + example + "}}");
        }
        return (int) count;
    }

    private String[] range(String argument, String example) {
        int dots = argument.indexOf("..");
        if (dots < 0) {
            throw wrong("{{" + example.substring(0, example.indexOf(':')) + "}} needs a range, like {{" + example + "}}");
        }
        return new String[] {argument.substring(0, dots).strip(), argument.substring(dots + 2).strip()};
    }

    private long wholeNumber(String number) {
        return scaled(number.strip(), 0);
    }

    private static int decimals(String number) {
        int point = number.indexOf('.');
        return point < 0 ? 0 : number.length() - point - 1;
    }

    /** Returns a number times 10 to the power of {@code decimals}. */
    private long scaled(String number, int decimals) {
        try {
            long value = new BigDecimal(number).movePointRight(decimals).longValueExact();
            if (Math.abs(value) < MOST_NUMBER) {
                return value;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // the exception below covers it
        }
        throw wrong("'" + number + "' is not a " + (decimals == 0 ? "whole " : "") + "number that fits");
    }

    private UsageException wrong(String what) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < position; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                column = 1;
            } else {
                column++;
            }
        }
        return new UsageException("In template " + origin + ", line " + line + ", column " + column + ": " + what + ".");
    }
}
