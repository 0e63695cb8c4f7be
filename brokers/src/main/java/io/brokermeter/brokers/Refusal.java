package io.brokermeter.brokers;

/**
 * Refuses options that a kind of broker does not have, each in one sentence for the user.
 *
 * @param kind    the name of the broker
 * @param options what the user asks for
 */
record Refusal(String kind, BrokerOptions options) {

    static Refusal of(BrokerKind kind, BrokerOptions options) {
        return new Refusal(kind.name(), options);
    }

    /** Refuses a type of journal. */
    Refusal journal() {
        options.journal().ifPresent(journal -> refuse("no journal type '" + journal + "', since it has only one"));
        return this;
    }

    /** Refuses a key store. */
    Refusal tls() {
        options.tls().ifPresent(tls -> refuse("no TLS port when it is started here"));
        return this;
    }

    /** Refuses address prefixes under which nothing is created. */
    Refusal forbidden() {
        if (!options.forbidden().isEmpty()) {
            refuse("no way to create nothing below '" + options.forbidden().getFirst() + "'");
        }
        return this;
    }

    /** Refuses to write an AOT cache. */
    Refusal training() {
        options.training().ifPresent(file -> refuse("no AOT cache to write to " + file));
        return this;
    }

    private void refuse(String what) {
        throw new IllegalArgumentException("Broker " + kind + " has " + what + ".");
    }
}
