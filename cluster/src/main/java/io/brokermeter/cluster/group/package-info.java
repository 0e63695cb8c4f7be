/** The group of members as JGroups carries it. */
@NullMarked
package io.brokermeter.cluster.group;

import org.jspecify.annotations.NullMarked;
