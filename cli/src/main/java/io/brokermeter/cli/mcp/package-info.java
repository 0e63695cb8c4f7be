/** The tool as an instrument of software agents: the Model Context Protocol over standard input and output. */
@NullMarked
package io.brokermeter.cli.mcp;

import org.jspecify.annotations.NullMarked;
