package io.brokermeter.cli;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

/** The base of tests that start the program in a directory of their own. */
abstract class ToolInDirectory {

    @TempDir
    Path directory;

    final Tool tool() {
        return new Tool(directory);
    }
}
