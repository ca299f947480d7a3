import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/**
 * `{}` matches requests over TLS. `handshake_complete: false` matches no request, because early data is not accepted.
 */
export const tlsMatcher = defineModule({
  id: "http.matchers.tls",
  config: z.strictObject({
    handshake_complete: z
      .boolean()
      .nullish()
      .describe("Whether the handshake is over; false asks for early data, which this server does not take."),
  }),
  provision(config): HttpMatcher {
    // Requests arrive only after a complete handshake.
    const possible = config.handshake_complete !== false;
    return { matches: (exchange) => possible && exchange.scheme === "https" };
  },
});
