package io.brokermeter.reports.html;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.brokermeter.reports.stored.StoredSweep;

/** Files of {@code window}: three trials that ran and one that did not, and the answers of both sides. */
final class MadeWindow {

    private static final String ANSWERS =
        """
            {"way":"proxy","answers":[
            {"side":"producer","protocol":"LOOPBACK","broker":null,"limit":"messages","limitWords":"60 messages",
            "rangeWords":"95 %: 58.9 to 61.2; 99 % sure","probability":0.998,
            "windowMessages":{"low":58.9,"estimate":59.94,"high":61.2,"confidence":0.95},"windowBytes":null,"overheadBytes":null,
            "governedBy":{"setting":"producer-window","place":"the client's window","before":60.0,"after":"240","perSecond":4800.0,"gain":4.0},
            "sentence":"The producer has at most 60 messages under way (95 %: 58.9 to 61.2; 99 % sure), whatever their size.",
            "rates":[{"roundTripSeconds":0.002,"size":100,"perSecond":28720.0,"explainedPerSecond":28700.0,"messagesUnderWay":60.0,"bytesUnderWay":6000.0,
            "trialNumber":1},
            {"roundTripSeconds":0.05,"size":100,"perSecond":1200.0,"explainedPerSecond":1196.0,"messagesUnderWay":60.1,"bytesUnderWay":6010.0,"trialNumber":2}],
            "curves":[{"size":100,"points":[{"roundTripSeconds":0.002,"perSecond":28700.0},{"roundTripSeconds":0.01,"perSecond":6000.0},
            {"roundTripSeconds":0.05,"perSecond":1196.0}]}],
            "changesAt":{"roundTripSeconds":0.05,"size":1024,"perSecond":1200.0},
            "tried":[{"setting":"producer-window","place":"the client's window","before":60.0,"after":"240","perSecond":4800.0,"gain":4.0}]},
            {"side":"consumer","protocol":"LOOPBACK","broker":null,"limit":"nothing","limitWords":"nothing","rangeWords":"90 % sure","windowMessages":null,
            "windowBytes":null,"governedBy":null,"sentence":"Nothing limits the consumer by its distance up to 50.0 ms.",
            "rates":[{"roundTripSeconds":0.002,"size":100,"perSecond":9000.0,"explainedPerSecond":9000.0,"messagesUnderWay":18.0,"bytesUnderWay":1800.0,
            "trialNumber":3}],"curves":[],"changesAt":{"roundTripSeconds":0.05,"size":1024,"perSecond":null},"tried":[]}]}
            """;

    private MadeWindow() {}

    static Path in(Path directory) throws Exception {
        Files.createDirectories(directory);
        StringBuilder trials = new StringBuilder();
        List<String> experiments = List.of("producer-distances", "producer-distances", "consumer-distances", "producer-change-1");
        for (int i = 0; i < experiments.size(); i++) {
            trials.append(i == 0 ? "" : ",")
                .append(String.format(Locale.ROOT, "{\"number\":%d,\"index\":%d,\"experiment\":\"%s\",\"point\":{\"message.size\":\"%d\"},"
                    + "\"round\":1,\"directory\":\"%03d\",\"state\":\"%s\",\"causes\":[]}", i + 1, i, experiments.get(i), 100 + i, i + 1,
                    i < 3 ? "passed" : "waiting"));
        }
        Files.writeString(directory.resolve(StoredSweep.SWEEP),
            "{\"format\":2,\"started\":\"2026-01-02T03:04:05Z\",\"trials\":[" + trials + "]}");
        Files.writeString(directory.resolve(StoredSweep.WINDOW), ANSWERS);
        return directory;
    }
}
