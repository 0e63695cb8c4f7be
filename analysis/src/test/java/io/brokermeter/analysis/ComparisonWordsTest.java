package io.brokermeter.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wording of verdicts, with their numbers. */
class ComparisonWordsTest {

    @TempDir
    Path directory;
    private Trials trials;

    @BeforeEach
    void begin() {
        trials = new Trials(directory);
    }

    private static Comparison compared(double least, ComparedFigure figure, List<Path> first, List<Path> second) {
        List<String> words = List.of(Trials.together(first), Trials.together(second));
        return SideReader.compared(words, name -> List.of(Path.of(name)),
            new Comparison.Question(List.of(figure), List.of(), least, false, Set.of("order"))).getFirst();
    }

    private List<Path> depths(String name, int... messages) throws IOException {
        List<Path> runs = new ArrayList<>();
        for (int depth : messages) {
            runs.add(trials.more(Trials.depth(depth)).run(name + runs.size(), 10_000));
        }
        return runs;
    }

    @Test
    void aFigureWithoutARatioHasNoneInTheTable() throws IOException {
        Comparison comparison = compared(0.03, ComparedFigure.of("broker.depthMax"), depths("a", 100, 100, 100, 100, 100, 0),
            depths("b", 105, 105, 105, 105, 105, 105));
        assertThat(ComparisonText.text(List.of(comparison), 0)).containsPattern("most waiting +100 +105 +n/a +6 each +no ratio\n");
        assertThat(ComparisonJson.text(List.of(comparison), List.of())).contains("\"observedRatio\":null");
    }

    /** A result has no percentile that would be one of too few messages. */
    @Test
    void trialsThatLackTheFigureAreSaidToLackIt() throws IOException {
        List<Path> whole = trials.p99(900).runs("a", 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000);
        List<Path> few = new ArrayList<>(whole.subList(0, 2));
        List<Path> most = new ArrayList<>(whole.subList(0, 6));
        for (int i = 0; i < 6; i++) {
            Path lacking = trials.run("lacking" + i, 10_000);
            Path result = lacking.resolve("result.json");
            Files.writeString(result, Files.readString(result).replaceFirst("\"p99Micros\":[0-9.]+", "\"p99Micros\":null"));
            few.add(lacking);
            if (i < 2) {
                most.add(lacking);
            }
        }
        List<Path> other = trials.p99(1800).runs("b", 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000);
        ComparedFigure figure = ComparedFigure.of("response.p99");
        assertThat(ComparisonWords.answer(compared(0.03, figure, few, other))).isEqualTo("Cannot tell whether B differs from A: "
            + "2 of 8 trials of A and 8 of 8 trials of B have response p99, and 6 of each are needed.");
        Comparison slower = compared(0.03, figure, most, other);
        assertThat(ComparisonWords.answer(slower)).startsWith("B is slower: response p99 is 100 % longer");
        assertThat(ComparisonWords.notes(slower))
            .contains("Only 6 of 8 trials of A and 8 of 8 trials of B have response p99; the others may differ from these.");
        assertThat(ComparisonWords.notes(compared(0.03, figure, whole, other))).noneMatch(note -> note.startsWith("Only"));
    }

    @Test
    void aRatioBesideOneIsNotRoundedToIt() {
        assertThat(ComparisonWords.ratio(0.9997)).isEqualTo("0.9997");
        assertThat(ComparisonWords.ratio(1.00003)).isEqualTo("1.00003");
        assertThat(ComparisonWords.ratio(0.99949)).isEqualTo("0.999");
        assertThat(ComparisonWords.ratio(1)).isEqualTo("1.000");
        assertThat(ComparisonWords.ratio(Math.nextUp(1.0))).isEqualTo("1.000");
    }

    @Test
    void anIntervalThatExcludesOneDoesNotReachIt() throws IOException {
        double[] even = {10_000, 10_000, 10_000, 10_000, 10_000, 10_000};
        Comparison slower = compared(0.03, ComparedFigure.THROUGHPUT, trials.runs("a", even),
            trials.runs("b", 9_240, 9_300, 9_600, 9_610, 9_800, 9_997));
        assertThat(slower.decisive().verdict()).isEqualTo(RatioVerdict.LESS);
        assertThat(ComparisonWords.answer(slower)).contains("95 % interval 0.924 to 0.9997, ");
    }

    @Test
    void aSmallDifferenceThatIsClaimedIsNotCalledEqual() throws IOException {
        double[] even = {10_000, 10_000, 10_000, 10_000, 10_000, 10_000};
        double[] less = {9_996, 9_996, 9_996, 9_996, 9_996, 9_996};
        assertThat(ComparisonWords.answer(compared(0.0002, ComparedFigure.THROUGHPUT, trials.runs("a", even), trials.runs("b", less))))
            .startsWith("B is slower: throughput is 0.04 % less (ratio 0.9996, ");
        assertThat(ComparisonWords.answer(compared(0.0005, ComparedFigure.THROUGHPUT, trials.runs("c", even), trials.runs("d", less))))
            .startsWith("B is the same as A within 0.05 %: throughput is equal ");
        assertThat(ComparisonWords.difference(1.0004, ComparedFigure.Kind.TIME)).isEqualTo("0.04 % longer");
    }
}
