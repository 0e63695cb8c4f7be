package io.brokermeter.bench;

import java.util.List;
import java.util.function.Function;

/**
 * One side of a comparison.
 *
 * @param command the command line for a destination's name
 * @param companions further processes of the same tool that run beside it and are ended after it, for the same name
 * @param reader finds the figures in what the command prints
 */
record Tool(Function<String, List<String>> command, Function<String, List<List<String>>> companions, OutputReader reader) {

    Tool(Function<String, List<String>> command, OutputReader reader) {
        this(command, name -> List.of(), reader);
    }
}
