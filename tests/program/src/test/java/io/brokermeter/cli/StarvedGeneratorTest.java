package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument.FoundDocument;
import org.junit.jupiter.api.Test;

/** A generator that shares its only processor with a busy program: its missed rate is due to its own threads, not to the broker. */
class StarvedGeneratorTest extends ToolInDirectory {

    private static final int TRIES = 3;
    /** More messages per second than a current processor can send and deliver. */
    private static final String RATE = "20000000";

    /** Returns the first processor that this process may use. */
    private static String processor() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("Cpus_allowed_list:"))
            .map(line -> line.replaceFirst(".*:\\s*(\\d+).*", "$1")).findFirst().orElseThrow();
    }

    /** The finding must appear in one of three runs, since another virtual machine may take processor time away during some of them. */
    @Test
    void aGeneratorBesideABurnerOfItsProcessorIsToldThatItsThreadsWaited() throws Exception {
        boolean pinned = Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(path -> Path.of(path, "taskset"))
            .anyMatch(Files::isExecutable);
        if (!pinned) {
            assertThat(System.getenv("CI")).as("a program 'taskset' (util-linux) must be on the PATH of a build server").isNull();
        }
        assumeTrue(pinned, "There is no program 'taskset' (util-linux) to pin the generator with.");
        List<String> pin = List.of("taskset", "-c", processor());
        // It ends by itself if this process ends before it can kill it.
        List<String> burner = new ArrayList<>(pin);
        burner.addAll(List.of("timeout", "900", "sh", "-c", "while :; do :; done"));
        List<List<FoundDocument>> seen = new ArrayList<>();
        Process burning = new ProcessBuilder(burner).start();
        try {
            for (int i = 1; i <= TRIES; i++) {
                Path out = directory.resolve("run-" + i);
                // A rate that is missed by more than half fails the run.
                tool().below(pin).run("client", "--url", "loopback://starved", "--rate", RATE, "--max-pending", "100", "--warmup", "0.5",
                    "--duration", "2.5", "--silent", "--out", out.toString()).exitsWellAtAnyRate();
                List<FoundDocument> findings = StoredResult.in(out).orElseThrow().document().findings();
                if (findings.stream().anyMatch(StarvedGeneratorTest::blamesTheProcessor)) {
                    return;
                }
                seen.add(findings);
            }
        } finally {
            // The busy shell is a child of the program timeout, and would survive a kill of that program alone.
            List<ProcessHandle> burners = burning.descendants().toList();
            burners.forEach(ProcessHandle::destroyForcibly);
            burning.destroyForcibly().waitFor();
            for (ProcessHandle each : burners) {
                each.onExit().get();
            }
        }
        assertThat(seen).as("findings of each run, one of which should say that threads waited for a processor").isEmpty();
    }

    private static boolean blamesTheProcessor(FoundDocument finding) {
        return "not-sent-in-time".equals(finding.kind()) && finding.more().get("reason") instanceof Map<?, ?> reason
            && "starved".equals(reason.get("blame"))
            && finding.sentence().contains("threads of the generator that were ready to run waited for a processor");
    }
}
