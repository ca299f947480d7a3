import { isJsonObject, type JsonValue } from "server-core/json/json-value";
import type { Merging } from "../choices.ts";
import { isSocket, type SiteDraft, type SiteGroup } from "./site-draft.ts";

/**
 * Text of the parts that sites must have in common to be merged: everything but addresses and the names of top-level
 * groups.
 */
function likeness({ main, errors }: SiteDraft): string {
  const withoutGroups = (list: JsonValue | undefined) =>
    Array.isArray(list)
      ? list.map((each: JsonValue) =>
          isJsonObject(each) ? { ...each, group: each.group === undefined ? null : "" } : each,
        )
      : null;
  return JSON.stringify([main, errors].map(({ routes }) => withoutGroups(routes)));
}

/** The addresses of a site as a text for comparison. */
function addressesKey({ addresses }: SiteDraft): string {
  return JSON.stringify(addresses);
}

/**
 * True when the sites can be merged: they have the same listen addresses for every port, and the same hosts on each
 * server.
 */
function isOneSite(sites: readonly SiteDraft[]): boolean {
  const ported = sites.filter(({ server }) => server.listening.port !== undefined);
  const byPort = [...Map.groupBy(ported, ({ server }) => server.listening.port).values()];
  const bindsOf = (group: readonly SiteDraft[]) => {
    const binds = group.flatMap(({ server }) => server.listening.binds).filter((bind) => !isSocket(bind));
    return [...new Set(binds.map((bind) => JSON.stringify(bind)))].sort().join();
  };
  return (
    new Set(sites.map(({ server }) => server)).size === sites.length &&
    new Set(byPort.map(bindsOf)).size <= 1 &&
    byPort.every((group) => new Set(group.map(addressesKey)).size === 1)
  );
}

/** Groups the sites that can be merged; groups are in the order of their first sites. */
export function mergeSites(sites: readonly SiteDraft[], merging: Merging): SiteGroup[] {
  const groups = Map.groupBy(
    sites,
    (site) => `${likeness(site)} ${merging === "alike" ? "" : addressesKey(site)}`,
  );
  const merged = [...groups.values()].flatMap((group) =>
    isOneSite(group) ? [group as [SiteDraft]] : split(group),
  );
  return merged.sort(([a], [b]) => sites.indexOf(a) - sites.indexOf(b));
}

/** Splits a group into smaller groups, each of which can be merged. */
function split(sites: readonly SiteDraft[]): SiteGroup[] {
  const groups: [SiteDraft, ...SiteDraft[]][] = [];
  for (const site of sites) {
    const group = groups.find((each) => isOneSite([...each, site]));
    if (group === undefined) {
      groups.push([site]);
    } else {
      group.push(site);
    }
  }
  return groups;
}
