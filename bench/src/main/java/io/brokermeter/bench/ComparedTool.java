package io.brokermeter.bench;

import java.util.List;
import java.util.function.Function;

/**
 * One side of a comparison.
 *
 * @param command returns the command line for the name of a destination
 * @param companions returns the command lines of further processes of the same tool for the same name, which run beside the command and are
 *     ended after it
 * @param reader extracts the figures from the output of the command
 */
record ComparedTool(Function<String, List<String>> command, Function<String, List<List<String>>> companions, OutputReader reader) {

    ComparedTool(Function<String, List<String>> command, OutputReader reader) {
        this(command, name -> List.of(), reader);
    }
}
