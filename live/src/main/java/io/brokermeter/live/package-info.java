/** What others read of a run while it lasts. Sending and receiving threads pay nothing for it: it is made from the intervals that every report gets. */
@org.jspecify.annotations.NullMarked
package io.brokermeter.live;
