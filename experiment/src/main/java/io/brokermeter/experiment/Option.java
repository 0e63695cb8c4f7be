package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.brokermeter.spi.Setting;
import org.jspecify.annotations.Nullable;

/**
 * An option of the commands. Its environment variable follows from its names.
 *
 * @param path of the key that it sets, empty for none
 * @param heading it stands below in the help
 * @param order its place there
 * @param names all of them; the first long one is its name in sentences
 * @param label of its value in the help
 * @param otherwise the text that holds without it, or null for none
 * @param doc what it means, as the help says it
 * @param where which commands have it
 */
public record Option(
        String path, String heading, int order, List<String> names, Reading reading, String label, @Nullable String otherwise,
        String doc, Where where) {

    private static final Set<String> OF_CONNECTION = Set.of("protocol", "url", "user", "passwordFile", "clientId", "connectTimeout",
        "properties", "broker.name");

    /** Among the commands to which the key makes sense. */
    public enum Where {
        ALL,
        /** One that runs a load, not one that only starts a broker. */
        RUNS,
        /** One that receives only. */
        LONE,
        /** One that sends and receives. */
        PAIRED
    }

    /** One that all commands have and that has no place yet, of names with blanks between them. */
    Option(int order, String names, Reading reading, String label, @Nullable String otherwise, String doc) {
        this("", "", order, List.of(names.split(" ")), reading, label, otherwise, doc, Where.ALL);
    }

    /** Every one, in the order of the keys, then those without a key. */
    public static List<Option> all() {
        List<Option> all = new ArrayList<>();
        KeyTable.sections().forEach((path, section) -> section.keys().forEach(key -> {
            String full = path.isEmpty() ? key.name() : path + "." + key.name();
            key.options().forEach(option -> all.add(option.at(full, heading(full))));
        }));
        KeyTable.COMMANDS.forEach((heading, keys) -> keys.forEach(key -> all.add(key.options().getFirst().at("", heading))));
        return all;
    }

    /** The option that says what a setting says. */
    public static String of(Setting setting) {
        String alone = "--" + setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
        return all().stream().filter(option -> setting.path().isEmpty() ? option.names.contains(alone)
            : option.path.equals(setting.path())).findFirst().map(Option::name)
            .orElseThrow(() -> new IllegalArgumentException(setting + " has no option"));
    }

    /** How sentences about a file name a setting: by its key, or by its option where no file has it. */
    public static String inFile(Setting setting) {
        return setting.path().isEmpty() ? of(setting) : setting.key();
    }

    private static String heading(String path) {
        String section = path.substring(0, Math.max(0, path.indexOf('.')));
        String own = path.substring(path.indexOf('.') + 1);
        if (own.equals("network")) {
            return "Network";
        }
        if (OF_CONNECTION.contains(path)) {
            return "Connection";
        }
        if (own.equals("on")) {
            return "Agents";
        }
        return switch (section) {
            case "agents" -> "Agents";
            case "producers" -> own.startsWith("request") ? "Requests and replies" : own.equals("commitInterval") ? "Transactions" : "Load";
            case "load" -> "Load";
            case "message" -> "Messages";
            case "consumers" -> OF_CONNECTION.contains(own) ? "Connection of the consumers" : "Consumers";
            case "broker" -> "Throwaway broker";
            case "destinations" -> "Destinations";
            default -> switch (own) {
                case "pacing", "realtime", "seed" -> "Load";
                case "interval", "labels" -> "Output";
                case "faults" -> "Faults";
                default -> "Duration and end";
            };
        };
    }

    /** Its name in sentences. */
    public String name() {
        return names.stream().filter(name -> name.startsWith("--")).findFirst().orElseThrow();
    }

    private Option at(String key, String group) {
        return new Option(key, group, order, names, reading, label, otherwise, doc, where);
    }

    Option help(String text) {
        return new Option(path, heading, order, names, reading, label, otherwise,
            text.contains("Default: ") ? text : text + " Default: ${DEFAULT-VALUE}.", where);
    }

    Option only(Where commands) {
        return new Option(path, heading, order, names, reading, label, otherwise, doc, commands);
    }
}
