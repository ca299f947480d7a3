import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Exchange, Next } from "./exchange.ts";
import type { RehearsedWay } from "./rehearsed-way.ts";
import type { InnerRoutes } from "./route-figures.ts";

export type { Next } from "./exchange.ts";

/**
 * One handler in a route's chain: it responds, or changes something and calls `next`, or both.
 *
 * - To answer: fill `exchange.responseHeaders`, then `exchange.respond(status, body)`; see `Exchange` for bodies in
 *   pieces. `exchange.defaultStatus` is the status if the config contains none.
 * - To change the request: `exchange.rewrite`, `setHost`, `changeRequestHeaders`, `replaceBody`, `vars`; then
 *   `return next(exchange)`.
 * - To change the response: `exchange.interceptResponse` with a `ResponseFilter`, or `exchange.beforeHead`; then
 *   `return next(exchange)`.
 * - To fail: `throw new HttpError(status, message)`.
 *
 * On the hot path, return the result of `next` without `async`: a promise is created only when something waits.
 */
export interface HttpHandler extends ModuleInstance {
  /** @throws HttpError, or ServerError, whose code becomes the status; any other error is logged and becomes 500 */
  handle(exchange: Exchange, next: Next): void | Promise<void>;
  /**
   * True when the handler starts no background work (a promise, a timer, a socket). Background work of later handlers
   * does not count. An error in background work is assigned to its request through the async context. Entering a
   * context takes time, so a route without background work skips it. Absent: the handler may start background work.
   */
  readonly startsNothing?: boolean;
  /**
   * The handler's part in a rehearsal (`GET /http/rehearsal`), which simulates a request.
   *
   * - `runs`: `handle` is called. The handler changes only the exchange. It calls `next` before it returns, or answers
   *   without waiting.
   * - `answers`: the handler always answers.
   * - `changes the answer`: the handler always calls `next`.
   * - `may answer`: the handler answers or calls `next`; the default.
   * - A function rehearses the inner routes of the handler.
   */
  readonly inRehearsal?:
    | "runs"
    | "answers"
    | "changes the answer"
    | "may answer"
    | ((exchange: Exchange, way: RehearsedWay) => void);
  /** Route lists that the handler runs, by their path in its config: `routes`. Absent: no inner routes. */
  readonly innerRoutes?: readonly (readonly [place: string, routes: InnerRoutes])[];
}

/** Decides whether a route applies to a request. */
export interface HttpMatcher extends ModuleInstance {
  /**
   * A matcher must not wait; file system access must be synchronous.
   * @throws HttpError to end the request with a status; {@link PendingMatch} to be asked again later
   */
  matches(exchange: Exchange): boolean;
  /**
   * Lower-case hosts of all requests that can match; absent when the matcher does not restrict the host. Long route
   * lists are indexed by these hosts.
   */
  readonly exactHosts?: readonly string[] | undefined;
}

/** Modules for `handle` of a route. */
export const httpHandlers: ModuleNamespace<HttpHandler> = { prefix: "http.handlers" };
/** Modules for `match` of a route; the key in a matcher set is the name below the prefix. */
export const httpMatchers: ModuleNamespace<HttpMatcher> = { prefix: "http.matchers" };
