package io.brokermeter.trials;

import java.nio.file.Path;

import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;

/** A scenario file over the loopback broker, whose producer sends one message. */
public final class LoopbackFile {

    private LoopbackFile() {}

    /**
     * Returns the experiment of the file.
     *
     * @param directory directory to which paths in the file are relative
     * @param more further lines of the file
     */
    public static Experiment read(Path directory, String... more) {
        return ScenarioFile.read("""
            name: t
            protocol: LOOPBACK
            url: loopback://b
            destinations: queue://Q
            producers: 1
            load: {messages: 1}
            """ + String.join("\n", more), "test", directory, Changes.NONE);
    }
}
