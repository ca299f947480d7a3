import { defineModule } from "../../core/modules/module.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { IpRanges, ipRangesSchema } from "./ip-ranges.ts";

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
