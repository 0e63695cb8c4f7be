package io.brokermeter.analysis.html;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.analysis.History;
import io.brokermeter.analysis.HistoryText;
import io.brokermeter.reports.html.StillPage;
import io.brokermeter.reports.picture.Drawing;

/** Formats histories as a page: the changes, each run as a point, and the levels. */
public final class HistoryHtml {

    private static final int WIDTH = 760;
    private static final int HEIGHT = 320;
    private static final int LEFT = 90;
    private static final int RIGHT = 20;

    private HistoryHtml() {}

    /** Returns the whole file. */
    public static String text(List<History> histories) {
        StillPage page = new StillPage("history");
        for (History history : histories) {
            if (!history.variant().isEmpty()) {
                page.element("p", history.variant());
            }
            List<String> sentences = HistoryText.sentences(history);
            page.element("h1", sentences.getFirst())
                .list(Stream.concat(sentences.stream().skip(1), HistoryText.leftOut(history).stream()).toList());
            if (history.points().isEmpty()) {
                continue;
            }
            page.picture(history.figure().heading() + " of each run", "Lines are the medians of the levels.", drawing(history));
            List<List<String>> rows = new ArrayList<>(List.of(List.of("run", "time", "value", "broker", "commit", "doubtful")));
            history.points()
                .forEach(point -> rows.add(
                    List.of(point.name(), point.time().truncatedTo(ChronoUnit.SECONDS).toString(), history.figure().text(point.value()),
                        point.broker(), point.commit(), point.isDoubtful() ? "yes" : "")));
            page.element("h2", "All runs").table(rows);
        }
        return page.text();
    }

    private static Drawing drawing(History history) {
        double least = history.points().stream().mapToDouble(History.Point::value).min().orElse(0);
        double most = history.points().stream().mapToDouble(History.Point::value).max().orElse(0);
        double span = most > least ? most - least : Math.max(1, Math.abs(most));
        double low = most > least ? least : least - span / 2;
        double bottom = HEIGHT - 34.0;
        double scale = (bottom - 26) / span;
        double step = (WIDTH - LEFT - RIGHT) / (double) history.points().size();
        Drawing drawing =
            new Drawing(WIDTH, HEIGHT, history.figure().heading() + " of " + history.points().size() + " runs in the order of time");
        for (int i = 0; i < 5; i++) {
            double y = bottom - i / 4.0 * span * scale;
            drawing.line("grid", LEFT, y, WIDTH - RIGHT, y).words("end", LEFT - 10, y + 4, history.figure().text(low + span * i / 4));
        }
        for (History.Level level : history.levels()) {
            double y = bottom - (level.median() - low) * scale;
            drawing.line("s0", LEFT + level.from() * step, y, LEFT + level.to() * step, y);
            if (level.from() > 0) {
                double x = LEFT + level.from() * step;
                drawing.line("change", x, 22, x, bottom).words("middle", x, 14, HistoryText.change(history.figure(), level));
            }
        }
        for (int i = 0; i < history.points().size(); i++) {
            History.Point point = history.points().get(i);
            drawing.mark(0, LEFT + (i + 0.5) * step, bottom - (point.value() - low) * scale,
                point.name() + ": " + history.figure().text(point.value()) + " " + point.broker() + " " + point.commit());
        }
        return drawing.words("start", LEFT, HEIGHT - 8, history.points().getFirst().name())
            .words("end", WIDTH - RIGHT, HEIGHT - 8, history.points().size() > 1 ? history.points().getLast().name() : "");
    }
}
