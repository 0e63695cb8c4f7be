package io.brokermeter.contract;

import io.brokermeter.contract.subject.Reconnecting;

/** All subjects of the contract. */
public interface WholeContract extends BrokerRows, ClientRows, Reconnecting {}
