package io.brokermeter.experiment.tree;

import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.representer.StandardRepresenter;

/** Preserves how leaves were written: a number stays a number, and a quoted number stays a text. */
final class PlainRepresenter extends StandardRepresenter {

    PlainRepresenter(DumpSettings settings) {
        super(settings);
        representers.put(TreeWriter.Text.class, data -> {
            TreeWriter.Text leaf = (TreeWriter.Text) data;
            Tag tag = settings.getSchema().getScalarResolver().resolve(leaf.text(), true);
            boolean multiline = leaf.text().indexOf('\n') >= 0;
            // YAML takes a tilde for a text, a scenario takes it for no value.
            if (leaf.quoted() && (!tag.equals(Tag.STR) || leaf.text().equals("~"))) {
                return new ScalarNode(Tag.STR, leaf.text(), ScalarStyle.SINGLE_QUOTED);
            }
            return new ScalarNode(tag, leaf.text(), multiline ? ScalarStyle.DOUBLE_QUOTED : ScalarStyle.PLAIN);
        });
    }
}
