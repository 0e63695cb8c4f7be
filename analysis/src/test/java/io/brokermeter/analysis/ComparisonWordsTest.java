package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The words and the numbers around a verdict. */
class ComparisonWordsTest {

    @TempDir
    Path directory;
    private Trials trials;

    @BeforeEach
    void begin() {
        trials = new Trials(directory);
    }

    private static Comparison compared(double least, ComparedFigure figure, List<Path> first, List<Path> second) {
        List<String> words = List.of(together(first), together(second));
        return SideReader.compared(words, name -> List.of(Path.of(name)),
            new Comparison.Question(List.of(figure), List.of(), least, 0.95, Set.of())).getFirst();
    }

    private static String together(List<Path> runs) {
        return runs.stream().map(Path::toString).collect(Collectors.joining(","));
    }

    private List<Path> depths(String name, int... messages) throws IOException {
        List<Path> runs = new ArrayList<>();
        for (int depth : messages) {
            runs.add(trials.more("\"broker\":{\"depthMaxMessages\":" + depth + "},").run(name + runs.size(), 10_000));
        }
        return runs;
    }

    @Test
    void aFigureWithoutARatioHasNoneInTheTable() throws IOException {
        Comparison comparison = compared(0.03, ComparedFigure.of("broker.depthMax"), depths("a", 100, 100, 100, 100, 100, 0),
            depths("b", 105, 105, 105, 105, 105, 105));
        assertThat(ComparisonText.text(List.of(comparison), 0)).containsPattern("most waiting +100 +105 +n/a +6 each +no ratio\n");
    }
}
