// Finds the route of a connection. A matcher answers yes, no, or "more bytes are needed". Each look asks the
// routes in order:
//
// | answers | what happens |
// |---|---|
// | a route says yes | its handlers run; later routes continue with the connection that they pass on |
// | none matches | the connection goes to `next` |
// | one will answer later | waits for the answer, then all undecided routes are asked again |
// | one needs more bytes, none matches | waits for more bytes, then all undecided routes are asked again |
// | limit of time or bytes | the connection is closed with a `MatchingFault` |

import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import type { Connection, Peeked } from "../connection/connection.ts";
import { type Handler, handlers, type Matched, type Matcher, matchers, type Next } from "./handler.ts";
import { defaultMatchingMs, type RouteConfig } from "./route-config.ts";

/** A loaded route. */
interface Route {
  /** Matcher sets; without any, the route applies to all connections. */
  readonly sets: readonly (readonly Matcher[])[];
  readonly handlers: readonly Handler[];
}

/** The reason why no route was found. The connection is closed, and the reason is logged. */
export class MatchingFault extends Error {
  /** State of the client's stream. */
  readonly peeked: Peeked;

  constructor(peeked: Peeked) {
    const reasons = {
      more: "",
      ended: "the client ended before its bytes said a route",
      full: "the bytes that matchers may look at say no route",
      late: "matching took longer than matching_timeout",
    };
    super(reasons[peeked]);
    this.peeked = peeked;
  }
}

/** Asks all matchers of a set, in order. @returns the first answer other than yes */
function setMatches(set: readonly Matcher[], connection: Connection): Matched {
  for (const matcher of set) {
    const matched = matcher.matches(connection);
    if (matched !== true) {
      return matched;
    }
  }
  return true;
}

/** @returns undefined when a set may still match */
export function anyMatches(sets: Route["sets"], connection: Connection): Matched {
  let isOpen = false;
  for (const set of sets) {
    const matched = setMatches(set, connection);
    if (matched === true || matched instanceof Promise) {
      return matched;
    }
    isOpen ||= matched === undefined;
  }
  return sets.length === 0 ? true : isOpen ? undefined : false;
}

/** Runs handlers; each one calls the next. */
function chain(list: readonly Handler[], index: number, last: Next): Next {
  const handler = list[index];
  return handler === undefined
    ? last
    : (connection) => handler.handle(connection, chain(list, index + 1, last));
}

/** One connection on its way through a list of routes. */
class Way {
  readonly #routes: readonly Route[];
  readonly #matchingMs: number;
  /** Routes that answered no; they are not asked again. */
  readonly #refused = new Set<Route>();
  /** The connection that the last handler passed on. */
  #connection: Connection;
  /** Index of the next route; earlier routes are done. */
  #from = 0;
  /** False until the first bytes were awaited: before that, no matcher can reject by bytes. */
  #hasPeeked = false;

  constructor(routes: readonly Route[], matchingMs: number, connection: Connection) {
    this.#routes = routes;
    this.#matchingMs = matchingMs;
    this.#connection = connection;
  }

  /** @param next receives a connection that no route took. @throws MatchingFault */
  async go(next: Next): Promise<void> {
    let deadlineAt = performance.now() + this.#matchingMs;
    for (;;) {
      const found = this.#find();
      if (found === "none") {
        return next(this.#connection);
      }
      if (found instanceof Promise) {
        await found;
        continue;
      }
      if (found === "unknown") {
        const peeked = await this.#connection.peek(deadlineAt);
        this.#hasPeeked = true;
        if (peeked !== "more") {
          throw new MatchingFault(peeked);
        }
        continue;
      }
      let passedOn: Connection | undefined;
      await chain(found.handlers, 0, async (connection) => {
        passedOn = connection;
      })(this.#connection);
      if (passedOn === undefined) {
        return; // a handler took it
      }
      this.#connection = passedOn;
      // After TLS, the first bytes are different.
      this.#hasPeeked = passedOn.bytes.length > 0;
      this.#from = this.#routes.indexOf(found) + 1;
      deadlineAt = performance.now() + this.#matchingMs;
    }
  }

  /**
   * A route without matchers is chosen only after all earlier routes have decided. Source: caddy-l4,
   * `RouteList.Compile`
   */
  #find(): Route | "none" | "unknown" | Promise<void> {
    let isUnknown = false;
    for (const route of this.#routes.slice(this.#from)) {
      if (this.#refused.has(route) || (isUnknown && route.sets.length === 0)) {
        continue;
      }
      const matched = anyMatches(route.sets, this.#connection);
      if (matched === true) {
        return route;
      }
      if (matched instanceof Promise) {
        return matched;
      }
      if (matched === false) {
        this.#refused.add(route);
      } else if (this.#hasPeeked) {
        isUnknown = true;
      } else {
        return "unknown";
      }
    }
    return isUnknown ? "unknown" : "none";
  }
}

/** A loaded list of routes. */
export class RouteList {
  readonly #routes: readonly Route[];
  readonly #matchingMs: number;

  private constructor(routes: readonly Route[], matchingMs: number) {
    this.#routes = routes;
    this.#matchingMs = matchingMs;
  }

  /**
   * @param path config path of the routes, below the module's own config
   * @throws ServerError naming route and position
   */
  static async load(
    config: {
      readonly routes?: readonly RouteConfig[] | null | undefined;
      readonly matching_timeout?: number | null | undefined;
    },
    context: ModuleContext,
    path: string,
  ): Promise<RouteList> {
    const routes: Route[] = [];
    for (const [index, route] of (config.routes ?? []).entries()) {
      try {
        routes.push(await loadRoute(route, context, `${path}/${index}`));
      } catch (error) {
        throw errorWithin(`route ${index}`, error);
      }
    }
    return new RouteList(routes, config.matching_timeout || defaultMatchingMs);
  }

  /** @param next receives a connection that no route takes. @throws MatchingFault, or the error of a handler */
  run(connection: Connection, next: Next): Promise<void> {
    return new Way(this.#routes, this.#matchingMs, connection).go(next);
  }
}

/** @param path config path of the sets. @throws ServerError */
export async function loadMatcherSets(
  sets: readonly Readonly<Record<string, unknown>>[],
  context: ModuleContext,
  path: string,
): Promise<Matcher[][]> {
  const loaded: Matcher[][] = [];
  for (const [position, modules] of sets.entries()) {
    const set: Matcher[] = [];
    for (const [name, config] of Object.entries(modules)) {
      try {
        set.push(await context.load(matchers, name, config as JsonValue, `${path}/${position}/${name}`));
      } catch (error) {
        throw errorWithin(`loading matcher modules: module name '${name}'`, error);
      }
    }
    loaded.push(set);
  }
  return loaded;
}

/** @param path config path of the chain. @throws ServerError */
export async function loadHandlers(
  configs: readonly Readonly<Record<string, unknown>>[],
  context: ModuleContext,
  path: string,
): Promise<Handler[]> {
  const loaded: Handler[] = [];
  for (const [position, config] of configs.entries()) {
    try {
      loaded.push(await context.loadInline(handlers, "handler", config as JsonValue, `${path}/${position}`));
    } catch (error) {
      throw errorWithin(`loading handler modules: position ${position}`, error);
    }
  }
  return loaded;
}

/** Runs a chain of handlers outside a route. */
export function runHandlers(list: readonly Handler[], connection: Connection, last: Next): Promise<void> {
  return chain(list, 0, last)(connection);
}

/** Loads matchers and handlers of a route. @throws ServerError naming the module */
async function loadRoute(
  { match, handle }: RouteConfig,
  context: ModuleContext,
  path: string,
): Promise<Route> {
  return {
    sets: await loadMatcherSets(match ?? [], context, `${path}/match`),
    handlers: await loadHandlers(handle ?? [], context, `${path}/handle`),
  };
}
