import { defineModule, type Exchange, type HttpHandler, setHeader, z } from "server-module-api";
import { Attachment } from "./attachment.ts";
import type { Decision } from "./decision.ts";

/** Answers a client that is not allowed. Source: hslatman/caddy-crowdsec-bouncer, `WriteResponse` */
function refuse(exchange: Exchange, { type, secondsLeft }: Decision): void {
  if (type === "throttle") {
    setHeader(exchange.responseHeaders, "Retry-After", String(Math.max(1, Math.round(secondsLeft))));
    exchange.respond(429);
    return;
  }
  setHeader(exchange.responseHeaders, "Content-Type", "text/plain; charset=utf-8");
  exchange.respond(403);
}

/**
 * Refuses clients that CrowdSec has decisions about. The client is the one behind trusted proxies.
 * | Decision | Answer |
 * |---|---|
 * | none | the next handler's |
 * | `ban`, `captcha`, a name of the user's own | 403 |
 * | `throttle` | 429, with `Retry-After` until the decision ends |
 *
 * Source: hslatman/caddy-crowdsec-bouncer
 */
export const crowdsecHandler = defineModule({
  id: "http.handlers.crowdsec",
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
