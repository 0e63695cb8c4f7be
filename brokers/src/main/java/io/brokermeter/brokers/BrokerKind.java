package io.brokermeter.brokers;

/** A kind of broker that can be started; the seam for further ones. */
interface BrokerKind {

    /** See {@link Broker#start(BrokerName, BrokerOptions)}. */
    Broker start(BrokerOptions options) throws BrokerException;

    /** @throws IllegalArgumentException with one sentence for the user, when there is no such broker or version */
    static BrokerKind of(BrokerName name) {
        return switch (name.name()) {
            case "artemis" -> ArtemisKind.of(name);
            default -> throw new IllegalArgumentException(
                "Broker '" + name.name() + "' is unknown; the one to choose is artemis.");
        };
    }
}
