import { type Draft, onlyGiven } from "../values/draft.ts";

/** A route of a server or a subroute, before conversion to JSON. */
export interface Route {
  /** Group of mutually exclusive routes: only the first matching route of a group runs. */
  readonly group?: string | undefined;
  /** Matcher sets; without any, the route matches every request. */
  readonly match?: readonly Draft[] | undefined;
  /** Handlers in the order in which they run. */
  readonly handle: readonly Draft[];
  /** True: after this route has matched, no later route runs. */
  readonly terminal?: boolean | undefined;
}

/** Creates a route. @param match undefined matches every request */
export function routeOf(match: Draft | undefined, ...handle: Draft[]): Route {
  return { match: match === undefined ? undefined : [match], handle };
}

/** A route in config form, without empty members. */
export function routeToJson({ group, match, handle, terminal }: Route): Draft {
  return onlyGiven({
    group,
    match: match === undefined ? undefined : [...match],
    handle: [...handle],
    terminal,
  });
}

/** A `subroute` handler that contains these routes. */
export function subrouteHandler(routes: readonly Route[]): Draft {
  return onlyGiven({ handler: "subroute", routes: routes.map(routeToJson) });
}

/** Generates the names of groups: `group0`, `group1` … */
export class GroupNames {
  #count = 0;

  /** The next unused name. */
  next(): string {
    return `group${this.#count++}`;
  }
}
