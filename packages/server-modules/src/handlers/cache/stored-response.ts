import { getHeader, getHeaders, type HeaderList } from "http-engine/header-list";
import { parseHttpDate } from "../../files/preconditions.ts";
import { type CacheControl, parseCacheControl, secondsOf } from "./cache-control.ts";

/** Statuses whose responses may be stored without an explicit lifetime. Source: RFC 9110 section 15.1 */
const heuristicStatuses = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);
/** Part of the time since `Last-Modified` that is the heuristic lifetime. Source: RFC 9111, section 4.2.2 */
const heuristicPart = 0.1;
/** Longest heuristic lifetime in seconds: one day. */
const maxHeuristicSeconds = 24 * 60 * 60;

/** The facts about a request that a cache needs. */
export interface CachedRequest {
  /** Method of the request; a response to HEAD cannot answer GET. */
  readonly method: string;
  /** Header fields of the request; `Vary` may name some of them. */
  readonly headers: HeaderList;
}

/**
 * How a stored response may be used now.
 * - `fresh`: sent without asking the origin
 * - `stale`: sent, while another request asks the origin
 * - `revalidate`: sent only after the origin confirmed the response
 */
export type Use = "fresh" | "stale" | "revalidate";

/** Fields that are not stored: connection fields, fields that the cache sets itself, and rate limits of one client. */
const notStored = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "age",
  "ratelimit",
  "ratelimit-policy",
]);

/** Names listed in `Vary`, in lower case. */
function varyNames(headers: HeaderList): string[] {
  return getHeaders(headers, "vary")
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** The value of a header field for the comparison by `Vary`. Blanks around commas are removed. */
function selecting(headers: HeaderList, name: string): string {
  return getHeaders(headers, name)
    .flatMap((value) => value.split(","))
    .map((value) => value.trim())
    .join(",");
}

/**
 * True when a shared cache may store the response. Source: RFC 9111 section 3
 * @param fallbackSeconds lifetime of a response without caching fields; 0: only the heuristic lifetime
 */
export function isStorable(
  request: CachedRequest,
  status: number,
  headers: HeaderList,
  fallbackSeconds: number,
): boolean {
  const asked = parseCacheControl(getHeaders(request.headers, "cache-control"));
  const answered = parseCacheControl(getHeaders(headers, "cache-control"));
  const explicit =
    answered.has("s-maxage") || answered.has("max-age") || getHeader(headers, "expires") !== undefined;
  const authorized = getHeader(request.headers, "authorization") !== undefined;
  return (
    request.method === "GET" &&
    status >= 200 &&
    status !== 206 &&
    status !== 304 &&
    !asked.has("no-store") &&
    !answered.has("no-store") &&
    !answered.has("private") &&
    !varyNames(headers).includes("*") &&
    getHeader(headers, "set-cookie") === undefined &&
    (!authorized || answered.has("must-revalidate") || answered.has("public") || answered.has("s-maxage")) &&
    (explicit || answered.has("public") || heuristicStatuses.has(status)) &&
    (explicit || fallbackSeconds > 0 || getHeader(headers, "last-modified") !== undefined)
  );
}

/** The parts of a response to store. */
interface StoredParts {
  readonly status: number;
  /** Response headers without hop-by-hop fields. */
  readonly headers: HeaderList;
  /** The whole body. Incomplete responses are not stored. */
  readonly body: Buffer;
  /** Lifetime, in seconds, of a response with neither caching fields nor `Last-Modified`. */
  readonly fallbackSeconds: number;
  /** Time of the answer in milliseconds since 1970. Default: now. */
  readonly nowMs?: number | undefined;
}

/** A stored response. Source: RFC 9111 */
export class StoredResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Values of the request fields that `Vary` names. */
  readonly #selected: ReadonlyMap<string, string>;
  /** `Cache-Control` directives of the response. */
  readonly #control: CacheControl;
  /** Freshness lifetime in seconds, counted from the `Date` of the response. */
  readonly #lifetime: number;
  /** Age of the response on arrival, in seconds. */
  readonly #initialAge: number;
  /** Time of arrival, in milliseconds since 1970. */
  readonly #storedAtMs: number;

  constructor(
    request: CachedRequest,
    { status, headers, body, fallbackSeconds, nowMs = Date.now() }: StoredParts,
  ) {
    this.status = status;
    this.headers = [];
    for (let index = 0; index < headers.length; index += 2) {
      if (!notStored.has((headers[index] ?? "").toLowerCase())) {
        this.headers.push(headers[index] ?? "", headers[index + 1] ?? "");
      }
    }
    this.body = body;
    this.#selected = new Map(varyNames(headers).map((name) => [name, selecting(request.headers, name)]));
    this.#control = parseCacheControl(getHeaders(headers, "cache-control"));
    const dateMs = (parseHttpDate(getHeader(headers, "date") ?? "") ?? nowMs / 1000) * 1000;
    const age = Number(getHeader(headers, "age") ?? 0);
    this.#initialAge = Math.max(Number.isFinite(age) ? age : 0, (nowMs - dateMs) / 1000, 0);
    this.#storedAtMs = nowMs;
    this.#lifetime = this.#lifetimeFrom(dateMs / 1000, fallbackSeconds);
  }

  /**
   * Determines the lifetime: the first present of `s-maxage`, `max-age`, `Expires`, `default_ttl`, a tenth of the time
   * since `Last-Modified`.
   */
  #lifetimeFrom(date: number, fallbackSeconds: number): number {
    const explicit = secondsOf(this.#control, "s-maxage") ?? secondsOf(this.#control, "max-age");
    if (explicit !== undefined) {
      return explicit;
    }
    const expires = getHeader(this.headers, "expires");
    if (expires !== undefined) {
      return Math.max(0, (parseHttpDate(expires) ?? 0) - date);
    }
    if (fallbackSeconds > 0) {
      return fallbackSeconds;
    }
    const modified = parseHttpDate(getHeader(this.headers, "last-modified") ?? "");
    return modified === undefined
      ? 0
      : Math.max(0, Math.min(maxHeuristicSeconds, (date - modified) * heuristicPart));
  }

  /** Approximate memory of the response, in bytes. */
  get bytes(): number {
    return this.body.length + this.headers.join("").length + 512;
  }

  /** Seconds since the origin generated or confirmed the response. */
  age(nowMs = Date.now()): number {
    return this.#initialAge + (nowMs - this.#storedAtMs) / 1000;
  }

  /** Seconds until the response becomes stale; negative when it is stale. */
  timeToLive(nowMs = Date.now()): number {
    return this.#lifetime - this.age(nowMs);
  }

  /** True when the request has the same values in all fields that `Vary` names. */
  fits(request: CachedRequest): boolean {
    for (const [name, value] of this.#selected) {
      if (selecting(request.headers, name) !== value) {
        return false;
      }
    }
    return true;
  }

  /** Decides how the response may be used. "stale": it is sent while another request refreshes it. */
  use(request: CachedRequest, nowMs = Date.now()): Use {
    const asked = parseCacheControl(getHeaders(request.headers, "cache-control"));
    const pragma =
      getHeaders(request.headers, "cache-control").length === 0 && getHeader(request.headers, "pragma");
    if (asked.has("no-cache") || (pragma && /no-cache/i.test(pragma)) || this.#control.has("no-cache")) {
      return "revalidate";
    }
    const maxAge = secondsOf(asked, "max-age");
    if (maxAge !== undefined && this.age(nowMs) > maxAge) {
      return "revalidate";
    }
    const left = this.timeToLive(nowMs) - (secondsOf(asked, "min-fresh") ?? 0);
    if (left > 0) {
      return "fresh";
    }
    if (this.#mustRevalidate) {
      return "revalidate";
    }
    if (
      asked.has("max-stale") &&
      (asked.get("max-stale") === "" || -left <= (secondsOf(asked, "max-stale") ?? 0))
    ) {
      return "fresh";
    }
    return -left < (secondsOf(this.#control, "stale-while-revalidate") ?? 0) ? "stale" : "revalidate";
  }

  /** True when the response may be sent because the origin failed. Source: RFC 5861 section 4 */
  usableOnError(nowMs = Date.now()): boolean {
    const allowed = secondsOf(this.#control, "stale-if-error") ?? 0;
    return !this.#mustRevalidate && -this.timeToLive(nowMs) < allowed;
  }

  /** True when the response must not be used stale. Source: RFC 9111, section 5.2.2 */
  get #mustRevalidate(): boolean {
    return ["must-revalidate", "proxy-revalidate", "s-maxage"].some((name) => this.#control.has(name));
  }

  /** A copy of the response with the header fields of a 304 merged in. Source: RFC 9111 section 3.2 */
  confirmed(request: CachedRequest, fields: HeaderList, fallbackSeconds: number): StoredResponse {
    const newer = new Set<string>();
    for (let index = 0; index < fields.length; index += 2) {
      newer.add((fields[index] ?? "").toLowerCase());
    }
    const merged = [...fields];
    for (let index = 0; index < this.headers.length; index += 2) {
      if (!newer.has((this.headers[index] ?? "").toLowerCase())) {
        merged.push(this.headers[index] ?? "", this.headers[index + 1] ?? "");
      }
    }
    return new StoredResponse(request, {
      status: this.status,
      headers: merged,
      body: this.body,
      fallbackSeconds,
    });
  }
}
