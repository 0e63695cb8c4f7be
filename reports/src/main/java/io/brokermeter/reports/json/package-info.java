/** The forms of a result in JSON. */
@NullMarked
package io.brokermeter.reports.json;

import org.jspecify.annotations.NullMarked;
