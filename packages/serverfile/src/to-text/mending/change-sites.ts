import { parseSiteAddress } from "../../addresses/site-address.ts";
import { type ConfigDraft, type DraftedSite, unservedSite } from "../config-draft.ts";
import { type Line, line, textOf } from "../lines/line.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import { everyMove, withAt, withBefore } from "./list-changes.ts";

/** A draft with other sites. */
export function withSites(draft: ConfigDraft, sites: readonly DraftedSite[]): ConfigDraft {
  return { ...draft, sites };
}

/** A draft with one site in place of another. */
export function withSite(draft: ConfigDraft, index: number, site: DraftedSite | undefined): ConfigDraft {
  return withSites(draft, withAt(draft.sites, index, site));
}

/** Other ways to write an address: with the scheme, the port, or both. @param isOnSocket which has no port to go by */
function spellings(key: string, ports: UsualPorts, isOnSocket: boolean): string[] {
  let parsed: ReturnType<typeof parseSiteAddress>;
  try {
    parsed = parseSiteAddress(key);
  } catch {
    return [];
  }
  const { scheme, host: bare, path } = parsed;
  const host = bare.includes(":") ? `[${bare}]` : bare;
  const port = parsed.port === "" ? (scheme === "http" ? ports.http : ports.https) : Number(parsed.port);
  const ways = [`${host}:${port}`, `http://${host}:${port}`, `https://${host}:${port}`];
  // Unix sockets have no port, so any is valid.
  ways.push(`https://${host}`, `http://${host}`);
  if (isOnSocket) {
    ways.unshift(`${host}:${ports.http}`);
  }
  if (port === ports.https && host !== "") {
    ways.push(host);
  }
  return ways.map((way) => way + path).filter((way) => way !== key);
}

function isSocketBind({ words: [name, ...addresses] }: Line): boolean {
  return name === "bind" && addresses.some((address) => /^(unix|fd)/.test(textOf(address)));
}

/** Other ways to write the addresses of a site: one of them otherwise. */
export function respellings({ keys, head }: DraftedSite, ports: UsualPorts): string[][] {
  const isOnSocket = head.some(isSocketBind);
  return keys.flatMap((key, at) =>
    spellings(key, ports, isOnSocket)
      .filter((way) => !keys.includes(way))
      .map((way) => withAt(keys, at, way)),
  );
}

/** Drafts in which one address is written otherwise. */
export function* respelled(draft: ConfigDraft, ports: UsualPorts): Generator<ConfigDraft> {
  for (const [index, site] of draft.sites.entries()) {
    for (const keys of respellings(site, ports)) {
      yield withSite(draft, index, { ...site, keys });
    }
    const isOnSocket = site.head.some(isSocketBind);
    const all = site.keys.map((key) => spellings(key, ports, isOnSocket));
    for (let way = 0; site.keys.length > 1 && way < 5; way++) {
      const keys = site.keys.map((key, at) => all[at]?.[way] ?? key);
      yield withSite(draft, index, { ...site, keys: [...new Set(keys)] });
    }
  }
}

/** Drafts whose sites, or the addresses of one, are in another order. */
export function* reordered(draft: ConfigDraft): Generator<ConfigDraft> {
  for (const sites of everyMove(draft.sites)) {
    yield withSites(draft, sites);
  }
  for (const [index, site] of draft.sites.entries()) {
    for (const keys of everyMove(site.keys)) {
      yield withSite(draft, index, { ...site, keys });
    }
  }
}

/** Drafts in which a site is two: one of its addresses apart, with the same lines, or without those on certificates. */
export function* divided(draft: ConfigDraft): Generator<ConfigDraft> {
  for (const [index, site] of draft.sites.entries()) {
    for (const [at, key] of site.keys.entries()) {
      if (site.keys.length > 1) {
        const rest = { ...site, keys: withAt(site.keys, at, undefined) };
        const bare = site.head.filter(({ words: [name] }) => name !== "tls");
        for (const head of bare.length === site.head.length ? [site.head] : [site.head, bare]) {
          const apart = { ...site, keys: [key], head };
          yield withSites(draft, withBefore(withAt(draft.sites, index, rest), index, apart));
          yield withSites(draft, withBefore(withAt(draft.sites, index, rest), index + 1, apart));
        }
      }
    }
  }
}

/** Drafts in which two sites with the same directives are one. */
export function* united(draft: ConfigDraft): Generator<ConfigDraft> {
  const texts = draft.sites.map(({ body }) => JSON.stringify(body));
  for (const [first, a] of draft.sites.entries()) {
    for (const [second, b] of draft.sites.entries()) {
      if (second !== first && texts[first] === texts[second]) {
        const known = new Set(a.head.map((each) => JSON.stringify(each)));
        const more = b.head.filter((each) => !known.has(JSON.stringify(each)));
        const keys = [...new Set([...a.keys, ...b.keys])];
        for (const head of more.length === 0 ? [a.head] : [[...a.head, ...more], a.head]) {
          yield withSites(
            draft,
            draft.sites.flatMap((site, at) =>
              at === second ? [] : at === first ? [{ ...a, keys, head }] : [site],
            ),
          );
        }
      }
    }
  }
}

/** Where a site may be that has no route: the addresses to listen on of others, with a port or the usual one. */
function emptySites(draft: ConfigDraft, hosts: readonly string[], ports: UsualPorts): DraftedSite[] {
  const sites = new Map<string, DraftedSite>();
  for (const { keys, head } of draft.sites) {
    const binds = head.filter(({ words: [name] }) => name === "bind");
    for (const key of keys) {
      for (const host of ["", ...hosts]) {
        const port =
          /:(\d+)(?:\/|$)/.exec(key)?.[1] ?? (key.startsWith("http://") ? ports.http : ports.https);
        for (const scheme of ["", "http://", "https://"]) {
          const site = { keys: [`${scheme}${host}:${port}`], head: binds, body: [] };
          sites.set(JSON.stringify(site), site);
        }
      }
    }
  }
  return [...sites.values()];
}

/** Drafts with a site more, without a route, or with such an address more. @param hosts that it may be for */
export function* extended(
  draft: ConfigDraft,
  hosts: readonly string[],
  ports: UsualPorts,
): Generator<ConfigDraft> {
  const known = new Set(draft.sites.flatMap(({ keys }) => keys));
  const empty = emptySites(draft, hosts, ports).filter(({ keys }) => !known.has(keys[0] ?? ""));
  for (const site of empty) {
    yield withSites(draft, [...draft.sites, site]);
  }
  for (const [index, site] of draft.sites.entries()) {
    for (const { keys } of empty) {
      yield withSite(draft, index, { ...site, keys: [...site.keys, ...keys] });
    }
  }
}

/**
 * Drafts with a site that listens nowhere: it is in no server, but it takes numbers of groups, and of certificates.
 * @param maxCount how many numbers at most
 */
export function* filled(draft: ConfigDraft, maxCount: number): Generator<ConfigDraft> {
  const fillers: Pick<DraftedSite, "head" | "body">[] = [{ head: [line("tls", "a", "b")], body: [] }];
  for (let count = 1; count <= maxCount; count++) {
    const body = Array.from({ length: count }, (): Line => ({ words: ["handle_errors"], block: [] }));
    fillers.push({ head: [], body });
  }
  for (const { head, body } of fillers) {
    for (let at = 0; at <= draft.sites.length; at++) {
      yield withSites(draft, withBefore(draft.sites, at, unservedSite(draft.sites.length, head, body)));
    }
  }
}
