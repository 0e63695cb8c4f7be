/** What makes the start of the program fast. */
@NullMarked
package io.brokermeter.cli.prepare;

import org.jspecify.annotations.NullMarked;
