import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/**
 * `{}` matches requests over TLS. `handshake_complete: false` matches requests that run before the handshake is done.
 */
export const tlsMatcher = defineModule({
  id: "http.matchers.tls",
  config: z.strictObject({
    handshake_complete: z
      .boolean()
      .nullish()
      .describe("Whether the handshake is done; false matches early data of HTTP/3 (absent: either)."),
  }),
  provision(config): HttpMatcher {
    const { handshake_complete: complete } = config;
    return {
      matches: ({ scheme, stream }) =>
        scheme === "https" && (complete == null || complete !== (stream.isEarly === true)),
    };
  },
});
