import { type Line, line } from "../lines/line.ts";
import type { Listening, ServerDraft, SiteDraft } from "./site-draft.ts";

type Binds = Listening["binds"];

/** True for all addresses with the usual protocols, which need no line. */
function isUsual(binds: Binds): boolean {
  return binds.every(({ address, protocols }) => address === "" && protocols.length === 0);
}

/** The addresses that all servers listen on; undefined when servers differ, or listen on all addresses. */
export function commonBinds(servers: readonly ServerDraft[]): Binds | undefined {
  const [first, ...others] = servers;
  const binds = first?.listening.binds;
  const isCommon = others.every(({ listening }) => JSON.stringify(listening.binds) === JSON.stringify(binds));
  return binds === undefined || !isCommon || (binds.length === 1 && isUsual(binds)) ? undefined : binds;
}

/** `bind` or `default_bind`: a line for each set of protocols. */
export function bindLinesOf(name: string, binds: Binds): Line[] {
  const byProtocols = new Map<string, { addresses: string[]; protocols: readonly string[] }>();
  for (const { address, protocols } of binds) {
    const key = protocols.join(" ");
    const present = byProtocols.get(key) ?? { addresses: [], protocols };
    present.addresses.push(address);
    byProtocols.set(key, present);
  }
  return [...byProtocols.values()].map(({ addresses, protocols }) => ({
    words: [name, ...addresses],
    block: protocols.length === 0 ? undefined : [line("protocols", ...protocols)],
  }));
}

/** The `bind` lines of a site; none when it listens on every address. @param first the address that challenges use */
export function bindLines(group: readonly SiteDraft[], first: string | undefined): Line[] {
  const all = group.flatMap(({ server }) => server.listening.binds);
  const binds = [
    ...all.filter(({ address }) => address === first),
    ...all.filter(({ address }) => address !== first),
  ];
  const distinct = binds.filter(
    ({ address, protocols }, index) =>
      binds.findIndex((other) => other.address === address && other.protocols.join() === protocols.join()) ===
      index,
  );
  return isUsual(distinct) ? [] : bindLinesOf("bind", distinct);
}
