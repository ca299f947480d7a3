import type { Dispatcher } from "undici";

/** The agent of this process, made for the first request. */
let agent: Promise<Dispatcher> | undefined;

/**
 * HTTP/1.1 connections for the server's own requests, without a proxy. undici's default agent would offer HTTP/2, and a
 * fault in `node:http2` can end the whole process.
 */
export function httpOneAgent(): Promise<Dispatcher> {
  agent ??= import("undici").then(({ Agent }) => new Agent({ allowH2: false }));
  return agent;
}
