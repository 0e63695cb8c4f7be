/** What messages consist of: sizes, contents, keys, headers and templates. */
@NullMarked
package io.brokermeter.engine.scenario.message;

import org.jspecify.annotations.NullMarked;
