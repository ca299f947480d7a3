import type { Exchange } from "./exchange.ts";

/** Scheme, host and port as the client sees them: as a trusted proxy names them, otherwise from the request itself. */
export function requestOrigin(exchange: Exchange): string {
  const trusted = exchange.server.isTrustedProxy?.(exchange) === true;
  const told = (name: string) => (trusted ? (exchange.header(name).split(",").at(-1)?.trim() ?? "") : "");
  const scheme = told("x-forwarded-proto").toLowerCase();
  return `${/^https?$/.test(scheme) ? scheme : exchange.scheme}://${told("x-forwarded-host") || exchange.hostport}`;
}
