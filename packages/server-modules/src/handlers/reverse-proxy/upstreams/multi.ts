import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type UpstreamSource, upstreamSources } from "./upstream-source.ts";

/** Queries all sources concurrently. A failed source is logged and skipped. If all sources fail, the call fails. */
async function findAll(
  sources: readonly UpstreamSource[],
  log: Logger,
  ...args: Parameters<UpstreamSource["find"]>
): Promise<string[]> {
  const found = await Promise.allSettled(sources.map(async (source) => source.find(...args)));
  const failures = found.filter((each) => each.status === "rejected");
  for (const { reason } of failures) {
    log.warn(`dynamic_upstreams: ${messageOf(reason)}`);
  }
  if (failures.length === found.length && failures[0] !== undefined) {
    throw failures[0].reason;
  }
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

/**
 * Combines the upstreams of several sources. Useful for a move between two clusters:
 * `{ "source": "multi", "sources": [{ "source": "srv", "name": "old" }, { "source": "a", "name": "new" }] }`.
 * Source: Caddy 2.11
 */
export const multiUpstreams = defineModule({
  id: "http.reverse_proxy.upstreams.multi",
  config: z.strictObject({
    sources: z
      .array(inlineModule("http.reverse_proxy.upstreams", "source"))
      .nullish()
      .describe("The sources, in the order of their upstreams."),
  }),
  async provision(config, context): Promise<UpstreamSource> {
    const sources: UpstreamSource[] = [];
    for (const [index, each] of (config.sources ?? []).entries()) {
      sources.push(
        await context.loadInline(upstreamSources, "source", each as JsonValue, `sources/${index}`),
      );
    }
    return { find: (exchange, again) => findAll(sources, context.log, exchange, again) };
  },
});
