package io.brokermeter.trials.network;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.network.NetworkProcess;
import org.jspecify.annotations.Nullable;

/** A watch of a broker that also reports the network in front of it. */
final class NetworkWatch implements BrokerWatch {

    /** Computes the figures of the network. */
    interface Figures {

        /** @param percent NaN when it is unknown */
        NetworkFigures of(double cpuSeconds, double percent);
    }

    private final BrokerWatch broker;
    private final NetworkProcess network;
    private final Figures figures;
    private final Supplier<@Nullable String> trouble;
    private @Nullable String sentence;
    private boolean hasBegun;
    private long begunAt;
    private long begunCpu;
    private long endedAt;
    private long endedCpu;
    private boolean goneSaid;

    /** @param trouble returns a sentence about connections that bypass the network, or null; called at the end of the measured part */
    NetworkWatch(BrokerWatch broker, NetworkProcess network, Figures figures, Supplier<@Nullable String> trouble, String sentence) {
        this.broker = broker;
        this.network = network;
        this.figures = figures;
        this.trouble = trouble;
        this.sentence = sentence;
    }

    @Override
    public String describe() {
        return broker.describe();
    }

    @Override
    public void begin() {
        broker.begin();
        hasBegun = true;
        begunAt = System.nanoTime();
        begunCpu = network.cpu().toNanos();
    }

    @Override
    public @Nullable BrokerSample sample() {
        return broker.sample();
    }

    @Override
    public BrokerFigures end() {
        endedAt = System.nanoTime();
        endedCpu = network.cpu().toNanos();
        sentence = trouble.get();
        return broker.end();
    }

    @Override
    public NetworkFigures network() {
        double seconds = (endedAt - begunAt) / 1e9;
        // A run that ended in its warm-up has no measured part.
        double cpu = hasBegun ? (endedCpu - begunCpu) / 1e9 : Double.NaN;
        return figures.of(cpu, hasBegun && seconds > 0 ? 100 * cpu / seconds : Double.NaN);
    }

    @Override
    public List<String> notices() {
        List<String> all = new ArrayList<>();
        if (sentence != null) {
            all.add(sentence);
            sentence = null;
        }
        if (!goneSaid && network.isLost()) {
            goneSaid = true;
            all.add("The process that hands over what passes the network, pid " + network.pid()
                + ", has ended, and with it all connections through it.");
        }
        all.addAll(broker.notices());
        return all;
    }

    @Override
    public List<String> unseen() {
        return broker.unseen();
    }

    @Override
    public void close() {
        broker.close();
    }
}
