/**
 * The option groups that commands share, each a picocli mixin under a heading of its own in the help.
 */
@NullMarked
package io.brokermeter.cli.options;

import org.jspecify.annotations.NullMarked;
