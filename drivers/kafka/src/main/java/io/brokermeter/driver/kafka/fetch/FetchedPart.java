package io.brokermeter.driver.kafka.fetch;

/** What an answer holds of one partition, by positions in the buffer of the answer. Reused. */
final class FetchedPart {

    int partition;
    /** The turn of the partition when it was asked for. */
    int turn;
    /** The offset that was asked for. */
    long position;
    /** The batches. */
    int from;
    int to;
    /** The aborted transactions: each with the producer's id and its first offset, in the order of the offsets. */
    int aborted;
    int transactions;
    /** Kafka's code of why the partition cannot be read; 0 if it can. */
    short error;
}
