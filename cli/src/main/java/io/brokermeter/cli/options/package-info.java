/** Groups of options and their values, as several commands share them. */
@NullMarked
package io.brokermeter.cli.options;

import org.jspecify.annotations.NullMarked;
