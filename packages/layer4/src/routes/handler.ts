import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Connection } from "../connection/connection.ts";

/** Continues after a handler, with the same connection or one on top. Resolves when all later handlers are done. */
export type Next = (connection: Connection) => Promise<void>;

/**
 * One handler of a route's chain. It serves the connection to its end, or changes it and calls `next`. If it returns
 * without either, the connection is closed.
 */
export interface Handler extends ModuleInstance {
  /** @throws any error is logged, and the connection is closed */
  handle(connection: Connection, next: Next): Promise<void>;
}

/** Answer of a matcher. */
export type Matched = boolean | undefined | Promise<void>;

/** Decides whether a route applies to a connection. */
export interface Matcher extends ModuleInstance {
  /**
   * @returns undefined when more bytes are needed; a promise when the answer comes later: then all matchers are asked again
   * @throws any error ends the connection
   */
  matches(connection: Connection): Matched;
}

/** Namespace of handlers: `{ "handler": "echo" }` is the module `layer4.handlers.echo`. */
export const handlers: ModuleNamespace<Handler> = { prefix: "layer4.handlers" };
/** Namespace of matchers: `{ "ssh": {} }` is the module `layer4.matchers.ssh`. */
export const matchers: ModuleNamespace<Matcher> = { prefix: "layer4.matchers" };
