import { type IpSource, ipSources } from "http-engine/ip-source";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";

/** Combines the addresses of several sources. */
export const combinedIpSource = defineModule({
  id: "http.ip_sources.combine",
  config: z.strictObject({
    parts: z.array(inlineModule("http.ip_sources", "source")).nullish().describe("The sources."),
  }),
  async provision({ parts }, context): Promise<IpSource> {
    const sources: IpSource[] = [];
    for (const [index, part] of (parts ?? []).entries()) {
      sources.push(await context.loadInline(ipSources, "source", part as JsonValue, `parts/${index}`));
    }
    return { contains: (address) => sources.some((source) => source.contains(address)) };
  },
});
