import type { Exchange } from "http-engine/exchange";
import { getHeaders, setHeader } from "http-engine/header-list";
import { EncryptJWT, type JWTPayload, jwtDecrypt } from "jose";
import { LRUCache } from "lru-cache";
import { ServerError } from "server-core/errors";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import type { SessionKeys } from "../../sessions/session-key-ring.ts";
import { type KeysRequest, sessionTopics } from "../../sessions/session-messages.ts";

/**
 * Maximum number of characters of a cookie value. A longer value is split over several cookies. Browsers accept cookies
 * of 4,096 bytes, including name and attributes.
 */
const maxPartLength = 3_600;
/**
 * Maximum number of cookies for one value; a session that needs more is refused. Upstream servers limit all headers
 * together, often to 8 KB.
 */
const maxParts = 4;
/**
 * Maximum number of opened values that are cached. Further values replace the least recently used ones. Opening a value
 * takes some hundred microseconds.
 */
const maxOpened = 1_000;
/**
 * Milliseconds for which known keys are used before they are read again. A cookie with an unknown key id causes an
 * immediate reload.
 */
const keysTrustedMs = 60_000;
/** Milliseconds between two reloads for unknown keys, so that invented key ids cause few reloads. */
const missedPauseMs = 1_000;

/** Attributes of a cookie, except its lifetime. `HttpOnly` is always set. */
export interface CookieAttributes {
  /** Path prefix for which the browser sends the cookie. */
  readonly path: string;
  /** Domain whose hosts share the cookie; "" restricts it to this host. */
  readonly domain: string;
  /** `lax`: the browser sends the cookie after the redirect from the provider; `none`: also inside frames. */
  readonly sameSite: "lax" | "none";
  /** True when the browser sends the cookie over TLS only. */
  readonly secure: boolean;
}

/** Name and value of all cookies of a request. */
export function readCookies(exchange: Exchange): Map<string, string> {
  const found = new Map<string, string>();
  for (const header of getHeaders(exchange.requestHeaders, "cookie")) {
    for (const pair of header.split(";")) {
      const cut = pair.indexOf("=");
      const name = pair.slice(0, cut).trim();
      if (cut > 0 && !found.has(name)) {
        found.set(name, pair.slice(cut + 1).trim());
      }
    }
  }
  return found;
}

/** Removes cookies from a request, so that later handlers do not see them. */
export function hideCookies(exchange: Exchange, isHidden: (name: string) => boolean): void {
  const kept = getHeaders(exchange.requestHeaders, "cookie").flatMap((header) =>
    header
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "" && !isHidden(pair.slice(0, Math.max(pair.indexOf("="), 0)))),
  );
  exchange.changeRequestHeaders((headers) => {
    setHeader(headers, "Cookie", kept.join("; "));
    if (kept.length === 0) {
      headers.length -= 2;
    }
  });
}

/**
 * A `Set-Cookie` value: `oidc=abc; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure`.
 * @param maxAgeS seconds; 0 removes the cookie
 */
export function setCookie(
  name: string,
  value: string,
  maxAgeS: number,
  attributes: CookieAttributes,
): string {
  const { path, domain, sameSite, secure } = attributes;
  return [
    `${name}=${value}`,
    `Path=${path}`,
    ...(domain === "" ? [] : [`Domain=${domain}`]),
    `Max-Age=${maxAgeS}`,
    "HttpOnly",
    `SameSite=${sameSite === "lax" ? "Lax" : "None"}`,
    ...(secure ? ["Secure"] : []),
  ].join("; ");
}

/** Name of the cookie with this part of a value: `oidc`, `oidc.1` and so on. */
function partName(name: string, part: number): string {
  return part === 0 ? name : `${name}.${part}`;
}

/** True when the cookie is a part of the value stored under `name`. */
export function isPartOf(name: string, cookie: string): boolean {
  return cookie === name || (cookie.startsWith(`${name}.`) && /^\d$/.test(cookie.slice(name.length + 1)));
}

/** Joins the sealed value from the request's cookies; "" when there are no such cookies. */
export function joinParts(cookies: ReadonlyMap<string, string>, name: string): string {
  let value = "";
  for (let part = 0; part < maxParts; part++) {
    const text = cookies.get(partName(name, part));
    if (text === undefined) {
      break;
    }
    value += text;
  }
  return value;
}

/** A value that may need several cookies. */
interface CookieText {
  /** Name of the first cookie; the names of further cookies end in a number. */
  readonly name: string;
  /** Sealed value. Browsers accept about 4,096 bytes in a cookie, so a long value is split into parts. */
  readonly value: string;
  /** Seconds until the browser discards the cookie. */
  readonly maxAgeS: number;
  /** Attributes of all parts. */
  readonly attributes: CookieAttributes;
}

/**
 * `Set-Cookie` values for a value of any length. Parts that remain from an older, longer value are removed.
 * @throws ServerError HTTP_RESPONSE when the value is too long for browsers
 */
export function setParts(
  cookies: ReadonlyMap<string, string>,
  { name, value, maxAgeS, attributes }: CookieText,
): string[] {
  const count = Math.ceil(value.length / maxPartLength);
  if (count > maxParts) {
    throw new ServerError(
      "HTTP_RESPONSE",
      `a session of ${value.length} bytes, limit ${maxParts * maxPartLength}: choose fewer with claims`,
    );
  }
  return Array.from({ length: maxParts }, (_, part) => {
    const text = value.slice(part * maxPartLength, (part + 1) * maxPartLength);
    const cookie = partName(name, part);
    if (text !== "") {
      return setCookie(cookie, text, maxAgeS, attributes);
    }
    return cookies.has(cookie) ? setCookie(cookie, "", 0, attributes) : "";
  }).filter((each) => each !== "");
}

/**
 * Encrypts values for storage at clients, which can neither read nor change them: AES-256-GCM with keys of the app
 * `sessions`. A sealed value is a JWE with `dir` and `A256GCM`. The `kid` names the key, the audience names the
 * purpose, and the expiry is the end of its lifetime. All three are checked on opening. Source: RFC 7516
 */
export class Sealer {
  readonly #messages: ThreadMessages;
  readonly #purpose: string;
  /** Cache of recently opened values, by sealed text. */
  readonly #opened = new LRUCache<string, JWTPayload>({ max: maxOpened });
  /** Keys from the last reload, the newest first. */
  #keys: SessionKeys = { keys: [] };
  /** Time of the last reload, in milliseconds since 1970. */
  #askedAt = 0;

  constructor(messages: ThreadMessages, purpose: string) {
    this.#messages = messages;
    this.#purpose = purpose;
  }

  /** @param use purpose of the value; `open` must name the same purpose. @throws ServerError STORAGE, THREAD */
  async seal(use: string, value: JWTPayload, lifetimeS: number): Promise<string> {
    const [newest] = await this.#keysFor("");
    if (newest === undefined) {
      throw new ServerError("STORAGE", "there is no key for sessions");
    }
    return new EncryptJWT(value)
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: newest.id })
      .setAudience(use)
      .setExpirationTime(Math.floor(Date.now() / 1000) + lifetimeS)
      .encrypt(newest.key);
  }

  /**
   * @returns undefined for an expired value, and for a value that was not sealed with this server's keys for this
   * purpose. @throws ServerError STORAGE, THREAD
   */
  async open(use: string, sealed: string): Promise<JWTPayload | undefined> {
    const known = this.#opened.get(sealed);
    if (known !== undefined) {
      return known.aud === use && (known.exp ?? 0) > Date.now() / 1000 ? known : undefined;
    }
    const id = keyIdOf(sealed);
    const found = (await this.#keysFor(id)).find((each) => each.id === id);
    if (found === undefined) {
      return undefined;
    }
    try {
      const { payload } = await jwtDecrypt(sealed, found.key, {
        audience: use,
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      this.#opened.set(sealed, payload);
      return payload;
    } catch {
      return undefined;
    }
  }

  /** Returns keys that are at most a minute old. They are reloaded when a value names an unknown key. */
  async #keysFor(wanted: string): Promise<SessionKeys["keys"]> {
    const now = Date.now();
    const missed = wanted !== "" && !this.#keys.keys.some(({ id }) => id === wanted);
    if (now - this.#askedAt >= (missed ? missedPauseMs : keysTrustedMs)) {
      const request: KeysRequest = { purpose: this.#purpose, wanted };
      this.#keys = (await this.#messages.askMain(sessionTopics.keys, request)) as SessionKeys;
      this.#askedAt = now;
    }
    return this.#keys.keys;
  }
}

/** Id of the key that sealed a value; "" for text that is not a sealed value. */
function keyIdOf(sealed: string): string {
  try {
    const header: unknown = JSON.parse(
      Buffer.from(sealed.slice(0, sealed.indexOf(".")), "base64url").toString(),
    );
    const { kid } = header as { kid?: unknown };
    return typeof kid === "string" ? kid : "";
  } catch {
    return "";
  }
}
