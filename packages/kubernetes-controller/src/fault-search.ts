import { messageOf } from "server-core/errors";
import { type AdminTarget, RefusedError } from "./target/admin-target.ts";
import { ownPartOf } from "./translate/server-document.ts";
import type { Sites } from "./translate/site-listener.ts";

/** Sites without the routes of some objects. */
function without(sites: Sites, excluded: ReadonlySet<string>): Sites {
  if (excluded.size === 0) {
    return sites;
  }
  const listeners = sites.listeners.map((listener) => ({
    ...listener,
    routes: listener.routes.filter(({ source }) => !excluded.has(source)),
  }));
  return { ...sites, listeners };
}

/** Result of `applySites`. */
export interface Applied {
  readonly hasChanged: boolean;
  /** The objects whose routes the server refuses: reason by object ID. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Configures the server. When the server refuses the document, a bisection finds the objects that it refuses, and
 * leaves them out.
 * @param known objects that were refused before, with the reason. The first attempt leaves them out
 * @throws Error when the server does not answer, or refuses a document without any route of the cluster
 */
export async function applySites(
  target: AdminTarget,
  sites: Sites,
  known: ReadonlyMap<string, string>,
): Promise<Applied> {
  const sources = [
    ...new Set(sites.listeners.flatMap(({ routes }) => routes.map(({ source }) => source))),
  ].sort();
  const still = new Map([...known].filter(([source]) => sources.includes(source)));
  const apply = (refused: ReadonlyMap<string, string>) =>
    target.apply(ownPartOf(without(sites, new Set(refused.keys()))));
  try {
    return { hasChanged: await apply(still), refused: still };
  } catch (error) {
    if (!(error instanceof RefusedError) || sources.length === 0) {
      throw error;
    }
  }
  const refused = await searchFaults(target, sites, sources);
  return { hasChanged: await apply(refused), refused };
}

/** @returns the refused objects with the reason */
async function searchFaults(
  target: AdminTarget,
  sites: Sites,
  sources: readonly string[],
): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  const kept = new Set<string>();
  const keep = async (some: readonly string[]): Promise<void> => {
    const chosen = new Set([...kept, ...some]);
    const excluded = new Set(sources.filter((source) => !chosen.has(source)));
    try {
      await target.check(ownPartOf(without(sites, excluded)));
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      if (some.length === 1) {
        refused.set(some[0] ?? "", messageOf(error));
        return;
      }
      const half = Math.ceil(some.length / 2);
      await keep(some.slice(0, half));
      await keep(some.slice(half));
      return;
    }
    for (const source of some) {
      kept.add(source);
    }
  };
  // A document without routes may be refused too, for example because another server has the port. Then a search would
  // blame every route.
  await target.check(ownPartOf(without(sites, new Set(sources))));
  await keep(sources);
  return refused;
}
