import { z } from "zod";
import { errorWithin } from "../core/errors.ts";
import type { JsonValue } from "../core/json/json-value.ts";
import { inlineModule, moduleMap, remembersDecoded } from "../core/modules/config-fields.ts";
import type { ModuleContext } from "../core/modules/module-context.ts";
import type { Exchange } from "./exchange.ts";
import { type HttpHandler, type HttpMatcher, httpHandlers, httpMatchers, type Next } from "./handler.ts";
import { hostsOf, RouteIndex } from "./route-index.ts";
import type { RouteObserver } from "./route-observer.ts";

export const routeSchema = remembersDecoded(
  z.strictObject({
    group: z.string().nullish().describe("After a match, the other routes of the same group are skipped."),
    match: z
      .array(moduleMap("http.matchers"))
      .nullish()
      .describe("Sets of matchers: all of a set must match, of one set at least. Absent: every request."),
    handle: z.array(inlineModule("http.handlers", "handler")).nullish().describe("The chain of handlers."),
    terminal: z.boolean().nullish().describe("Whether no route after this one is tried."),
  }),
);

export type RouteConfig = z.infer<typeof routeSchema>;

interface Route {
  readonly group: string | undefined;
  readonly matcherSets: readonly (readonly HttpMatcher[])[];
  readonly handlers: readonly HttpHandler[];
  /** Names of the handlers' modules. */
  readonly handlerNames: readonly string[];
  readonly terminal: boolean;
  readonly hosts: readonly string[] | undefined;
  /** Whether its config names the body in a placeholder: then it is read before the handlers run. */
  readonly usesBody: boolean;
}

/** The longest body that `{http.request.body}` stands for; a longer one is 413. */
const maxPlaceholderBodyBytes = 10 * 1024 * 1024;

/** After a terminal route nothing is tried any more, not even what comes after a subroute that it stands in. */
const stopHere: Next = () => {};

function isMatch(route: Route, exchange: Exchange): boolean {
  return (
    route.matcherSets.length === 0 ||
    route.matcherSets.some((set) => set.every((matcher) => matcher.matches(exchange)))
  );
}

/**
 * Routes in order, as nested middleware: the handlers of a matching route run around all that comes after, so that
 * matchers of later routes see what earlier handlers changed.
 * Source: the public model (Caddy 2.11), its route algorithm
 */
export class RouteList {
  readonly #routes: readonly Route[];
  readonly #index: RouteIndex | undefined;
  readonly #observer: RouteObserver | undefined;
  /** What comes after each route where no group matched and `#lastNext` comes after the last one. */
  readonly #afters: (Next | undefined)[] = [];
  /** The first that was given: at a server it is the same for all requests. */
  #lastNext: Next | undefined;

  constructor(routes: readonly Route[], observer: RouteObserver | undefined) {
    this.#routes = routes;
    this.#observer = observer;
    this.#index = RouteIndex.of(routes);
  }

  /** @param next what comes after the last route */
  run(exchange: Exchange, next: Next): void | Promise<void> {
    return this.#runFrom(0, undefined, exchange, next);
  }

  #runFrom(
    start: number,
    groups: ReadonlySet<string> | undefined,
    exchange: Exchange,
    next: Next,
  ): void | Promise<void> {
    const hosts = this.#index;
    for (let index = start; index < this.#routes.length; index++) {
      if (hosts !== undefined) {
        index = hosts.next(index, exchange.host);
      }
      const route = this.#routes[index];
      if (
        route === undefined ||
        (route.group !== undefined && groups?.has(route.group)) ||
        !isMatch(route, exchange)
      ) {
        continue;
      }
      const matched = route.group === undefined ? groups : new Set(groups).add(route.group);
      const after = route.terminal ? stopHere : this.#after(index, matched, next);
      return this.#observer === undefined
        ? RouteList.#runRoute(route, exchange, after)
        : this.#observer.observe(route.handlerNames[0] ?? "", exchange, () =>
            RouteList.#runRoute(route, exchange, after),
          );
    }
    return next(exchange);
  }

  #after(index: number, groups: ReadonlySet<string> | undefined, next: Next): Next {
    this.#lastNext ??= next;
    if (groups !== undefined || next !== this.#lastNext) {
      return (inner) => this.#runFrom(index + 1, groups, inner, next);
    }
    const known = this.#afters[index];
    if (known !== undefined) {
      return known;
    }
    const after: Next = (inner) => this.#runFrom(index + 1, undefined, inner, next);
    this.#afters[index] = after;
    return after;
  }

  static #runRoute(route: Route, exchange: Exchange, after: Next): void | Promise<void> {
    return route.usesBody && exchange.hasBody && exchange.bufferedBody === undefined
      ? exchange
          .bufferBody(maxPlaceholderBodyBytes)
          .then(() => RouteList.#runHandlers(route, 0, exchange, after))
      : RouteList.#runHandlers(route, 0, exchange, after);
  }

  static #runHandlers(route: Route, index: number, exchange: Exchange, after: Next): void | Promise<void> {
    const handler = route.handlers[index];
    if (handler === undefined) {
      return after(exchange);
    }
    exchange.onHandler?.(route.handlerNames[index] ?? "");
    return index + 1 === route.handlers.length
      ? handler.handle(exchange, after)
      : handler.handle(exchange, (inner) => RouteList.#runHandlers(route, index + 1, inner, after));
  }
}

async function loadMatchers(
  route: RouteConfig,
  context: ModuleContext,
  path: string,
): Promise<HttpMatcher[][]> {
  const configs = route.match ?? [];
  const sets: HttpMatcher[][] = [];
  for (let position = 0; position < configs.length; position++) {
    const modules = configs[position] ?? {};
    const set: HttpMatcher[] = [];
    for (const name of Object.keys(modules)) {
      try {
        const subpath = `${path}/match/${position}/${name}`;
        set.push(await context.load(httpMatchers, name, modules[name] as JsonValue, subpath));
      } catch (error) {
        throw errorWithin(`loading matcher modules: module name '${name}'`, error);
      }
    }
    sets.push(set);
  }
  return sets;
}

async function loadHandlers(
  route: RouteConfig,
  context: ModuleContext,
  path: string,
): Promise<HttpHandler[]> {
  const configs = route.handle ?? [];
  const handlers: HttpHandler[] = [];
  for (let position = 0; position < configs.length; position++) {
    try {
      const subpath = `${path}/handle/${position}`;
      const config = configs[position] as JsonValue;
      handlers.push(await context.loadInline(httpHandlers, "handler", config, subpath));
    } catch (error) {
      throw errorWithin(`loading handler modules: position ${position}`, error);
    }
  }
  return handlers;
}

/**
 * Provisions routes; those that an older config had too are taken over from it.
 * @param path where they stand below the module's own config: `servers/s/routes`
 * @param observer counts what the routes are asked
 * @throws ServerError saying route and position
 */
export async function loadRoutes(
  routes: readonly RouteConfig[],
  context: ModuleContext,
  path: string,
  observer?: RouteObserver,
): Promise<RouteList> {
  const loaded = await context.parts(routes, (route, position, inner) =>
    loadRoute(route, inner, path, position),
  );
  return new RouteList(loaded, observer);
}

async function loadRoute(
  route: RouteConfig,
  context: ModuleContext,
  path: string,
  position: number,
): Promise<Route> {
  const routePath = `${path}/${position}`;
  let matcherSets: HttpMatcher[][];
  try {
    matcherSets = await loadMatchers(route, context, routePath);
  } catch (error) {
    throw errorWithin(`setting up route matchers: route ${position}`, error);
  }
  try {
    const handlers = await loadHandlers(route, context, routePath);
    return {
      group: route.group || undefined,
      matcherSets,
      handlers,
      handlerNames: (route.handle ?? []).map(({ handler }) => String(handler)),
      terminal: route.terminal === true,
      hosts: hostsOf(matcherSets),
      usesBody: JSON.stringify(route.handle ?? []).includes("{http.request.body"),
    };
  } catch (error) {
    throw errorWithin(`setting up route handlers: route ${position}`, error);
  }
}
