import type { HttpHandler, HttpMatcher } from "./handler.ts";
import { matchersInOrder } from "./matcher-order.ts";
import { isAddedRoute, type RouteConfig } from "./route-config.ts";
import { RouteFigures } from "./route-figures.ts";
import { hostsOf } from "./route-index.ts";

/** Lists with one module name, shared between chains, because most chains have only one handler. */
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

/**
 * One route, ready to run. A config may have thousands of routes, so values that only requests need are computed with
 * the first request.
 */
export class Route {
  readonly group: string | undefined;
  readonly matcherSets: readonly (readonly HttpMatcher[])[];
  readonly handlers: readonly HttpHandler[];
  /** Names of the handlers' modules. */
  readonly handlerNames: readonly string[];
  readonly terminal: boolean;
  /** True when no handler of the route starts background work. */
  readonly startsNothing: boolean;
  readonly hosts: readonly string[] | undefined;
  readonly figures = new RouteFigures();
  /** True when the server, not the config, added the route. */
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
    this.isAdded = isAddedRoute(config);
    this.#config = config;
  }

  /**
   * Index of the first handler with a placeholder for the body; -1: no handler has one. The body is read just before
   * this handler, so that size limits of earlier handlers apply. Handlers `subroute` are skipped, because their routes
   * check this themselves.
   */
  get bodyHandler(): number {
    this.#bodyHandler ??= (this.#config.handle ?? []).findIndex(
      (handler) => handler.handler !== "subroute" && namesBody(handler),
    );
    return this.#bodyHandler;
  }

  /** Names of the matchers at these positions: one position per matcher set. */
  matcherNames(places: readonly number[]): string[] {
    const sets = this.#config.match ?? [];
    return places.map((place, set) => matchersInOrder(sets[set] ?? {})[place] ?? "");
  }

  /** True when a matcher has a placeholder for the body. The body is then read before the matchers run. */
  get matchesBody(): boolean {
    this.#matchesBody ??= namesBody(this.#config.match ?? []);
    return this.#matchesBody;
  }
}
