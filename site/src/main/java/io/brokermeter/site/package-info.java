/** The documentation as pages for a browser, made of its Markdown. It is built and tested here, and is no part of the program. */
@NullMarked
package io.brokermeter.site;

import org.jspecify.annotations.NullMarked;
