import { distinct } from "../json-lists.ts";
import { type Line, line, lineWith } from "../lines/line.ts";
import type { Listening, ServerDraft, SiteDraft } from "./site-draft.ts";

type Binds = Listening["binds"];

/** True when a site listens on every address with the default protocols, which needs no line. */
function isUsual(binds: Binds): boolean {
  return binds.every(({ address, protocols }) => address === "" && protocols.length === 0);
}

/** The listen addresses of all servers; undefined when servers have different addresses, or listen on all addresses. */
export function commonBinds(servers: readonly ServerDraft[]): Binds | undefined {
  const [first, ...others] = servers;
  const binds = first?.listening.binds;
  const isCommon = others.every(({ listening }) => JSON.stringify(listening.binds) === JSON.stringify(binds));
  return binds === undefined || !isCommon || (binds.length === 1 && isUsual(binds)) ? undefined : binds;
}

/** Writes `bind` or `default_bind`: one line for each set of protocols. */
export function bindLinesOf(name: string, binds: Binds): Line[] {
  const byProtocols = Map.groupBy(binds, ({ protocols }) => protocols.join(" "));
  return [...byProtocols].map(([protocols, group]) =>
    lineWith(
      [name, ...group.map(({ address }) => address)],
      protocols === "" ? [] : [line("protocols", ...protocols.split(" "))],
    ),
  );
}

/**
 * Writes the `bind` lines of a site; no lines when it listens on every address. @param first the address for challenges
 */
export function bindLines(group: readonly SiteDraft[], first: string | undefined): Line[] {
  const all = distinct(group.flatMap(({ server }) => server.listening.binds));
  const isFirst = ({ address }: Binds[number]) => address === first;
  return isUsual(all)
    ? []
    : bindLinesOf("bind", [...all.filter(isFirst), ...all.filter((bind) => !isFirst(bind))]);
}
