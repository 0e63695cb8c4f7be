package io.brokermeter.spi.parameter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.Refusal;

/**
 * The values of a driver's parameters for one connection, from the URL and from {@link ConnectionSettings#properties()}.
 * Every reading method throws {@link IllegalArgumentException} with one sentence for the user when the value does not have the
 * requested form, so {@link Driver#check} reads them all. Immutable.
 */
public final class Parameters {

    private final String protocol;
    private final Map<String, Parameter> known;
    private final Map<String, String> given;

    private Parameters(String protocol, Map<String, Parameter> known, Map<String, String> given) {
        this.protocol = protocol;
        this.known = known;
        this.given = given;
    }

    /**
     * Reads the parameters of a driver whose client library has no parameters of its own.
     *
     * @throws IllegalArgumentException for a parameter that is unknown, or given in the URL and as a property
     */
    public static Parameters of(Driver driver, ServerUrl url, ConnectionSettings settings) {
        return of(driver, url.query(), settings.properties(), Set.of());
    }

    /**
     * Reads the parameters of a driver.
     *
     * @param query the parameters of the URL
     * @param properties the properties of the connection
     * @param client the names of the client library's own parameters, which {@link #others()} returns
     * @throws IllegalArgumentException for a parameter that is unknown, or given in the URL and as a property
     */
    public static Parameters of(Driver driver, Map<String, String> query, Map<String, String> properties, Set<String> client) {
        Map<String, Parameter> known = driver.parameters().stream()
            .collect(Collectors.toMap(Parameter::name, p -> p, (a, b) -> a, LinkedHashMap::new));
        Map<String, String> given = new LinkedHashMap<>(query);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (given.put(property.getKey(), property.getValue()) != null) {
                throw new IllegalArgumentException("Parameter " + property.getKey()
                    + " is given twice, in the URL and beside it; give it once.");
            }
        }
        for (String name : given.keySet()) {
            if (!known.containsKey(name) && !client.contains(name)) {
                throw unknown(driver, name, known.keySet(), client);
            }
        }
        return new Parameters(driver.protocol(), known, given);
    }

    private static Refusal unknown(Driver driver, String name, Set<String> known, Set<String> client) {
        if (name.equals("requeue-share")) {
            return new Refusal("Protocol %s has no parameter requeue-share any more; %s gives back a share of the messages over every "
                + "protocol that can.", driver.protocol(), Setting.REQUEUE);
        }
        List<String> all = new ArrayList<>(known);
        all.addAll(client);
        String nearest = Nearest.to(name, all);
        return new Refusal("Protocol %s does not know the parameter '%s'; %s", driver.protocol(), name, nearest != null
            ? "did you mean " + nearest + "?" : "'brokermeter drivers " + driver.protocol() + "' lists what it knows.");
    }

    /** Returns whether the user gave the parameter of this name. */
    public boolean has(String name) {
        return given.containsKey(name);
    }

    /** Returns the given parameters that are those of the client library and not the driver's own. */
    public Map<String, String> others() {
        Map<String, String> others = new LinkedHashMap<>(given);
        others.keySet().removeAll(known.keySet());
        return Collections.unmodifiableMap(others);
    }

    /** Returns the value of a parameter as it was written, or the default; empty when there is neither. */
    public Optional<String> text(String name) {
        String value = given.get(name);
        if (value == null) {
            Parameter parameter = known.get(name);
            if (parameter == null) {
                throw new IllegalStateException("There is no parameter " + name + ".");
            }
            value = parameter.defaultValue();
        }
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    /** Returns the value of a boolean parameter; without a value in the URL, as in {@code ?receipts}, it is true. */
    public boolean flag(String name) {
        if ("".equals(given.get(name))) {
            return true;
        }
        String value = text(name).orElse("false");
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(name, value, "true or false");
        };
    }

    /** Returns the value of a parameter that must be a whole number from {@code least} to {@code most}. */
    public int number(String name, int least, int most) {
        return (int) number(name, least, most, most == Integer.MAX_VALUE);
    }

    /** Returns the value of a parameter that must be a whole number from {@code least} up, of at most 64 bits. */
    public long longNumber(String name, long least) {
        return number(name, least, Long.MAX_VALUE, true);
    }

    private long number(String name, long least, long most, boolean open) {
        String value = text(name).orElseThrow(() -> wrong(name, "", "a number"));
        boolean above = false;
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
            above = number > most;
        } catch (NumberFormatException e) {
            // Digits alone are refused for being too many.
            above = value.matches("\\+?[0-9]+");
        }
        throw wrong(name, value, "a whole number from " + least + (open && !above ? " up" : " to " + most));
    }

    /** Returns the value of a parameter that must be one of {@code words}. */
    public String choice(String name, String... words) {
        String value = text(name).orElse("");
        if (!List.of(words).contains(value)) {
            throw wrong(name, value, "one of " + String.join(", ", words));
        }
        return value;
    }

    private IllegalArgumentException wrong(String name, String value, String wanted) {
        return new IllegalArgumentException(
            "Parameter " + name + " of protocol " + protocol + " must be " + wanted + ", not '" + value + "'.");
    }
}
