/**
 * The command line: one class per sub-command, option groups as mixins, and no logic beyond turning what the user typed
 * into a scenario, running it, and saying what went wrong.
 */
@NullMarked
package io.brokermeter.cli;

import org.jspecify.annotations.NullMarked;
