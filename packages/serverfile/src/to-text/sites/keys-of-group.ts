import { textsOf } from "../json-lists.ts";
import { addressText } from "./addresses.ts";
import type { ConfigFacts } from "./config-facts.ts";
import {
  hostsOfDraft,
  isForAnyHost,
  type ServerDraft,
  type SiteDraft,
  type SiteGroup,
} from "./site-draft.ts";

/**
 * Sorts addresses in the order of hosts on a socket without a port, because the socket's server has the hosts of all
 * ports.
 */
function inSocketOrder(
  keys: readonly { readonly key: string; readonly host: string }[],
  group: readonly SiteDraft[],
): string[] {
  const all = group.find(({ server }) => server.listening.port === undefined);
  const hosts = all?.addresses.map(({ host }) => host) ?? [];
  return keys.toSorted((a, b) => hosts.indexOf(a.host) - hosts.indexOf(b.host)).map(({ key }) => key);
}

/** Hosts on a server's port that have no log. */
function hostsWithoutLogs({ members, listening: { port } }: ServerDraft): string[] {
  const ending = port === undefined || port === 80 || port === 443 ? "" : `:${port}`;
  return textsOf(members.look("logs"), "skip_hosts").flatMap((host) =>
    host.endsWith(ending) ? [host.slice(0, host.length - ending.length)] : [],
  );
}

/**
 * All addresses of sites that are merged.
 * @param automated names that are added to the addresses so that they get certificates
 */
export function keysOfGroup(
  group: SiteGroup,
  automated: readonly string[],
  { sites, ports }: ConfigFacts,
): string[] {
  const [site] = group;
  const ported = group.filter(({ server }) => server.listening.port !== undefined);
  const plain = group.filter(({ server }) => !server.hasPolicies);
  const told = [ported, plain].find((sites) => sites.length > 0) ?? group;
  const keys = told.flatMap(({ server, addresses, repetitions = [] }) =>
    addresses.map((address, index) => {
      const parts = { ...address, ports, repetition: repetitions[index] ?? 0 };
      return { key: addressText(server, parts), host: address.host };
    }),
  );
  const own = inSocketOrder(keys, group);
  const here = sites.filter(({ server }) => server === site.server);
  const isBare = (name: string) => (address: SiteDraft["addresses"][number]) =>
    address.host === name && address.path === "";
  const repetitions = (name: string) => here.filter(({ addresses }) => addresses.some(isBare(name))).length;
  const shown = new Set(here.flatMap(hostsOfDraft));
  const isAny = here.find(isForAnyHost) === site;
  const unshown = isAny ? [...site.server.plainHosts, ...hostsWithoutLogs(site.server)] : [];
  const hidden = [...new Set([...automated, ...unshown])];
  const extra = hidden
    .filter((name) => automated.includes(name) || !shown.has(name))
    .map((name) => addressText(site.server, { host: name, path: "", ports, repetition: repetitions(name) }));
  return [...new Set([...own, ...extra])];
}
