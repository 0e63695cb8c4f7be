/** CORE without Artemis' client: the packets themselves, on a socket of brokermeter's own. */
@NullMarked
package io.brokermeter.driver.core.codec;

import org.jspecify.annotations.NullMarked;
