import { getHeader, type HeaderList } from "./header-list.ts";

/**
 * Whether pieces of a response must go out at once, as server-sent events and `Incremental` responses. Source:
 * WHATWG HTML, server-sent events; RFC 10036; the public model (Caddy 2.11)
 */
export function isUnbuffered(headers: HeaderList): boolean {
  return (
    /^text\/event-stream\s*(?:;|$)/i.test(getHeader(headers, "content-type") ?? "") ||
    /^\?1\s*(?:;|$)/.test(getHeader(headers, "incremental") ?? "")
  );
}
