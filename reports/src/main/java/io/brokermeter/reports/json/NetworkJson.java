package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.document.ResultDocument;
import org.jspecify.annotations.Nullable;

/** Makes the document of the network conditions between clients and broker. */
final class NetworkJson {

    private NetworkJson() {}

    /** Returns null for a run that set up no conditions. */
    static ResultDocument.@Nullable Network of(RunResult r) {
        NetworkFigures network = r.network();
        return network == null ? null : new ResultDocument.Network(network.way(), network.why(), network.rules(),
            packets(network, network.passed()), packets(network, network.lost()), packets(network, network.dropped()),
            rounded(network.cpuSeconds(), 3), rounded(network.cpuPercent(), 4));
    }

    private static double packets(NetworkFigures network, long count) {
        return network.passed() < 0 ? Double.NaN : count;
    }
}
