package io.brokermeter.cli;

/** Names of the mixins that hold option groups, which are their headings in the help; here in the order of the help. */
final class Heading {

    static final String CONNECTION = "Connection";
    static final String CONSUMER_CONNECTION = "Connection of the consumers";
    static final String LOGIN = "Login";
    static final String THROWAWAY = "Throwaway broker";
    static final String OBSERVATION = "Broker under test";
    static final String DESTINATIONS = "Destinations";
    static final String LOAD = "Load";
    static final String MESSAGES = "Messages";
    static final String CONSUMERS = "Consumers";
    static final String REQUESTS = "Requests and replies";
    static final String TRANSACTIONS = "Transactions";
    static final String LIMITS = "Duration and end";
    static final String OUTPUT = "Output";

    private Heading() {}
}
