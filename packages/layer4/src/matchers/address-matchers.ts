import { defineModule } from "server-core/modules/module";
import { IpRanges, ipRangesSchema } from "server-core/net/ip-ranges";
import type { Matcher } from "../routes/handler.ts";

/**
 * By the address of the client, which a PROXY protocol header before it may have set. No byte is looked at.
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

/** By the address that the client connected to. No byte is looked at. Source: caddy-l4, `layer4.matchers.local_ip` */
export const localIpMatcher = defineModule({
  id: "layer4.matchers.local_ip",
  config: ipRangesSchema,
  provision({ ranges }): Matcher {
    const inside = new IpRanges(ranges ?? []);
    return { matches: ({ addresses }) => inside.contains(addresses.localAddress) };
  },
});
