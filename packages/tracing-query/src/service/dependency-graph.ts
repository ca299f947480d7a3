import type { DependencyLink } from "storage/api";
import { groupNames } from "./name-groups.ts";

type Link = Pick<DependencyLink, "parent" | "child" | "callCount">;

/** Selects a part of the graph of all calls. */
export interface DependencyGraphQuery {
  /** The service in the middle. If absent or without calls, the graph has all services. */
  readonly focus?: string | undefined;
  /** Largest distance from the focus, in calls. Services farther away are left out. */
  readonly hops: number;
  /** Prefix of names: the graph has only these services and their direct callers and callees. */
  readonly within?: string | undefined;
  /** Maximum number of nodes in the answer. Above the limit services are grouped. */
  readonly mostNodes: number;
  /**
   * Maximum number of links in the answer. The links with the fewest calls are left out. A graph of groups has a lower
   * limit.
   */
  readonly mostLinks: number;
}

/** A service, or a group of services whose names have the same prefix. */
export interface GraphNode {
  /** The service's name, or the prefix of the group. */
  readonly name: string;
  /** Number of services in the group; 1 for a single service. */
  readonly services: number;
}

/** A graph of calls that is small enough to draw. */
export interface DependencyGraph {
  /** Number of services and links in the whole time range. */
  readonly all: { readonly services: number; readonly links: number };
  /** Number of services and links in the requested part, before grouping. */
  readonly chosen: { readonly services: number; readonly links: number };
  readonly nodes: readonly GraphNode[];
  /**
   * Calls between nodes, most calls first; `parent` and `child` are indexes into `nodes`. Calls within a group are left
   * out.
   */
  readonly links: readonly { readonly parent: number; readonly child: number; readonly calls: number }[];
  /** Number of links that a limit left out. */
  readonly linksLeftOut: number;
}

/** Cuts the requested part out of all links. Services are grouped when there are too many. */
export function dependencyGraph(links: readonly Link[], query: DependencyGraphQuery): DependencyGraph {
  const { focus, hops, within, mostNodes, mostLinks } = query;
  const near = focus === undefined ? links : neighbourhood(links, focus, hops);
  const isWithin = (name: string) => within !== undefined && name.startsWith(within);
  const chosen =
    within === undefined ? near : near.filter(({ parent, child }) => isWithin(parent) || isWithin(child));
  const names = namesOf(chosen);
  const { nodes, nodeOf } = nodesOf(names, focus, isWithin, mostNodes);
  const sums = new Map<string, { parent: number; child: number; calls: number }>();
  for (const { parent, child, callCount } of chosen) {
    const [from, to] = [nodeOf.get(parent) ?? 0, nodeOf.get(child) ?? 0];
    if (from === to) {
      continue;
    }
    const key = `${from} ${to}`;
    const sum = sums.get(key);
    if (sum === undefined) {
      sums.set(key, { parent: from, child: to, calls: callCount });
    } else {
      sum.calls += callCount;
    }
  }
  const sorted = [...sums.values()].sort((one, other) => other.calls - one.calls);
  const isGrouped = nodes.length < names.length;
  const shown = most(sorted, isGrouped ? Math.min(mostLinks, linksPerGroup * nodes.length) : mostLinks);
  return {
    all: { services: namesOf(links).length, links: links.length },
    chosen: { services: names.length, links: chosen.length },
    nodes,
    links: shown,
    linksLeftOut: sorted.length - shown.length,
  };
}

/** Maximum number of links per group: groups often call nearly all others, which no drawing can show. */
const linksPerGroup = 3;

type Sum = DependencyGraph["links"][number];

/**
 * Keeps the links with the most calls. The busiest link of each node is kept before others, so that few nodes are left
 * without a link.
 */
function most(sorted: readonly Sum[], count: number): Sum[] {
  if (sorted.length <= count) {
    return [...sorted];
  }
  const seen = new Set<number>();
  const first = sorted.filter(({ parent, child }) => {
    const isNew = !seen.has(parent) || !seen.has(child);
    seen.add(parent).add(child);
    return isNew;
  });
  const shown = new Set([...new Set([...first, ...sorted])].slice(0, count));
  return sorted.filter((link) => shown.has(link));
}

/** Maximum number of groups: a drawing with more boxes cannot be read at a glance. */
const mostGroups = 60;

/** Share of the groups that the requested services get. Their neighbours get the rest. */
const shareWithin = 2 / 3;

function nodesOf(
  names: readonly string[],
  focus: string | undefined,
  isWithin: (name: string) => boolean,
  mostNodes: number,
): { nodes: GraphNode[]; nodeOf: ReadonlyMap<string, number> } {
  const budget = Math.min(mostNodes, mostGroups);
  const groups =
    names.length <= mostNodes
      ? names.map((name) => ({ prefix: name, names: [name] }))
      : Object.entries(
          Object.groupBy(names, (name) => (name === focus ? "focus" : isWithin(name) ? "within" : "others")),
        ).flatMap(([part, own = []], _, { length: parts }) => {
          const share = parts === 1 ? 1 : part === "within" ? shareWithin : 1 - shareWithin;
          return groupNames(own, Math.max(1, Math.floor(budget * (focus === undefined ? share : 1))));
        });
  const nodeOf = new Map(
    groups.flatMap(({ names: own }, index) => own.map((name) => [name, index] as const)),
  );
  return { nodes: groups.map(({ prefix, names: own }) => ({ name: prefix, services: own.length })), nodeOf };
}

function namesOf(links: readonly Link[]): string[] {
  return [...new Set(links.flatMap(({ parent, child }) => [parent, child]))].sort();
}

/** Links on paths to the focus and from the focus. */
function neighbourhood(links: readonly Link[], focus: string, hops: number): readonly Link[] {
  if (!links.some(({ parent, child }) => parent === focus || child === focus)) {
    return links;
  }
  const callees = reached(links, { focus, hops, from: "parent", to: "child" });
  const callers = reached(links, { focus, hops, from: "child", to: "parent" });
  // A link between two callers, or between two callees, stays only if it is on a path to the focus.
  return links.filter(
    ({ parent, child }) => leadsOn(callees, parent, child, hops) || leadsOn(callers, child, parent, hops),
  );
}

/** True when the link leads one hop further from a service nearer than `hops`. */
function leadsOn(distance: ReadonlyMap<string, number>, from: string, to: string, hops: number): boolean {
  const near = distance.get(from);
  return near !== undefined && near < hops && distance.has(to);
}

/** Direction in which links are followed, and the number of steps. */
interface Reach {
  readonly focus: string;
  readonly hops: number;
  readonly from: "parent" | "child";
  readonly to: "parent" | "child";
}

/** Reachable services, each with its distance in calls. */
function reached(links: readonly Link[], { focus, hops, from, to }: Reach): Map<string, number> {
  const next = Map.groupBy(links, (link) => link[from]);
  const distance = new Map([[focus, 0]]);
  // A map is iterated in order of insertion, so nearer services are handled first.
  for (const [name, hop] of distance) {
    if (hop >= hops) {
      continue;
    }
    for (const link of next.get(name) ?? []) {
      if (!distance.has(link[to])) {
        distance.set(link[to], hop + 1);
      }
    }
  }
  return distance;
}
