package io.brokermeter.contract;

import io.brokermeter.contract.subject.Acknowledging;
import io.brokermeter.contract.subject.Ending;
import io.brokermeter.contract.subject.Fates;
import io.brokermeter.contract.subject.MessageBodies;
import io.brokermeter.contract.subject.Refusing;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;
import io.brokermeter.contract.subject.SeveralServers;
import io.brokermeter.contract.subject.Transactions;

/**
 * The part of the contract in which clients of a broker differ: what a driver does over its second client library, after the whole contract
 * over its first path.
 */
public interface ClientRows
        extends Sending, MessageBodies, Fates, Acknowledging, Settlements, Transactions, Ending, Refusing, SeveralServers {}
