package io.brokermeter.reports.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.reports.Numbers;

/** Formats the sample of the broker in one interval as one line of the console; unknown figures are left out. */
final class BrokerLine {

    static final double MEBI = 1 << 20;

    private BrokerLine() {}

    static void append(StringBuilder b, BrokerSample s) {
        List<String> parts = new ArrayList<>();
        BrokerSample.Usage u = s.usage();
        if (Double.isFinite(u.cpuPercent())) {
            parts.add("cpu " + Numbers.fixed(u.cpuPercent(), 1) + " %");
        }
        if (u.residentBytes() >= 0) {
            parts.add("memory " + mebi(u.residentBytes()) + " MiB"
                + (Double.isFinite(u.memoryPercent()) ? " (" + Numbers.fixed(u.memoryPercent(), 1) + " %)" : ""));
        }
        count(parts, "threads ", u.threads());
        count(parts, "files ", u.openFiles());
        if (u.diskReadBytes() >= 0 && u.diskWrittenBytes() >= 0) {
            parts.add("disk read " + mebi(u.diskReadBytes() / s.seconds()) + " written " + mebi(u.diskWrittenBytes() / s.seconds())
                + " MiB/s");
        }
        if (u.voluntarySwitches() >= 0 && u.involuntarySwitches() >= 0) {
            parts.add("switches " + Numbers.fixed(u.voluntarySwitches() / s.seconds(), 0) + " + "
                + Numbers.fixed(u.involuntarySwitches() / s.seconds(), 0) + " /s");
        }
        BrokerSample.Heap h = s.heap();
        if (h.usedBytes() >= 0) {
            parts.add("heap " + mebi(h.usedBytes()) + (h.maxBytes() < 0 ? "" : " of " + mebi(h.maxBytes())) + " MiB");
        }
        if (h.gcCount() >= 0 && h.gcMillis() >= 0) {
            parts.add("gc " + h.gcCount() + " (" + h.gcMillis() + " ms)");
        }
        count(parts, "depth ", s.depth());
        for (Map.Entry<String, Double> metric : s.metrics().entrySet()) {
            parts.add(metric.getKey() + " " + Numbers.plain(metric.getValue()));
        }
        if (!parts.isEmpty()) {
            b.append("--- broker:    ").append(String.join(", ", parts)).append('\n');
        }
    }

    private static void count(List<String> parts, String name, long value) {
        if (value >= 0) {
            parts.add(name + value);
        }
    }

    static String mebi(double bytes) {
        return Numbers.fixed(bytes / MEBI, 1);
    }
}
