import { defineModule, HttpError, type HttpHandler, messageOf, ServerError, z } from "server-module-api";
import { AppsecClient, type AppsecVerdict } from "./appsec-client.ts";
import { Attachment } from "./attachment.ts";
import { refuse } from "./refuse.ts";

/**
 * Sends requests to CrowdSec's AppSec component, and refuses those that one of its rules blocks. Without `appsec_url`
 * all requests pass.
 * | Verdict | Answer |
 * |---|---|
 * | none, `allow`, `log` | the next handler's |
 * | `throttle` | 429 |
 * | another | the component's status, 403 without one |
 * | a failed check | 500, unless `appsec_fail_open` |
 *
 * Source: hslatman/caddy-crowdsec-bouncer
 */
export const appsecHandler = defineModule({
  id: "http.handlers.appsec",
  needsApps: ["crowdsec"],
  config: z.strictObject({}),
  async provision(_config, context): Promise<HttpHandler> {
    const app = await Attachment.open(context);
    const client = new AppsecClient(context.log);
    return {
      inRehearsal: "may answer",
      async handle(exchange, next) {
        const settings = await app.appsec();
        if (settings === undefined) {
          return next(exchange);
        }
        let verdict: AppsecVerdict | undefined;
        try {
          verdict = await client.check(exchange, settings);
        } catch (error) {
          if (error instanceof ServerError) {
            throw error; // the body could not be read
          }
          throw new HttpError(500, `crowdsec: ${messageOf(error)}`, { cause: error });
        }
        if (verdict === undefined || verdict.action === "allow") {
          return next(exchange);
        }
        app.countVerdict(exchange.clientAddress, verdict.action);
        if (verdict.action === "log") {
          context.log.info(`crowdsec: an AppSec rule concerns a request of ${exchange.clientAddress}`);
          return next(exchange);
        }
        refuse(exchange, { type: verdict.action, secondsLeft: 1, status: verdict.status });
      },
      close: () => client.close(),
    };
  },
});
