import { defineModule, type HttpHandler, z } from "server-module-api";
import { Attachment } from "./attachment.ts";
import { refuse } from "./refuse.ts";

/**
 * Refuses clients that CrowdSec has decisions about. Behind trusted proxies, the client is the one that they name.
 * | Decision | Answer |
 * |---|---|
 * | none | the next handler's |
 * | `ban`, `captcha`, a custom type | 403 |
 * | `throttle` | 429, with `Retry-After` until the decision ends |
 *
 * Source: hslatman/caddy-crowdsec-bouncer
 */
export const crowdsecHandler = defineModule({
  id: "http.handlers.crowdsec",
  needsApps: ["crowdsec"],
  config: z.strictObject({}),
  async provision(_config, context): Promise<HttpHandler> {
    const app = await Attachment.open(context);
    return {
      inRehearsal: "may answer",
      handle(exchange, next) {
        const decision = app.decide(exchange.clientAddress);
        if (decision instanceof Promise) {
          return decision.then((found) => (found === undefined ? next(exchange) : refuse(exchange, found)));
        }
        return decision === undefined ? next(exchange) : refuse(exchange, decision);
      },
    };
  },
});
