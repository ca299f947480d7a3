import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Connection } from "../connection/connection.ts";

/** Goes on behind a handler, with the same connection or one over it. Resolves when all of that is done. */
export type Next = (connection: Connection) => Promise<void>;

/**
 * One link of a route's chain. It takes the connection and serves it to its end, or changes it and calls `next`, or closes
 * it by returning without either.
 */
export interface Handler extends ModuleInstance {
  /** @throws what is logged; the connection is closed then */
  handle(connection: Connection, next: Next): Promise<void>;
}

/** Says whether a route is for a connection. */
export interface Matcher extends ModuleInstance {
  /** @returns undefined where the bytes that are here do not say yet. @throws what ends the connection */
  matches(connection: Connection): boolean | undefined;
}

/** Where the config names handlers: `{ "handler": "echo" }` is the module `layer4.handlers.echo`. */
export const handlers: ModuleNamespace<Handler> = { prefix: "layer4.handlers" };
/** Where the config names matchers: `{ "ssh": {} }` is the module `layer4.matchers.ssh`. */
export const matchers: ModuleNamespace<Matcher> = { prefix: "layer4.matchers" };
