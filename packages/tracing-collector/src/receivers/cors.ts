import type { HttpAnswer, HttpRequestHead } from "./http-messages.ts";

/** Methods of simple requests, as Jaeger allows. */
const allowedMethods: readonly string[] = ["GET", "POST", "HEAD"];
/** Allowed headers when the options contain none. */
const usualHeaders: readonly string[] = ["accept", "content-type", "x-requested-with"];
const preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
/**
 * Maximum number of empty parts in the list of a header; a list with more is not accepted. One space on either side of
 * a name is allowed.
 */
const maxEmptyParts = 16;

/**
 * Allows pages of other sites to send spans (cross-origin resource sharing), with credentials, like Jaeger.
 * An answer to another origin has no CORS headers, so the browser refuses it; the server makes no further check.
 * Source: Fetch standard, "CORS protocol"; github.com/rs/cors 1.11, which Jaeger uses
 */
export class Cors {
  readonly #anyOrigin: boolean;
  readonly #origins: ReadonlySet<string>;
  /** Origins with one `*`: the text before it, and the text after it. */
  readonly #wildcards: readonly (readonly [start: string, end: string])[];
  readonly #anyHeader: boolean;
  /** Allowed headers in lower case, sorted. */
  readonly #headers: readonly string[];

  /**
   * @param origins `https://shop.example`, `https://*.example`, or `*`, in any case
   * @param headers headers that pages may send; `*` allows any; an empty list allows `usualHeaders`
   */
  private constructor(origins: readonly string[], headers: readonly string[]) {
    const lower = origins.map((origin) => origin.toLowerCase());
    this.#anyOrigin = lower.includes("*");
    this.#origins = new Set(lower.filter((origin) => !origin.includes("*")));
    this.#wildcards = lower.flatMap((origin) => {
      const at = origin.indexOf("*");
      return at < 0 ? [] : [[origin.slice(0, at), origin.slice(at + 1)] as const];
    });
    this.#anyHeader = headers.includes("*");
    const names = headers.length === 0 ? usualHeaders : headers.map((name) => name.toLowerCase());
    this.#headers = [...new Set(names)].sort();
  }

  /** @returns undefined without an allowed origin; CORS is then disabled, and `headers` have no effect */
  static of(origins: readonly string[], headers: readonly string[]): Cors | undefined {
    return origins.length === 0 ? undefined : new Cors(origins, headers);
  }

  /**
   * Sets the CORS headers of an answer, or answers a preflight request.
   * @returns true when the request was a preflight, which is then answered with 204
   */
  apply(request: HttpRequestHead, response: HttpAnswer): boolean {
    const { origin = "", "access-control-request-method": wanted = "" } = request.headers;
    if (request.method === "OPTIONS" && wanted !== "") {
      this.#answerPreflight(request, response, origin, wanted);
      return true;
    }
    response.setHeader("Vary", "Origin");
    if (this.#isAllowed(origin) && allowedMethods.includes(request.method ?? "")) {
      this.#allow(response, origin);
    }
    return false;
  }

  #answerPreflight(request: HttpRequestHead, response: HttpAnswer, origin: string, wanted: string): void {
    response.setHeader("Vary", preflightVary);
    const headers = request.headers["access-control-request-headers"];
    if (
      this.#isAllowed(origin) &&
      allowedMethods.includes(wanted) &&
      (headers === undefined || this.#anyHeader || this.#areAllowed(headers))
    ) {
      this.#allow(response, origin);
      response.setHeader("Access-Control-Allow-Methods", wanted);
      if (headers !== undefined && headers !== "") {
        response.setHeader("Access-Control-Allow-Headers", headers);
      }
    }
    response.writeHead(204).end();
  }

  #allow(response: HttpAnswer, origin: string): void {
    response.setHeader("Access-Control-Allow-Origin", this.#anyOrigin ? "*" : origin);
    response.setHeader("Access-Control-Allow-Credentials", "true");
  }

  #isAllowed(origin: string): boolean {
    if (origin === "") {
      return false;
    }
    const lower = origin.toLowerCase();
    return (
      this.#anyOrigin ||
      this.#origins.has(lower) ||
      this.#wildcards.some(
        ([start, end]) =>
          lower.length >= start.length + end.length && lower.startsWith(start) && lower.endsWith(end),
      )
    );
  }

  /**
   * True when all headers are allowed. Browsers send the names in lower case, sorted and without repeats; other lists
   * are refused.
   */
  #areAllowed(list: string): boolean {
    let last = -1;
    let emptyParts = 0;
    for (const part of list.split(",")) {
      const name = part.replace(/^[ \t]/, "").replace(/[ \t]$/, "");
      if (name === "") {
        if (++emptyParts > maxEmptyParts) {
          return false;
        }
        continue;
      }
      const position = this.#headers.indexOf(name);
      if (position <= last) {
        return false;
      }
      last = position;
    }
    return true;
  }
}
