package io.brokermeter.trials.worker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.agents.SentEndpoint;

/**
 * The order to a worker: one line of JSON on its standard input, which no process list and no file shows.
 *
 * @param directory directory of the run's files, whose {@code scenario.yaml} says what to run
 * @param id name of the run
 * @param suffix text that is appended to the name of each destination
 * @param ways the endpoint of each group, by its {@linkplain Workload.Group#key key}
 * @param pids process ids of the broker, empty when they are to be found by its URLs
 * @param watching how the broker is observed
 */
public record WorkerOrder(
        String directory, String id, String suffix, Map<String, SentEndpoint> ways, List<Long> pids, ObservationRequest watching) {

    String json() {
        return RecordJson.text(this);
    }

    /** @throws IllegalArgumentException when the text is no order */
    static WorkerOrder read(String json) {
        return RecordJson.read(WorkerOrder.class, json);
    }

    /** Returns the directory of the run's files. */
    Path path() {
        return Path.of(directory);
    }
}
