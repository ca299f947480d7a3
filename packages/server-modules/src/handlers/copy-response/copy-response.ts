import type { HttpHandler } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { statusFrom } from "../intercept/response-rule.ts";
import { heldResponse } from "../reverse-proxy/response/held-responses.ts";

/** Sends the upstream's response to the client, in routes of `handle_response`. Source: Caddy 2.11 */
export const copyResponse = defineModule({
  id: "http.handlers.copy_response",
  config: z.strictObject({
    status_code: z
      .union([z.int(), z.string()])
      .nullish()
      .describe("Another status (that of the response); placeholders allowed."),
  }),
  provision(config): HttpHandler {
    const status = compileTemplate(String(config.status_code || "0"));
    return {
      handle(exchange) {
        const response = heldResponse(exchange, "copy_response");
        return response.send(statusFrom(status, exchange, response.status));
      },
    };
  },
});
