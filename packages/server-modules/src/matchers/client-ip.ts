import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { IpRanges, ipRangesSchema } from "server-core/net/ip-ranges";

/**
 * Behind a trusted proxy it looks at the address that the proxy names; without one it is the same as
 * `remote_ip`.
 */
export const clientIpMatcher = defineModule({
  id: "http.matchers.client_ip",
  config: ipRangesSchema.describe("The client's address; behind trusted proxies the one that they name."),
  provision(config): HttpMatcher {
    const ranges = new IpRanges(config.ranges ?? []);
    return {
      matches: (exchange) => ranges.contains(exchange.clientAddress),
    };
  },
});
