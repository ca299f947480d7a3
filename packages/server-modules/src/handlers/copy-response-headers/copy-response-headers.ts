import type { HttpHandler } from "http-engine/handler";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { heldResponse } from "../reverse-proxy/response/held-responses.ts";

/** Copies fields of the upstream's response, in routes of `handle_response`. Source: Caddy 2.11 */
export const copyResponseHeaders = defineModule({
  id: "http.handlers.copy_response_headers",
  config: z.strictObject({
    include: z.array(z.string()).nullish().describe("Only these fields."),
    exclude: z.array(z.string()).nullish().describe("All fields but these."),
  }),
  provision(config): HttpHandler {
    const include = (config.include ?? []).map((name) => name.toLowerCase());
    const exclude = (config.exclude ?? []).map((name) => name.toLowerCase());
    if (include.length > 0 && exclude.length > 0) {
      throw new ServerError(
        "MODULE_CONFIG",
        "cannot define both 'exclude' and 'include' lists at the same time",
      );
    }
    const wanted = (name: string) => (include.length > 0 ? include.includes(name) : !exclude.includes(name));
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        const { headers } = heldResponse(exchange, "copy_response_headers");
        for (let index = 0; index < headers.length; index += 2) {
          const name = headers[index] ?? "";
          const lower = name.toLowerCase();
          // `Content-Length` belongs to the upstream's body, which is not sent.
          if (wanted(lower) && lower !== "content-length") {
            exchange.responseHeaders.push(name, headers[index + 1] ?? "");
          }
        }
        return next(exchange);
      },
    };
  },
});
