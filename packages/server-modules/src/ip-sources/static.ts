import type { IpSource } from "http-engine/ip-source";
import { defineModule } from "server-core/modules/module";
import { IpRanges } from "server-core/net/ip-ranges";
import { z } from "zod";

/** Ranges listed in the config. */
export const staticIpSource = defineModule({
  id: "http.ip_sources.static",
  config: z.strictObject({
    ranges: z.array(z.string()).nullish().describe("Addresses or CIDR ranges: `192.0.2.0/24`, `::1`."),
  }),
  provision(config): IpSource {
    const ranges = new IpRanges(config.ranges ?? []);
    return { contains: (address) => ranges.contains(address) };
  },
});
