import type { DependencyLink } from "storage/api";
import { groupNames } from "./name-groups.ts";

type Link = Pick<DependencyLink, "parent" | "child" | "callCount">;

/** Which part of all calls between services is looked at. */
export interface DependencyGraphQuery {
  /** The service in the middle; without it, or with one that calls nobody and is not called, all services. */
  readonly focus?: string | undefined;
  /** Most calls away from the focus. */
  readonly hops: number;
  /** Only services whose names begin with it, and those that they call or are called by. */
  readonly within?: string | undefined;
  /** Most nodes; services are put into groups where there would be more. */
  readonly mostNodes: number;
  /** Most links; those with the fewest calls are left out. */
  readonly mostLinks: number;
}

/** A service, or several whose names begin alike. */
export interface GraphNode {
  /** A service's name, or what the names begin with. */
  readonly name: string;
  /** 1: a service. */
  readonly services: number;
}

/** Calls between services, few enough to be drawn. */
export interface DependencyGraph {
  /** Services and links of the whole time, and of what was asked for, before they were put into groups. */
  readonly all: { readonly services: number; readonly links: number };
  readonly chosen: { readonly services: number; readonly links: number };
  readonly nodes: readonly GraphNode[];
  /** By indexes of nodes, most calls first. Calls within a group are in none. */
  readonly links: readonly { readonly parent: number; readonly child: number; readonly calls: number }[];
  /** Links with fewer calls that were left out. */
  readonly linksLeftOut: number;
}

/** The part of all links that a query asks for, with services in groups where there are too many. */
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
    if (from === to) continue;
    const key = `${from} ${to}`;
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { parent: from, child: to, calls: callCount });
    else sum.calls += callCount;
  }
  const sorted = [...sums.values()].sort((one, other) => other.calls - one.calls);
  return {
    all: { services: namesOf(links).length, links: links.length },
    chosen: { services: names.length, links: chosen.length },
    nodes,
    links: sorted.slice(0, mostLinks),
    linksLeftOut: Math.max(0, sorted.length - mostLinks),
  };
}

/** Groups, where services are put into groups at all: a map of the whole, whose boxes can be read at a glance. */
const mostGroups = 60;

/** Of the groups those that were asked for get two thirds. */
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

/** Links on the ways to a service, and on those from it. */
function neighbourhood(links: readonly Link[], focus: string, hops: number): readonly Link[] {
  if (!links.some(({ parent, child }) => parent === focus || child === focus)) return links;
  const callees = reached(links, focus, hops, "parent", "child");
  const callers = reached(links, focus, hops, "child", "parent");
  // Between two callers, or two callees, only what lies on a way to the focus.
  return links.filter(
    ({ parent, child }) => leadsOn(callees, parent, child, hops) || leadsOn(callers, child, parent, hops),
  );
}

/** Whether a link leads on from a service that is nearer than the last hop. */
function leadsOn(distance: ReadonlyMap<string, number>, from: string, to: string, hops: number): boolean {
  const near = distance.get(from);
  return near !== undefined && near < hops && distance.has(to);
}

/** Services that can be reached, with how many calls away. */
function reached(
  links: readonly Link[],
  focus: string,
  hops: number,
  from: "parent" | "child",
  to: "parent" | "child",
): Map<string, number> {
  const next = Map.groupBy(links, (link) => link[from]);
  const distance = new Map([[focus, 0]]);
  // A map is walked in the order of insertion: nearer ones first.
  for (const [name, hop] of distance) {
    if (hop >= hops) continue;
    for (const link of next.get(name) ?? []) {
      if (!distance.has(link[to])) distance.set(link[to], hop + 1);
    }
  }
  return distance;
}
