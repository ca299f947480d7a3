import { type Connection, type ConnectionMatcher, defineModule, z } from "server-module-api";
import { Attachment } from "./attachment.ts";

/**
 * Matches connections of clients that CrowdSec has no decision about, for routes of the app `layer4`. Any decision
 * counts, because a raw connection has no answer for a captcha.
 * Source: hslatman/caddy-crowdsec-bouncer, `layer4.matchers.crowdsec`
 */
export const crowdsecMatcher = defineModule({
  id: "layer4.matchers.crowdsec",
  needsApps: ["crowdsec"],
  config: z.strictObject({}),
  async provision(_config, context): Promise<ConnectionMatcher> {
    const app = await Attachment.open(context);
    /** Results of live look-ups, for the next call of `matches` with the same connection. */
    const answers = new WeakMap<Connection, boolean>();
    return {
      matches(connection) {
        const known = answers.get(connection);
        if (known !== undefined) {
          return known;
        }
        const decision = app.decide(connection.addresses.remoteAddress);
        return decision instanceof Promise
          ? decision.then((found) => void answers.set(connection, found === undefined))
          : decision === undefined;
      },
    };
  },
});
