package io.brokermeter.trials.network;

import java.util.List;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.trials.agents.Passage;
import org.jspecify.annotations.Nullable;

/**
 * A watch that looks, at the end of the measured part, for connections of this process that bypass a passage. It does not observe the
 * broker.
 */
public final class BypassCheck implements BrokerWatch {

    private final Passage passage;
    private @Nullable String trouble;

    public BypassCheck(Passage passage) {
        this.passage = passage;
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
        trouble = passage.trouble();
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
