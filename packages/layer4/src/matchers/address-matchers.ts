import { defineModule } from "server-core/modules/module";
import { IpRanges, ipRangesSchema } from "server-core/net/ip-ranges";
import type { Matcher } from "../routes/handler.ts";

/**
 * Matches by the client's address, which an earlier PROXY protocol header may have set. No byte is read.
 * Source: caddy-l4, `layer4.matchers.remote_ip`
 */
export const remoteIpMatcher = defineModule({
  id: "layer4.matchers.remote_ip",
  config: ipRangesSchema,
  provision({ ranges }): Matcher {
    const inside = new IpRanges(ranges ?? []);
    return { matches: ({ addresses }) => inside.contains(addresses.remoteAddress) };
  },
});

/**
 * Matches by the address that the client connected to. No byte is read. Source: caddy-l4, `layer4.matchers.local_ip`
 */
export const localIpMatcher = defineModule({
  id: "layer4.matchers.local_ip",
  config: ipRangesSchema,
  provision({ ranges }): Matcher {
    const inside = new IpRanges(ranges ?? []);
    return { matches: ({ addresses }) => inside.contains(addresses.localAddress) };
  },
});
