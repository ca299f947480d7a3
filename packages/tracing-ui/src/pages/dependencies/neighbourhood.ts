import type { Dependency } from "../../api/dependencies.ts";

/**
 * The part of a graph about one service: those that call it, directly or through others, and those that it calls.
 * @param focus undefined, or a service that is in no dependency: the whole graph
 * @param hops  most calls away
 */
export function neighbourhood(
  all: readonly Dependency[],
  focus: string | undefined,
  hops: number,
): readonly Dependency[] {
  if (focus === undefined || !all.some(({ parent, child }) => parent === focus || child === focus))
    return all;
  const callees = reached(all, focus, hops, "parent", "child");
  const callers = reached(all, focus, hops, "child", "parent");
  // Between two callers, or two callees, only what lies on a way to the focus.
  return all.filter(
    ({ parent, child }) => within(callees, parent, child, hops) || within(callers, child, parent, hops),
  );
}

/** Whether an edge leads on from a service that is nearer than the last hop. */
function within(distance: ReadonlyMap<string, number>, from: string, to: string, hops: number): boolean {
  const near = distance.get(from);
  return near !== undefined && near < hops && distance.has(to);
}

/** Services that can be reached, with how many calls away. */
function reached(
  all: readonly Dependency[],
  focus: string,
  hops: number,
  from: "parent" | "child",
  to: "parent" | "child",
): Map<string, number> {
  const next = Map.groupBy(all, (edge) => edge[from]);
  const distance = new Map([[focus, 0]]);
  // A map is walked in the order of insertion: nearer ones first.
  for (const [name, hop] of distance) {
    if (hop >= hops) continue;
    for (const edge of next.get(name) ?? []) {
      if (!distance.has(edge[to])) distance.set(edge[to], hop + 1);
    }
  }
  return distance;
}
