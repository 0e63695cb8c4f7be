package io.brokermeter.trials.network;

import java.util.List;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.run.connect.BrokerWatch;
import org.jspecify.annotations.Nullable;

/**
 * A watch that looks, at the end of the measured part, for connections of this process that bypass the network. It does not observe the
 * broker.
 */
public final class BypassCheck implements BrokerWatch {

    private final NetworkEntry entry;
    private @Nullable String trouble;

    public BypassCheck(NetworkEntry entry) {
        this.entry = entry;
    }

    @Override
    public String describe() {
        return "";
    }

    @Override
    public void begin() {}

    @Override
    public @Nullable BrokerSample sample() {
        return null;
    }

    @Override
    public BrokerFigures end() {
        trouble = entry.trouble();
        return BrokerFigures.UNKNOWN;
    }

    @Override
    public List<String> notices() {
        String sentence = trouble;
        trouble = null;
        return sentence == null ? List.of() : List.of(sentence);
    }

    @Override
    public void close() {}
}
