import {
  bytesOfText,
  type Exchange,
  formatQuery,
  parseQuery,
  type QueryParameters,
  replaceKnown,
  ServerError,
  z,
} from "server-module-api";
import { isSignature, type SignatureAlgorithm, sign } from "./signature.ts";

/** Config fields that the handler and the matcher share. */
export const signedUrlFields = {
  secret: z
    .string()
    .min(1, { error: "secret is required" })
    .describe("Key that URLs are signed with; `{env.NAME}` and `{file./path}` are filled in."),
  algorithm: z
    .enum(["", "sha256", "sha384", "sha512"], {
      error: "unsupported algorithm; it is sha256, sha384 or sha512",
    })
    .nullish()
    .describe("Digest of the signature: `sha256`, `sha384` or `sha512` (`sha256`)."),
};

/** Names of parameters and header fields that carry the signature and times. */
export interface SignedUrlNames {
  /** Query parameter of the signature. */
  readonly query: string;
  /** Header field of the signature, used when the parameter is absent. */
  readonly header: string;
  /** Query parameter with the expiry, in seconds of Unix time. */
  readonly expires: string;
  /** Query parameter with the time of signing, of which only the form is checked; "" for none. */
  readonly issued: string;
}

/**
 * The result of checking a request. Clients and logs see these texts. `signed_url` answers 400 for a malformed
 * parameter, and 401 otherwise.
 */
export type SignedUrlVerdict =
  | "good"
  | "missing signature"
  | "invalid signature"
  | "invalid expires parameter"
  | "invalid issued parameter"
  | "URL has expired";

/** The first value of a parameter; "" without one. */
const first = (parameters: QueryParameters, name: string) => parameters.get(name)?.[0] ?? "";

/** Parses seconds as Go does; undefined for other text. */
function readSeconds(text: string): number | undefined {
  return /^[+-]?\d{1,18}$/.test(text) ? Number(text) : undefined;
}

/** Compares names by their bytes, as Go does. */
const inByteOrder = ([one]: [string, unknown], [other]: [string, unknown]) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/**
 * Checks signatures of URLs: the HMAC of the decoded path, `?` and the other parameters, sorted by name.
 * `/a b?x=1&expires=9&signature=…` is signed as `/a b?expires=9&x=1`.
 */
export class SignedUrl {
  readonly #secret: string;
  readonly #algorithm: SignatureAlgorithm;
  readonly #names: SignedUrlNames;

  /** @throws ServerError MODULE_CONFIG when the secret is empty after placeholders are replaced */
  constructor(secret: string, algorithm: string | null | undefined, names: SignedUrlNames) {
    this.#secret = replaceKnown(secret);
    this.#algorithm = (algorithm || "sha256") as SignatureAlgorithm;
    this.#names = names;
    if (this.#secret === "") {
      throw new ServerError("MODULE_CONFIG", "secret is required, and its placeholders have no value");
    }
  }

  /**
   * Checks the URL of a request, as changed by earlier handlers.
   * @param now Unix time in seconds
   */
  judge(exchange: Exchange, now = Math.floor(Date.now() / 1000)): SignedUrlVerdict {
    const { query, header, expires, issued } = this.#names;
    const { parameters } = parseQuery(exchange.query);
    const signature = first(parameters, query) || exchange.header(header);
    if (signature === "") {
      return "missing signature";
    }
    if (issued !== "" && first(parameters, issued) !== "") {
      if (readSeconds(first(parameters, issued)) === undefined) {
        return "invalid issued parameter";
      }
    }
    const end = first(parameters, expires);
    if (end !== "") {
      const seconds = readSeconds(end);
      if (seconds === undefined) {
        return "invalid expires parameter";
      }
      if (now > seconds) {
        return "URL has expired";
      }
    }
    // A `?` in the path could be confused with the start of the query, and so turn a parameter into a part of the path.
    const isClear = !exchange.path.includes("?");
    const expected = sign(this.#algorithm, this.#secret, this.#signedBytes(exchange.path, parameters));
    return isSignature(this.#algorithm, expected, signature) && isClear ? "good" : "invalid signature";
  }

  /** The bytes that the signature covers. */
  #signedBytes(path: string, parameters: QueryParameters): Buffer {
    const others = new Map([...parameters].filter(([name]) => name !== this.#names.query).sort(inByteOrder));
    return Buffer.from(bytesOfText(path + formatQuery(others)), "latin1");
  }
}
