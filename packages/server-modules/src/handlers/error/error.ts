import type { HttpHandler } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { compileBodyTemplate, compileTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Fails every request on purpose, so that error routes answer. Source: Caddy 2.11 */
export const error = defineModule({
  id: "http.handlers.error",
  config: z.strictObject({
    error: z
      .string()
      .nullish()
      .describe("Message for logs and `{http.error.message}`; placeholders allowed."),
    status_code: z
      .union([z.int(), z.string()])
      .nullish()
      .describe("Status, as number or text; placeholders allowed (500)."),
  }),
  provision(config): HttpHandler {
    const message = compileBodyTemplate(config.error ?? "");
    const status = compileTemplate(String(config.status_code ?? "") || "500");
    return {
      startsNothing: true,
      inRehearsal: "runs",
      handle(exchange) {
        const text = status(exchange);
        if (!/^[1-9]\d\d$/.test(text)) {
          throw new HttpError(500, `status_code ${JSON.stringify(text)} is no status, 100 to 999`);
        }
        throw new HttpError(Number(text), message(exchange));
      },
    };
  },
});
