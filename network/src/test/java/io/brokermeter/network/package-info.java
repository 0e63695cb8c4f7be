@NullMarked
package io.brokermeter.network;

import org.jspecify.annotations.NullMarked;
