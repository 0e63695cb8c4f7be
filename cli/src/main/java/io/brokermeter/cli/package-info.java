/**
 * The command line: one class per sub-command, option groups as mixins, and no logic beyond turning the user's arguments
 * into a workload or a sweep, starting it, and reporting mistakes in the arguments.
 */
@NullMarked
package io.brokermeter.cli;

import org.jspecify.annotations.NullMarked;
