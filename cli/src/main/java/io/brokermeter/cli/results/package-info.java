/** Commands that read what runs left. */
@NullMarked
package io.brokermeter.cli.results;

import org.jspecify.annotations.NullMarked;
