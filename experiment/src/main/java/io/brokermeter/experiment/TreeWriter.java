package io.brokermeter.experiment;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes a {@link Tree} as YAML that reads back to the same texts. */
final class TreeWriter {

    private TreeWriter() {}

    static String write(Tree tree) {
        DumpSettings settings = DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).setIndent(2).setWidth(120)
            .setSplitLines(false).build();
        StringBuilder text = new StringBuilder();
        // Everything is a text to us, so it would be quoted; what reads back the same without quotes goes without.
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

    /** A leaf on its way to the dumper. */
    record Text(String text, boolean quoted) {}
}
