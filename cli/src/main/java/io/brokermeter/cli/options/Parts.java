package io.brokermeter.cli.options;

import java.util.ArrayList;

import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes what commands consist of. The first use of picocli's own factory looks for Groovy in each jar, so lists, which most need, are made here. */
public final class Parts implements IFactory {

    public static final Parts PARTS = new Parts();

    private Parts() {}

    @Override
    public <K> K create(Class<K> type) throws Exception {
        return type.isAssignableFrom(ArrayList.class) ? type.cast(new ArrayList<>()) : CommandLine.defaultFactory().create(type);
    }
}
