import type { Exchange } from "http-engine/exchange";

/** Address of a request in the store. */
export interface CacheAddress {
  /** URL that the client asked for: `http://example.com/a?b`. */
  readonly url: string;
  /** Key of the store: the client's URL, the URL after rewrites, and the handler. */
  readonly key: string;
}

/** Separates the parts of a key. No URL contains a line feed. */
const separator = "\n";

/** Key from its parts. */
export function keyOf(url: string, rewritten: string, handler: string): string {
  return [url, rewritten, handler].join(separator);
}

/** The client's URL, and the URL after rewrites. A purge may name either. */
export function urlsOf(key: string): readonly string[] {
  return key.split(separator, 2);
}

/**
 * Finds the address of a request. The method is left out because only GET responses are stored.
 * | Part of the key | Without it |
 * |---|---|
 * | the client's URL | `/a/x` and `/b/x` would be one address once a rewrite has stripped their prefixes |
 * | the URL after rewrites | a rewrite by cookie or language would give all clients one response |
 * | the handler | the same `Host` on another port would read the responses of a server that asks for a password |
 * @param handler path of the handler's config
 */
export function addressOf(exchange: Exchange, handler: string): CacheAddress {
  const { scheme, stream, original, hostport } = exchange;
  const asked = original.target.authority || stream.authority;
  const url = `${scheme}://${asked.toLowerCase()}${original.target.text}`;
  const rewritten = `${scheme}://${hostport.toLowerCase()}${exchange.target}`;
  return { url, key: keyOf(url, rewritten, handler) };
}
