import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Exchange, Next } from "./exchange.ts";
import type { RehearsedWay } from "./rehearsed-way.ts";
import type { InnerRoutes } from "./route-figures.ts";

export type { Next } from "./exchange.ts";

/**
 * One handler in a route's chain: it responds, or changes something and calls `next`, or both.
 *
 * - To answer: fill `exchange.responseHeaders`, then `exchange.respond(status, body)`; see `Exchange` for bodies in
 *   pieces. `exchange.defaultStatus` is the status if the config names none.
 * - To change the request: `exchange.rewrite`, `setHost`, `changeRequestHeaders`, `replaceBody`, `vars`; then
 *   `return next(exchange)`.
 * - To change the response: `exchange.interceptResponse` with a `ResponseFilter`, or `exchange.beforeHead`; then
 *   `return next(exchange)`.
 * - To fail: `throw new HttpError(status, message)`.
 *
 * On the hot path, return the result of `next` without `async`: a promise is made only when something waits.
 */
export interface HttpHandler extends ModuleInstance {
  /** @throws HttpError, ServerError; its code becomes the status; anything else is 500 and logged */
  handle(exchange: Exchange, next: Next): void | Promise<void>;
  /**
   * True when it starts no background work (a promise, a timer, a socket), except through `next`. An error in such work
   * finds its request by its async context. Entering a context takes time, so a route without such handlers skips it.
   * Absent: it may start background work.
   */
  readonly startsNothing?: boolean;
  /**
   * Its part in a rehearsal (`GET /http/rehearsal`), which asks what would become of a request.
   *
   * - `runs`: `handle` is called. It changes nothing but the exchange, and calls `next` before it returns or
   *   answers at once.
   * - `answers`: it always answers.
   * - `changes the answer`: it always calls `next`.
   * - `may answer`: it answers or calls `next`; the default.
   * - A function goes through the routes of the handler.
   */
  readonly inRehearsal?:
    | "runs"
    | "answers"
    | "changes the answer"
    | "may answer"
    | ((exchange: Exchange, way: RehearsedWay) => void);
  /** The lists of routes that it runs, by their path in its config: `routes`. Absent: it has none. */
  readonly innerRoutes?: readonly (readonly [place: string, routes: InnerRoutes])[];
}

/** Decides whether a route applies to a request. */
export interface HttpMatcher extends ModuleInstance {
  /** Must not wait; file system access must be synchronous. @throws HttpError to end the request with a status */
  matches(exchange: Exchange): boolean;
  /**
   * Hosts, in lower case, of all requests that it can match; absent when it names none. Lists of many routes are
   * indexed by these hosts.
   */
  readonly exactHosts?: readonly string[] | undefined;
}

/** Modules for `handle` of a route. */
export const httpHandlers: ModuleNamespace<HttpHandler> = { prefix: "http.handlers" };
/** Modules for `match` of a route; the key in a matcher set is the name below the prefix. */
export const httpMatchers: ModuleNamespace<HttpMatcher> = { prefix: "http.matchers" };
