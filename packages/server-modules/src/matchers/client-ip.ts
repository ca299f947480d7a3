import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { IpRanges, ipRangesSchema } from "server-core/net/ip-ranges";

/**
 * Compares the client's address, which a trusted proxy may forward. Without a trusted proxy the result equals
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
