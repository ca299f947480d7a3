import { defineModule } from "../../core/modules/module.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { IpRanges, ipRangesSchema } from "./ip-ranges.ts";

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
