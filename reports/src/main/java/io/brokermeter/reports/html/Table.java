package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.reports.Amounts;

/** A small table, in which the first cell of each row names the row. */
final class Table {

    private final String id;
    private final List<String> head;
    private final List<List<String>> rows = new ArrayList<>();

    Table(String id, String... head) {
        this.id = id;
        this.head = List.of(head);
    }

    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /** Adds a row, unless none of its figures is known. */
    Table known(String name, String... figures) {
        if (!List.of(figures).stream().allMatch(Amounts.UNKNOWN::equals)) {
            List<String> cells = new ArrayList<>(List.of(name));
            cells.addAll(List.of(figures));
            rows.add(List.copyOf(cells));
        }
        return this;
    }

    Markup markup() {
        Markup m = new Markup();
        if (rows.isEmpty()) {
            return m;
        }
        m.open("div", "class", "scroll").open("table", "id", id);
        if (head.stream().anyMatch(title -> !title.isEmpty())) {
            m.open("thead").open("tr");
            head.forEach(title -> m.element("th", title, "scope", "col"));
            m.close("tr").close("thead");
        }
        m.open("tbody").line();
        for (List<String> row : rows) {
            m.open("tr").element("th", row.getFirst(), "scope", "row");
            row.subList(1, row.size()).forEach(cell -> m.element("td", cell));
            m.close("tr").line();
        }
        return m.close("tbody").close("table").close("div").line();
    }
}
