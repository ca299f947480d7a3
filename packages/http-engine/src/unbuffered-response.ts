import { getHeader, type HeaderList } from "./header-list.ts";

/**
 * True when pieces of a response must be sent immediately, as for server-sent events and `Incremental` responses.
 * Source: WHATWG HTML, server-sent events; RFC 10036; Caddy 2.11
 */
export function isUnbuffered(headers: HeaderList): boolean {
  return (
    /^text\/event-stream\s*(?:;|$)/i.test(getHeader(headers, "content-type") ?? "") ||
    /^\?1\s*(?:;|$)/.test(getHeader(headers, "incremental") ?? "")
  );
}
