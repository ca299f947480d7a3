import { getHeader, type HeaderList } from "./header-list.ts";

/**
 * Whether the pieces of a response must not wait for one another: server-sent events, or what says so of itself.
 * Source: WHATWG HTML, server-sent events; RFC 10036, `Incremental`; the public model (Caddy 2.11)
 */
export function isUnbuffered(headers: HeaderList): boolean {
  return (
    /^text\/event-stream\s*(?:;|$)/i.test(getHeader(headers, "content-type") ?? "") ||
    /^\?1\s*(?:;|$)/.test(getHeader(headers, "incremental") ?? "")
  );
}
