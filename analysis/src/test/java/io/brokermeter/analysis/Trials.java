package io.brokermeter.analysis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Directories of runs and sweeps, reduced to what comparisons read. */
final class Trials {

    private static final Instant BEGIN = Instant.parse("2026-03-01T10:00:00Z");

    private final Path root;
    private int minute;
    private String more = "";
    private String doubts = "";
    private double asked = Double.NaN;
    private double p99 = Double.NaN;
    private String scenario = scenario("1KiB", "10k");
    private String environment = "\"cpuModel\":\"a\",\"cpuCount\":8,\"clockSource\":\"tsc\",\"java\":\"25\",\"tool\":\"1\","
        + "\"schedAutogroup\":true";
    private String versions = "\"producer client\":\"x 1\",\"broker\":\"B 1.0\"";

    Trials(Path root) {
        this.root = root;
    }

    static String scenario(String size, String pending) {
        return "name: s\nproducers:\n- destinations: [queue://A]\n  maxPending: " + pending + "\n  message: {size: " + size
            + "}\nconsumers:\n- destinations: [queue://A]\nduration: 10s\n";
    }

    Trials scenario(String text) {
        scenario = text;
        return this;
    }

    Trials environment(String name, String value) {
        environment = environment.replaceAll("\"" + name + "\":(\"[^\"]*\"|[0-9]+|true|false)",
            "\"" + name + "\":" + (value.equals("false") ? value : "\"" + value + "\""));
        return this;
    }

    /** Sets further fields of the results of later runs: {@code "failover":{...},}. */
    Trials more(String json) {
        more = json;
        return this;
    }

    /** Makes later runs doubtful. */
    Trials doubtful() {
        doubts = "\"the machine was busy\"";
        return this;
    }

    /** Returns the field for {@link #more} of a broker in which at most {@code messages} messages waited. */
    static String depth(int messages) {
        return "\"broker\":{\"depthMaxMessages\":" + messages + "},";
    }

    /** Sets the asked rate of later runs, in messages a second; NaN for none. */
    Trials asked(double perSecond) {
        asked = perSecond;
        return this;
    }

    /** Sets the 99th percentile of the response times of later runs, in microseconds; NaN for one that falls with the throughput. */
    Trials p99(double micros) {
        p99 = micros;
        return this;
    }

    Trials versions(String json) {
        versions = json;
        return this;
    }

    /** Writes a run that starts a minute after the one before. */
    Path run(String name, double throughput) throws IOException {
        return write(root.resolve(name), throughput, true);
    }

    Path failed(String name) throws IOException {
        return write(root.resolve(name), 1, false);
    }

    private Path write(Path directory, double throughput, boolean success) throws IOException {
        Files.createDirectories(directory);
        Instant start = BEGIN.plusSeconds(60L * minute++);
        Files.writeString(directory.resolve("scenario.yaml"), scenario);
        Files.writeString(directory.resolve("environment.json"), "{\"time\":\"" + start + "\"," + environment + "}");
        Files.writeString(directory.resolve("result.json"), String.format(Locale.ROOT, """
            {"format":1,"name":"s",%s"start":"%s","success":%s,"signal":0,"sends":true,"receives":true,
            "messages":{"sent":1000,"measuredSent":900,"received":1000,"measuredReceived":900},
            "rates":{"measuredSentPerSecond":%f,"measuredReceivedPerSecond":%f},
            "times":{"response":{"p50Micros":200,"p99Micros":%f}},"groups":[],
            "health":{"reasons":[%s],"askedPerSecond":%s,"achievedRatio":%s},"versions":{%s}}
            """, more, start, success, throughput, throughput, Double.isNaN(p99) ? 1e7 / throughput : p99, doubts,
            Double.isNaN(asked) ? "null" : asked, Double.isNaN(asked) ? "null" : Math.min(1, throughput / asked), versions));
        return directory;
    }

    List<Path> runs(String name, double... throughputs) throws IOException {
        List<Path> all = new ArrayList<>();
        for (double throughput : throughputs) {
            all.add(run(name + all.size(), throughput));
        }
        return all;
    }

    /** Returns several runs as one argument of a command line. */
    static String together(List<Path> runs) {
        return runs.stream().map(Path::toString).collect(Collectors.joining(","));
    }

    /**
     * Writes a sweep whose rounds have every variant.
     *
     * @param variants throughputs by variant, the same number for each; NaN for a trial that failed
     */
    Path sweep(String name, Map<String, double[]> variants) throws IOException {
        Path directory = root.resolve(name);
        List<String> trials = new ArrayList<>();
        int rounds = variants.values().iterator().next().length;
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, double[]> variant : variants.entrySet()) {
                String own = String.format(Locale.ROOT, "%03d", trials.size() + 1);
                double value = variant.getValue()[round];
                write(directory.resolve("trials").resolve(own), Double.isNaN(value) ? 1 : value, !Double.isNaN(value));
                String[] point = variant.getKey().split("=");
                trials.add(String.format(Locale.ROOT, "{\"number\":%d,\"experiment\":\"s\",\"point\":{\"%s\":\"%s\"},\"round\":%d,"
                    + "\"directory\":\"%s\",\"state\":\"%s\"}", trials.size() + 1, point[0], point[1], round + 1, own,
                    Double.isNaN(value) ? "failed" : "passed"));
            }
        }
        Files.writeString(directory.resolve("sweep.json"), "{\"format\":1,\"trials\":[" + String.join(",", trials) + "]}");
        return directory;
    }

    static Map<String, double[]> variants(String first, double[] one, String second, double[] other) {
        Map<String, double[]> all = new LinkedHashMap<>();
        all.put(first, one);
        all.put(second, other);
        return all;
    }
}
