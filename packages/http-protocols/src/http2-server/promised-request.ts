import type { HeaderList } from "../header-list.ts";
import { type H2RequestHead, readRequestFields } from "./request-fields.ts";

/** A checked request that the server promises in a push. */
export interface PromisedRequest {
  /** Head of the request, as if the client had sent it. */
  readonly head: H2RequestHead;
  /** Scheme of the request that the push belongs to. */
  readonly scheme: string;
}

/** Fields about a body, which a promised request lacks, and the field that `:authority` replaces. */
const notPromised: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "te",
  "trailer",
]);

/** The request that a push promises. */
interface PromisedTarget {
  /** `http` or `https`: the scheme of the request to which the push belongs. */
  readonly scheme: string;
  /** Authority of the request to which the push belongs; a client accepts no other authority. */
  readonly authority: string;
  /** GET or HEAD: other methods cannot be promised. Source: RFC 9113, section 8.4 */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Fields of the promised request. */
  readonly headers: HeaderList;
}

/**
 * Checks a request that will be pushed, like a request of a client.
 * @returns undefined for a request that cannot be promised: a method other than GET and HEAD, a target that is not a
 * path, invalid fields
 * Source: RFC 9113, section 8.4.1
 */
export function promisedRequest({
  scheme,
  authority,
  method,
  target,
  headers,
}: PromisedTarget): PromisedRequest | undefined {
  if ((method !== "GET" && method !== "HEAD") || authority === "") {
    return undefined;
  }
  const fields = [
    { name: ":method", value: method },
    { name: ":scheme", value: scheme },
    { name: ":authority", value: authority },
    { name: ":path", value: target },
  ];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = "", value = ""] = [headers[index]?.toLowerCase(), headers[index + 1]];
    if (name.startsWith(":") || notPromised.has(name)) {
      return undefined;
    }
    fields.push({ name, value });
  }
  const head = readRequestFields(fields);
  return typeof head === "string" ? undefined : { head, scheme };
}
