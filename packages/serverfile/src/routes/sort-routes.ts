import { stableSort } from "../values/stable-sort.ts";
import type { Route } from "./route.ts";
import type { DirectiveResult, Placed } from "./site-results.ts";

/** Directives whose least specific route comes first, because a later route overrides an earlier one. */
const reversed = new Set(["vars", "log_level"]);

/** A route with its sort key. */
interface Key {
  readonly placed: Placed<DirectiveResult>;
  readonly position: number;
  readonly route: Route | undefined;
  /** The path of a route with one matcher set and one path; "" for other routes. */
  readonly path: string;
  readonly hasMatcher: boolean;
}

function keyOf(placed: Placed<DirectiveResult>, positions: ReadonlyMap<string, number>): Key {
  const route = placed.result.kind === "route" ? placed.result.route : undefined;
  const paths = route?.match?.length === 1 ? route.match[0]?.path : undefined;
  const [path] = Array.isArray(paths) && paths.length === 1 ? paths : [];
  return {
    placed,
    route,
    position: positions.get(placed.directive) ?? 0,
    path: typeof path === "string" ? path : "",
    hasMatcher: (route?.match?.length ?? 0) > 0,
  };
}

/** Cache of positions by order list. All blocks of a file use the same list. */
const positionsByOrder = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** Position of each directive in an order. */
export function positionsIn(order: readonly string[]): ReadonlyMap<string, number> {
  let positions = positionsByOrder.get(order);
  if (positions === undefined) {
    positions = new Map(order.map((name, index) => [name, index]));
    positionsByOrder.set(order, positions);
  }
  return positions;
}

/**
 * True when a route comes before another route of its directive: longer paths are first, without counting a final `*`;
 * `/a` is before `/a*`. If a path is missing, a route with a matcher comes before a route without a matcher.
 */
function comesFirst(a: Key, b: Key): boolean {
  if (a.route === undefined || b.route === undefined) {
    return false;
  }
  if (a.path === "" || b.path === "") {
    return a.hasMatcher && !b.hasMatcher;
  }
  const [aTrimmed, bTrimmed] = [a.path.replace(/\*$/, ""), b.path.replace(/\*$/, "")];
  if (aTrimmed === bTrimmed) {
    return a.path.length < b.path.length;
  }
  const [aLength, bLength] = [Buffer.byteLength(aTrimmed), Buffer.byteLength(bTrimmed)];
  return aLength === bLength ? aTrimmed < bTrimmed : aLength > bLength;
}

/** True when sorting puts a route before another route of the same directive, regardless of their order in the text. */
export function precedes(a: Route, b: Route): boolean {
  const keys = [a, b].map((route) => keyOf({ directive: "", result: { kind: "route", route } }, new Map()));
  const [first, second] = keys;
  return first !== undefined && second !== undefined && comesFirst(first, second);
}

/**
 * Sorts by the order of directives, then by path with the longest first, then routes with a matcher before routes
 * without.
 * @param order names of directives in order
 */
export function sortRoutes(
  routes: readonly Placed<DirectiveResult>[],
  order: readonly string[],
): Placed<DirectiveResult>[] {
  if (routes.length < 2) {
    return [...routes];
  }
  const positions = positionsIn(order);
  const keys = routes.map((placed) => keyOf(placed, positions));
  stableSort(keys, (a, b) => {
    if (a.placed.directive !== b.placed.directive) {
      return a.position < b.position;
    }
    return reversed.has(a.placed.directive) ? comesFirst(b, a) : comesFirst(a, b);
  });
  return keys.map(({ placed }) => placed);
}
