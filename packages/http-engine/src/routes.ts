import { runFor } from "server-core/threads/error-owner";
import type { Exchange } from "./exchange.ts";
import type { Next } from "./handler.ts";
import { setHeader } from "./header-list.ts";
import { PendingMatch } from "./pending-match.ts";
import { refusals, rehearseHandler } from "./rehearsal/rehearse-handler.ts";
import type { RehearsedWay } from "./rehearsed-way.ts";
import type { Route } from "./route.ts";
import type { InnerRoutes, RouteReading } from "./route-figures.ts";
import { RouteIndex } from "./route-index.ts";
import type { RouteObserver } from "./route-observer.ts";

/** True when the body has not been read for placeholders yet. */
function lacksBody(exchange: Exchange): boolean {
  return exchange.hasBody && exchange.bufferedBody === undefined;
}

/**
 * Reads the body for placeholders. In error routes an unreadable body counts as empty, so that the error page can be
 * sent.
 */
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

/** Position of each route in the config's list; `added/0` for the first route that the server added. */
function placesOf(routes: readonly Route[]): string[] {
  const counts = { own: 0, added: 0 };
  return routes.map(({ isAdded }) => (isAdded ? `added/${counts.added++}` : String(counts.own++)));
}

/** Size limit of the body for `{http.request.body}`; a larger body gets 413. */
const maxPlaceholderBodyBytes = 10 * 1024 * 1024;

/** Answers an error that error routes left unanswered, with the status of the error. */
export function answerError(exchange: Exchange): void {
  if (!exchange.answered) {
    setHeader(exchange.responseHeaders, "Content-Length", "0");
    exchange.respond(exchange.defaultStatus);
  }
}

/**
 * After a terminal route no further route is tried, not even after the subroute that contains it. A terminal error
 * route answers the error itself, so that the filters of the route see the response. Source: Caddy 2.11
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

/** @returns a `PendingMatch` when a matcher must wait first. @throws HttpError of a matcher */
function isMatchOrPending(route: Route, exchange: Exchange): boolean | PendingMatch {
  try {
    return isMatch(route, exchange);
  } catch (error) {
    if (error instanceof PendingMatch) {
      return error;
    }
    throw error;
  }
}

/**
 * Routes in order, as nested middleware: the handlers of a matching route run around everything that follows. Matchers
 * of later routes therefore see changes that earlier handlers made. Source: Caddy 2.11, its route
 * algorithm
 */
export class RouteList implements InnerRoutes {
  readonly #routes: readonly Route[];
  readonly #index: RouteIndex | undefined;
  readonly #observer: RouteObserver | undefined;
  /** Positions of the routes; computed for the first reading or rehearsal. */
  #places: readonly string[] | undefined;
  /** Cached `next` of each route, valid when no group has matched and `#lastNext` runs last. */
  readonly #afters: (Next | undefined)[] = [];
  /** The `next` of the first call; at a server, all requests have the same `next`. */
  #lastNext: Next | undefined;

  constructor(routes: readonly Route[], observer: RouteObserver | undefined) {
    this.#routes = routes;
    this.#observer = observer;
    this.#index = RouteIndex.of(routes);
  }

  /** @param next runs after the last route */
  run(exchange: Exchange, next: Next): void | Promise<void> {
    return this.#runFrom(0, undefined, exchange, next);
  }

  /**
   * Tries the routes in the same order as {@link run}, for a simulated request.
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

  /** Reads the counts of all routes that handled a request. */
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
      const matches = isMatchOrPending(route, exchange);
      if (matches instanceof PendingMatch) {
        const at = index;
        return runFor(exchange, () => matches.ready).then(() => this.#runFrom(at, groups, exchange, next));
      }
      if (!matches) {
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
   * Handlers that may start background work run in the request's async context, so that errors of that work are
   * assigned to the request.
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
