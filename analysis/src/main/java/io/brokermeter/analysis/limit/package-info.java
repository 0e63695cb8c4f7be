/** The search for the highest load that meets a goal, and its answer. */
@NullMarked
package io.brokermeter.analysis.limit;

import org.jspecify.annotations.NullMarked;
