package io.brokermeter.experiment.published;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Axis;
import io.brokermeter.experiment.access.Redaction;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.spi.parameter.Nearest;

/** Reads the rows of the key {@code published}. */
public final class PublishedRows {

    private PublishedRows() {}

    public static List<Published> read(Tree.Fields file, List<Axis> axes, Redaction redaction, FileErrors errors) {
        Tree tree = file.get("published");
        List<Tree> items = Tree.items(tree);
        List<Published> rows = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            String path = tree instanceof Tree.Items ? "published." + i : "published";
            if (items.get(i) instanceof Tree.Fields fields) {
                rows.add(row(fields, path, axes, redaction, errors));
            } else {
                errors.about(items.get(i).location(), path, "a row consists of keys with values, like "
                    + "{load.rate: 37k/s, sent: 29922.20/s}.");
            }
        }
        return rows;
    }

    private static Published row(Tree.Fields fields, String path, List<Axis> axes, Redaction redaction, FileErrors errors) {
        Map<String, String> where = new LinkedHashMap<>();
        List<Figure> figures = new ArrayList<>();
        String note = null;
        for (Map.Entry<String, Tree.Field> field : fields.fields().entrySet()) {
            String name = field.getKey();
            Tree value = field.getValue().value();
            SourceLocation location = field.getValue().location();
            Axis axis = axes.stream().filter(one -> one.path().equals(name)).findFirst().orElse(null);
            String text = (axis == null ? value : redaction.at(name, value)).flow();
            Figure.Known figure = Figure.Known.of(name);
            if (axis != null) {
                if (!axis.values().contains(text)) {
                    errors.about(location, path + "." + name, "'" + text + "' is none of the values of the sweep, "
                        + String.join(", ", axis.values()) + ".");
                }
                where.put(name, text);
            } else if (name.equals("note")) {
                note = text;
            } else if (figure != null) {
                try {
                    figures.add(Figure.parse(figure, text));
                } catch (UsageException e) {
                    errors.about(location, path + "." + name, Validator.sentence(e));
                }
            } else {
                errors.about(location, path + "." + name, unknown(name, axes));
            }
        }
        return new Published(where, figures, note);
    }

    private static String unknown(String name, List<Axis> axes) {
        List<String> names = new ArrayList<>(axes.stream().map(Axis::path).toList());
        names.addAll(Figure.Known.ALL.stream().map(Figure.Known::key).toList());
        names.add("note");
        String near = Nearest.to(name, names);
        return "it is neither a figure nor a key that the sweep varies" + (near != null ? "; did you mean '" + near + "'?"
            : "; there are " + String.join(", ", names) + ".");
    }
}
