import type { ModuleInstance, ModuleNamespace } from "../core/modules/module.ts";
import type { Exchange } from "./exchange.ts";

/** Runs what comes after in the chain. */
export type Next = (exchange: Exchange) => void | Promise<void>;

/** One link of a route's chain: answers, or changes something and calls `next`, or both. */
export interface HttpHandler extends ModuleInstance {
  /** @throws ServerError; its code becomes the status */
  handle(exchange: Exchange, next: Next): void | Promise<void>;
}

/** Says whether a route is for a request. */
export interface HttpMatcher extends ModuleInstance {
  matches(exchange: Exchange): boolean;
}

export const httpHandlers: ModuleNamespace<HttpHandler> = { prefix: "http.handlers" };
export const httpMatchers: ModuleNamespace<HttpMatcher> = { prefix: "http.matchers" };
