import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule, moduleMap, remembersDecoded } from "server-core/modules/config-fields";
import { inTurn, withErrors } from "server-core/modules/in-turn";
import type { ModuleContext } from "server-core/modules/module-context";
import { runFor } from "server-core/threads/error-owner";
import { z } from "zod";
import type { Exchange } from "./exchange.ts";
import { type HttpHandler, type HttpMatcher, httpHandlers, httpMatchers, type Next } from "./handler.ts";
import { setHeader } from "./header-list.ts";
import { matchersInOrder } from "./matcher-order.ts";
import { refusals, rehearseHandler } from "./rehearsal/rehearse-handler.ts";
import type { RehearsedWay } from "./rehearsed-way.ts";
import { type InnerRoutes, RouteFigures, type RouteReading } from "./route-figures.ts";
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

/** Lists of one module name, shared by chains of one handler: most chains are such. */
const namesOfOne = new Map<string, readonly string[]>();
const maxNamesOfOne = 100;

function handlerNamesOf(handle: RouteConfig["handle"]): readonly string[] {
  if (handle?.length !== 1) {
    return (handle ?? []).map(({ handler }) => String(handler));
  }
  const name = String(handle[0]?.handler);
  const known = namesOfOne.get(name);
  if (known !== undefined) {
    return known;
  }
  const names = [name];
  if (namesOfOne.size < maxNamesOfOne) {
    namesOfOne.set(name, names);
  }
  return names;
}

function namesBody(config: unknown): boolean {
  return JSON.stringify(config).includes("{http.request.body");
}

/** True when a placeholder needs the unread body. */
function lacksBody(exchange: Exchange): boolean {
  return exchange.hasBody && exchange.bufferedBody === undefined;
}

/** Reads the body for placeholders. In error routes an unreadable body is empty, so that their page is sent. */
async function readBody(exchange: Exchange): Promise<void> {
  try {
    await exchange.bufferBody(maxPlaceholderBodyBytes);
  } catch (error) {
    if (exchange.error === undefined) {
      throw error;
    }
    exchange.replaceBody("");
  }
}

/** Routes that stand in no config. */
const added = new WeakSet<RouteConfig>();

/** Marks a route that the server adds, so that places of routes are those of the config. */
export function addedRoute(route: RouteConfig): RouteConfig {
  added.add(route);
  return route;
}

/** The place of each route in its list in the config; `added/0` for the first that the server added. */
function placesOf(routes: readonly Route[]): string[] {
  const counts = { own: 0, added: 0 };
  return routes.map(({ isAdded }) => (isAdded ? `added/${counts.added++}` : String(counts.own++)));
}

/**
 * One route, ready to run. A config may have thousands, so values that only requests need are made with the
 * first request.
 */
class Route {
  readonly group: string | undefined;
  readonly matcherSets: readonly (readonly HttpMatcher[])[];
  readonly handlers: readonly HttpHandler[];
  /** Names of the handlers' modules. */
  readonly handlerNames: readonly string[];
  readonly terminal: boolean;
  /** True when none of its handlers starts background work. */
  readonly startsNothing: boolean;
  readonly hosts: readonly string[] | undefined;
  readonly figures = new RouteFigures();
  /** Whether the server added it. */
  readonly isAdded: boolean;
  readonly #config: RouteConfig;
  #bodyHandler: number | undefined;
  #matchesBody: boolean | undefined;

  constructor(
    config: RouteConfig,
    matcherSets: readonly (readonly HttpMatcher[])[],
    handlers: readonly HttpHandler[],
  ) {
    this.group = config.group || undefined;
    this.matcherSets = matcherSets;
    this.handlers = handlers;
    this.handlerNames = handlerNamesOf(config.handle);
    this.terminal = config.terminal === true;
    this.startsNothing = handlers.every((handler) => handler.startsNothing === true);
    this.hosts = hostsOf(matcherSets);
    this.isAdded = added.has(config);
    this.#config = config;
  }

  /**
   * Index of the first handler that names the body in a placeholder; -1: none. The body is read just before it,
   * so that size limits of earlier handlers apply. A subroute's routes look for themselves.
   */
  get bodyHandler(): number {
    this.#bodyHandler ??= (this.#config.handle ?? []).findIndex(
      (handler) => handler.handler !== "subroute" && namesBody(handler),
    );
    return this.#bodyHandler;
  }

  /** Names of the matchers at these places of its sets. */
  matcherNames(places: readonly number[]): string[] {
    const sets = this.#config.match ?? [];
    return places.map((place, set) => matchersInOrder(sets[set] ?? {})[place] ?? "");
  }

  /** Whether its matchers name the body: it is read before they look. */
  get matchesBody(): boolean {
    this.#matchesBody ??= namesBody(this.#config.match ?? []);
    return this.#matchesBody;
  }
}

/** The longest body for `{http.request.body}`; a longer one gets 413. */
const maxPlaceholderBodyBytes = 10 * 1024 * 1024;

/** Answers with its status an error that no error route answers. */
export function answerError(exchange: Exchange): void {
  if (!exchange.answered) {
    setHeader(exchange.responseHeaders, "Content-Length", "0");
    exchange.respond(exchange.defaultStatus);
  }
}

/**
 * After a terminal route no further route is tried, not even after the subroute that contains it. An error is
 * answered within the route, so that its filters see the answer. Source: the public model (Caddy 2.11)
 */
const stopHere: Next = (exchange) => {
  if (exchange.error !== undefined) {
    answerError(exchange);
  }
};

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
export class RouteList implements InnerRoutes {
  readonly #routes: readonly Route[];
  readonly #index: RouteIndex | undefined;
  readonly #observer: RouteObserver | undefined;
  /** Made with the first reading or rehearsal. */
  #places: readonly string[] | undefined;
  /** The handler after each route, when no group has matched and `#lastNext` is last. */
  readonly #afters: (Next | undefined)[] = [];
  /** The first `next` that was given: at a server it is the same for all requests. */
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

  /**
   * Goes the way that {@link run} goes, for a request that nobody sent.
   * @throws HttpError of a matcher or handler
   */
  rehearse(exchange: Exchange, { rehearsal, path, next }: RehearsedWay): void {
    this.#rehearseFrom(0, new Set(), exchange, { rehearsal, path, next });
  }

  #rehearseFrom(start: number, groups: ReadonlySet<string>, exchange: Exchange, way: RehearsedWay): void {
    const { rehearsal, path, next } = way;
    this.#places ??= placesOf(this.#routes);
    for (const [offset, route] of this.#routes.slice(start).entries()) {
      const index = start + offset;
      const place = `${path}/${this.#places[index]}`;
      if (route.group !== undefined && groups.has(route.group)) {
        rehearsal.pass(place, ["group"]);
        continue;
      }
      const refused = refusals(route.matcherSets, exchange);
      if (refused !== undefined) {
        rehearsal.pass(place, route.matcherNames(refused));
        continue;
      }
      const matched = route.group === undefined ? groups : new Set(groups).add(route.group);
      const after = route.terminal ? () => {} : () => this.#rehearseFrom(index + 1, matched, exchange, way);
      const entered = rehearsal.enter(place);
      const runFromHandler = (position: number): void => {
        const handler = route.handlers[position];
        if (handler === undefined) {
          after();
          return;
        }
        rehearseHandler(exchange, {
          ...{ handler, name: route.handlerNames[position] ?? "", route: entered },
          way: { rehearsal, path: `${place}/handle/${position}`, next: () => runFromHandler(position + 1) },
        });
      };
      runFromHandler(0);
      return;
    }
    next();
  }

  /** Reads the counts of all routes that took a request. */
  *readings(path: string): Iterable<RouteReading> {
    this.#places ??= placesOf(this.#routes);
    for (const [index, { figures, handlers }] of this.#routes.entries()) {
      if (figures.taken === 0) {
        continue;
      }
      const at = `${path}/${this.#places[index]}`;
      yield figures.reading(at);
      for (const [position, { innerRoutes = [] }] of handlers.entries()) {
        for (const [place, inner] of innerRoutes) {
          yield* inner.readings(`${at}/handle/${position}/${place}`);
        }
      }
    }
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
      if (route === undefined || (route.group !== undefined && groups?.has(route.group))) {
        continue;
      }
      if (lacksBody(exchange) && route.matchesBody) {
        const at = index;
        return runFor(exchange, readBody, exchange).then(() => this.#runFrom(at, groups, exchange, next));
      }
      if (!isMatch(route, exchange)) {
        continue;
      }
      route.figures.taken++;
      if (exchange.error === undefined) {
        exchange.routeFigures = route.figures;
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

  /**
   * Handlers that may start background work run in the request's async context: errors of that work are the
   * request's.
   */
  static #runRoute(route: Route, exchange: Exchange, after: Next): void | Promise<void> {
    return route.startsNothing
      ? RouteList.#runHandlers(route, 0, exchange, after)
      : runFor(exchange, RouteList.#runHandlers, route, 0, exchange, after);
  }

  static #runHandlers(route: Route, index: number, exchange: Exchange, after: Next): void | Promise<void> {
    const handler = route.handlers[index];
    if (handler === undefined) {
      return after(exchange);
    }
    if (lacksBody(exchange) && index === route.bodyHandler) {
      return runFor(exchange, readBody, exchange).then(() =>
        RouteList.#runHandlers(route, index, exchange, after),
      );
    }
    exchange.onHandler?.(route.handlerNames[index] ?? "");
    return index + 1 === route.handlers.length
      ? handler.handle(exchange, after)
      : handler.handle(exchange, (inner) => RouteList.#runHandlers(route, index + 1, inner, after));
  }
}

function loadMatcherSet(
  modules: Readonly<Record<string, unknown>>,
  context: ModuleContext,
  path: string,
): HttpMatcher[] | Promise<HttpMatcher[]> {
  const names = matchersInOrder(modules);
  return inTurn(names.length, (index) => {
    const name = names[index] as string;
    return withErrors(
      () => context.provide(httpMatchers, name, modules[name] as JsonValue, `${path}/${name}`),
      (error) => errorWithin(`loading matcher modules: module name '${name}'`, error),
    );
  });
}

function loadMatchers(
  { match }: RouteConfig,
  context: ModuleContext,
  path: string,
): HttpMatcher[][] | Promise<HttpMatcher[][]> {
  const sets = match ?? [];
  return inTurn(sets.length, (position) =>
    loadMatcherSet(sets[position] ?? {}, context, `${path}/match/${position}`),
  );
}

function loadHandlers(
  { handle }: RouteConfig,
  context: ModuleContext,
  path: string,
): HttpHandler[] | Promise<HttpHandler[]> {
  const configs = handle ?? [];
  return inTurn(configs.length, (position) =>
    withErrors(
      () =>
        context.provideInline(
          httpHandlers,
          "handler",
          configs[position] as JsonValue,
          `${path}/handle/${position}`,
        ),
      (error) => errorWithin(`loading handler modules: position ${position}`, error),
    ),
  );
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

function loadRoute(
  route: RouteConfig,
  context: ModuleContext,
  path: string,
  position: number,
): Route | Promise<Route> {
  const routePath = `${path}/${position}`;
  const matcherSets = withErrors(
    () => loadMatchers(route, context, routePath),
    (error) => errorWithin(`setting up route matchers: route ${position}`, error),
  );
  const withHandlers = (sets: HttpMatcher[][]): Route | Promise<Route> => {
    const handlers = withErrors(
      () => loadHandlers(route, context, routePath),
      (error) => errorWithin(`setting up route handlers: route ${position}`, error),
    );
    return handlers instanceof Promise
      ? handlers.then((made) => new Route(route, sets, made))
      : new Route(route, sets, handlers);
  };
  return matcherSets instanceof Promise ? matcherSets.then(withHandlers) : withHandlers(matcherSets);
}
