import { ServerError } from "server-core/errors";
import type { GlobalOptions, ServerOptions } from "../sites/global-options.ts";
import { childOf, type Draft, isEmptyDraft } from "../values/draft.ts";

/** A server with the name it has in the config. */
export interface BuiltServer {
  readonly name: string;
  readonly draft: Draft;
  /** The metrics option; undefined when there is none. */
  readonly metricsPerHost: boolean | undefined;
}

/** The first options whose address the server listens on; options without an address are for every server. */
function optionsFor(draft: Draft, all: readonly ServerOptions[]): ServerOptions | undefined {
  const listen = Array.isArray(draft.listen) ? draft.listen : [];
  return all.find(({ address }) => address === "" || listen.includes(address));
}

/** Puts the options of `servers` into the servers they are for. @throws ServerError for a name that is used twice */
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
