package io.brokermeter.engine.run.judge;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Drops;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Scenario;

/** Finds the settings of a scenario that let a broker drop messages, which explain why some did not come. */
public final class DropSettings {

    /** The names of parameters of queues that bound how long, how many or how often; drivers and brokers have them under such names. */
    private static final Pattern BOUND = Pattern.compile(
        "(?i)ttl|max-?length|max-?age|max-?msgs|max-?bytes|delivery-?limit|delivery\\.count|retention|overflow");
    private static final Pattern PARAMETER = Pattern.compile("(?<=[?&;,(=])([^=&?;,()]+)=([^&;,)]*)");

    private DropSettings() {}

    /** @param requeued number of messages that consumers gave back */
    public static Drops of(Scenario scenario, long requeued) {
        long ttl =
            scenario.producers().stream().mapToLong(spec -> spec.messages().ttlMillis()).filter(millis -> millis > 0).min().orElse(0);
        Set<String> bounds = new TreeSet<>();
        Stream.concat(scenario.producers().stream(), scenario.consumers().stream()).forEach(spec -> add(bounds, spec.endpoint()));
        return new Drops(ttl, requeued, String.join(", ", bounds));
    }

    private static void add(Set<String> bounds, Endpoint endpoint) {
        Matcher parameter = PARAMETER.matcher(endpoint.settings().url());
        while (parameter.find()) {
            add(bounds, parameter.group(1), parameter.group(2));
        }
        for (Map.Entry<String, String> property : endpoint.settings().properties().entrySet()) {
            add(bounds, property.getKey(), property.getValue());
        }
    }

    private static void add(Set<String> bounds, String name, String value) {
        if (BOUND.matcher(name).find()) {
            bounds.add(name + "=" + value);
        } else if (BOUND.matcher(value).find() && value.contains("=")) {
            // A parameter whose value is a list of settings, such as Kafka's topic-config.
            bounds.add(value);
        }
    }
}
