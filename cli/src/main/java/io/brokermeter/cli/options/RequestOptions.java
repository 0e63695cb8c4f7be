package io.brokermeter.cli.options;

import java.time.Duration;

import picocli.CommandLine.Option;

/** Requests and replies instead of plain messages. */
public final class RequestOptions {

    @Option(names = "--request-reply", order = 1,
            description = "Messages are requests, which the consumers answer, and round trips are measured; "
                + "--max-pending limits the requests without a reply. Default: off.")
    public boolean requestReply;

    @Option(names = "--reply-timeout", order = 2, paramLabel = "TIME", defaultValue = "10s",
            converter = Converters.Seconds.class,
            description = "After how long a request counts as not answered and makes room for the next. Default: "
                + "${DEFAULT-VALUE}.")
    public Duration timeout = Duration.ZERO;
}
