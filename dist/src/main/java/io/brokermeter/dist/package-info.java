/** What runs once: manual pages while the distribution is built, and the training of the JVM where it is installed, before the first run. */
@NullMarked
package io.brokermeter.dist;

import org.jspecify.annotations.NullMarked;
