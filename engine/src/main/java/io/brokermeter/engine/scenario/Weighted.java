package io.brokermeter.engine.scenario;

/**
 * One of several things, with how often it comes.
 *
 * @param value the thing
 * @param share its part of the whole, above 0; parts need not add up to 1
 */
public record Weighted<T>(T value, double share) {

    public Weighted {
        if (!(share > 0) || Double.isInfinite(share)) {
            throw new UsageException("A share must be greater than 0.");
        }
    }
}
