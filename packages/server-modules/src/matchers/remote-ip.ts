import type { HttpMatcher } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { IpRanges, ipRangesSchema } from "server-core/net/ip-ranges";

/** Behind a proxy, this matcher compares the proxy's address; `client_ip` compares the client's address. */
export const remoteIpMatcher = defineModule({
  id: "http.matchers.remote_ip",
  config: ipRangesSchema.describe(
    "The address at the other end of the connection, whatever the headers say.",
  ),
  provision(config): HttpMatcher {
    const ranges = new IpRanges(config.ranges ?? []);
    return { matches: (exchange) => ranges.contains(exchange.remoteAddress) };
  },
});
