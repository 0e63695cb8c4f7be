package io.brokermeter.experiment.tree;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes a {@link Tree} as YAML from which the same texts are read again. */
public final class TreeWriter {

    private TreeWriter() {}

    public static String write(Tree tree) {
        DumpSettings settings = DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).setIndent(2).setWidth(120)
            .setSplitLines(false).build();
        StringBuilder text = new StringBuilder();
        // All values are texts here, so all would be quoted; PlainRepresenter leaves quotes out where the text is read back unchanged.
        text.append(new Dump(settings, new PlainRepresenter(settings)).dumpToString(plain(tree)));
        return text.toString();
    }

    private static Object plain(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> new Text(leaf.text(), leaf.quoted());
            case Tree.Items list -> {
                List<Object> all = list.items().stream().map(TreeWriter::plain).toList();
                yield all;
            }
            case Tree.Fields fields -> {
                Map<String, Object> all = new LinkedHashMap<>();
                fields.fields().forEach((name, field) -> all.put(name, plain(field.value())));
                yield all;
            }
        };
    }

    /** A leaf in the form that {@link PlainRepresenter} writes. */
    record Text(String text, boolean quoted) {}
}
