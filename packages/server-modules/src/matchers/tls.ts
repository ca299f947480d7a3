import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** `{}` matches requests over TLS. `handshake_complete: false` matches none, since early data is not taken. */
export const tlsMatcher = defineModule({
  id: "http.matchers.tls",
  config: z.strictObject({
    handshake_complete: z
      .boolean()
      .nullish()
      .describe("Whether the handshake is over; false asks for early data, which this server does not take."),
  }),
  provision(config): HttpMatcher {
    // Requests come only after a whole handshake.
    const possible = config.handshake_complete !== false;
    return { matches: (exchange) => possible && exchange.scheme === "https" };
  },
});
