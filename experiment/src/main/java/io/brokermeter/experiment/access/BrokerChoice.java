package io.brokermeter.experiment.access;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;

/**
 * The broker that is started for a trial. Trials with equal choices may share a broker where {@link #fresh} permits it. Immutable.
 *
 * @param name name and version of the broker
 * @param options options with which the broker is started; from a scenario file without a directory
 * @param fresh how long it lives
 * @param warmup how long it serves unmeasured trials before the first one that counts; zero for not at all
 */
public record BrokerChoice(BrokerName name, BrokerOptions options, Fresh fresh, Duration warmup) {

    /** The lifetime of a broker. */
    public enum Fresh {
        /** Each trial has a broker of its own. */
        TRIAL,
        /** A broker is kept as long as the next trial has an equal choice. */
        SWEEP
    }

    /** Creates the choice of a broker with its defaults, a new one for each trial. */
    public static BrokerChoice of(BrokerName name) {
        return of(name, BrokerOptions.defaults());
    }

    /** Creates the choice of a broker with these options, a new one for each trial. */
    public static BrokerChoice of(BrokerName name, BrokerOptions options) {
        return new BrokerChoice(name, options, Fresh.TRIAL, Duration.ZERO);
    }

    /** Returns the names of the broker's own settings whose values the files of a run do not keep. */
    public List<String> hidden() {
        return options.properties().entrySet().stream().filter(property -> Redaction.isMask(property.getValue())).map(Map.Entry::getKey)
            .toList();
    }

    /** Returns the choice in a few words, without passwords: {@code rocketmq:5.5.0, heap 2g}. */
    @Override
    public String toString() {
        return Stream.concat(Stream.of(name.toString()), options.words().stream()).collect(Collectors.joining(", "));
    }
}
