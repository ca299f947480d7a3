import type { Dispatcher } from "undici";

/** One for the process, made with the first request. */
let agent: Promise<Dispatcher> | undefined;

/**
 * Connections of HTTP/1.1 for what the server asks on its own, without a proxy. The default ones of undici offer HTTP/2, and a fault
 * of `node:http2` can end the whole process.
 */
export function httpOneAgent(): Promise<Dispatcher> {
  agent ??= import("undici").then(({ Agent }) => new Agent({ allowH2: false }));
  return agent;
}
