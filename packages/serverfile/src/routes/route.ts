import { type Draft, onlyGiven } from "../values/draft.ts";

/** A route of a server or a subroute, before it is JSON. */
export interface Route {
  /** Routes of one group exclude each other: only the first that matches runs. */
  readonly group?: string | undefined;
  /** Sets of matchers; none is every request. */
  readonly match?: readonly Draft[] | undefined;
  /** Handlers in the order in which they run. */
  readonly handle: readonly Draft[];
  /** True: no route behind it runs when it matches. */
  readonly terminal?: boolean | undefined;
}

/** A route for one handler. @param match undefined is every request */
export function routeOf(match: Draft | undefined, ...handle: Draft[]): Route {
  return { match: match === undefined ? undefined : [match], handle };
}

/** A route as the config has it; empty members are left out. */
export function routeToJson({ group, match, handle, terminal }: Route): Draft {
  return onlyGiven({
    group,
    match: match === undefined ? undefined : [...match],
    handle: [...handle],
    terminal,
  });
}

/** A `subroute` handler with these routes. */
export function subrouteHandler(routes: readonly Route[]): Draft {
  return onlyGiven({ handler: "subroute", routes: routes.map(routeToJson) });
}

/** Hands out the names of groups: `group0`, `group1` … */
export class GroupNames {
  #count = 0;

  /** The next name. */
  next(): string {
    return `group${this.#count++}`;
  }
}
