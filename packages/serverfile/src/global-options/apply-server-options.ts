import { ServerError } from "server-core/errors";
import type { GlobalOptions, ServerOptions } from "../sites/global-options.ts";
import { childOf, type Draft, isEmptyDraft } from "../values/draft.ts";

/** A server, and its name in the config. */
export interface BuiltServer {
  readonly name: string;
  readonly draft: Draft;
  /** True when metrics by host are enabled; undefined without the option. */
  readonly metricsPerHost: boolean | undefined;
}

/** The options for the server's addresses, or else the options without an address, which apply to every server. */
function optionsFor(draft: Draft, all: readonly ServerOptions[]): ServerOptions | undefined {
  const listen = Array.isArray(draft.listen) ? draft.listen : [];
  return all.find(({ address }) => address === "" || listen.includes(address));
}

/** Applies each entry of the option `servers` to its servers. @throws ServerError for a repeated server name */
export function applyServerOptions(
  servers: readonly BuiltServer[],
  { servers: all }: GlobalOptions,
): BuiltServer[] {
  const names = new Set<string>();
  for (const { name } of all) {
    if (name !== "" && names.has(name)) {
      throw new ServerError("CONFIG_ADAPTER", `cannot use duplicate server name '${name}'`);
    }
    names.add(name);
  }
  return servers.map((server) => {
    const options = optionsFor(server.draft, all);
    if (options === undefined) {
      return server;
    }
    const draft = { ...server.draft, ...options.draft };
    if (!isEmptyDraft(options.logs)) {
      Object.assign(childOf(draft, "logs"), options.logs);
    }
    return { name: options.name || server.name, draft, metricsPerHost: options.metricsPerHost };
  });
}
