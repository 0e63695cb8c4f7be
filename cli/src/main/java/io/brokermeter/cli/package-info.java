/**
 * The command line: one class per sub-command, option groups as mixins, and no logic beyond turning what the user typed
 * into a workload or a sweep, starting it, and saying what was wrong with the words.
 */
@NullMarked
package io.brokermeter.cli;

import org.jspecify.annotations.NullMarked;
