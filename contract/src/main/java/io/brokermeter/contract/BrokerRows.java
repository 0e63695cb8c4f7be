package io.brokermeter.contract;

import io.brokermeter.contract.subject.Acknowledging;
import io.brokermeter.contract.subject.BrokerLimits;
import io.brokermeter.contract.subject.Declaring;
import io.brokermeter.contract.subject.MessageBodies;
import io.brokermeter.contract.subject.Sending;
import io.brokermeter.contract.subject.Settlements;
import io.brokermeter.contract.subject.Subscriptions;
import io.brokermeter.contract.subject.Transactions;
import io.brokermeter.contract.subject.Varying;

/**
 * The part of the contract in which brokers of a protocol differ: what a driver does with its second broker, after the whole contract with
 * its first one.
 */
public interface BrokerRows
        extends Sending, BrokerLimits, MessageBodies, Varying, Acknowledging, Settlements, Transactions, Subscriptions, Declaring {}
