import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { headerOperationsShape } from "../../http/header-operations.ts";

/**
 * Server push of HTTP/2. Browsers took it out (Chrome 106, Firefox 132), and HTTP/3 servers hardly have it, so this
 * server accepts the config and pushes nothing: a client that would be pushed to must allow for that anyway. Early
 * hints (`static_response` with 103) do what it was for.
 */
export const push = defineModule({
  id: "http.handlers.push",
  config: z.strictObject({
    resources: z
      .array(
        z.strictObject({
          method: z.string().nullish().describe("Method of the pushed request (GET)."),
          target: z.string().nullish().describe("Path of the pushed resource."),
        }),
      )
      .nullish()
      .describe("What would be pushed."),
    headers: z
      .strictObject(headerOperationsShape)
      .nullish()
      .describe("Changes of the pushed requests' headers."),
  }),
  provision: (): HttpHandler => ({ handle: (exchange, next) => next(exchange) }),
});
