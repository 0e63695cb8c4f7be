package io.brokermeter.driver.amqp.direct;

import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;

/**
 * A JMS selector as a filter of a source, as the AMQP filter registry defines it ({@code apache.org:selector-filter:string}).
 *
 * @param selector text of the selector
 */
record SelectorFilter(String selector) implements DescribedType {

    /** The key of the filter in a source; JMS clients use the same key. */
    static final Symbol NAME = Symbol.valueOf("jms-selector");

    private static final UnsignedLong CODE = UnsignedLong.valueOf(0x0000_468C_0000_0004L);

    /** Returns whether the peer confirms the filter in its answer, as it must if it applies the filter. */
    static boolean isApplied(Source answer) {
        return answer.getFilter() != null && answer.getFilter().containsKey(NAME);
    }

    @Override
    public Object getDescriptor() {
        return CODE;
    }

    @Override
    public Object getDescribed() {
        return selector;
    }
}
