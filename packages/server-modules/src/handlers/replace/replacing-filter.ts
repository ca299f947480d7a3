import type { Exchange } from "http-engine/exchange";
import { getHeader, type HeaderList, removeHeaders, setHeader } from "http-engine/header-list";
import { ResponseFilter, type ResponseSink } from "http-engine/response-sink";
import type { ResponseMatcher } from "../../matchers/response-matcher.ts";
import type { BodyReplacer } from "./stream-replacer.ts";

/** Header fields that depend on the body's bytes. */
const fieldsOfBytes = new Set([
  "content-length",
  "accept-ranges",
  "content-md5",
  "digest",
  "content-digest",
  "repr-digest",
]);

/** True when the response has an uncompressed body. */
function isPlainBody(status: number, headers: HeaderList): boolean {
  const coding = getHeader(headers, "content-encoding") ?? "";
  return status >= 200 && ![204, 206, 304].includes(status) && (coding === "" || coding === "identity");
}

/**
 * Replaces texts in a response while it passes. A strong tag becomes weak, because the bytes differ. Fields that depend
 * on the bytes of the body, such as the length, are removed.
 */
export class ReplacingFilter extends ResponseFilter {
  readonly #exchange: Exchange;
  readonly #matches: ResponseMatcher;
  readonly #replacerOf: (exchange: Exchange) => BodyReplacer;
  /** Undefined while the response passes unchanged. */
  #replacer: BodyReplacer | undefined;

  /** @param replacerOf called with the head, after later handlers have set their placeholders */
  constructor(
    below: ResponseSink,
    exchange: Exchange,
    matches: ResponseMatcher,
    replacerOf: (exchange: Exchange) => BodyReplacer,
  ) {
    super(below);
    this.#exchange = exchange;
    this.#matches = matches;
    this.#replacerOf = replacerOf;
  }

  override head(status: number, headers: HeaderList): void {
    if (isPlainBody(status, headers) && this.#matches(status, headers, this.#exchange)) {
      this.#replacer = this.#replacerOf(this.#exchange);
      removeHeaders(headers, (name) => fieldsOfBytes.has(name));
      const tag = getHeader(headers, "etag");
      if (tag?.startsWith('"') === true) {
        setHeader(headers, "Etag", `W/${tag}`);
      }
    }
    super.head(status, headers);
  }

  override write(chunk: Uint8Array): boolean {
    if (this.#replacer === undefined) {
      return super.write(chunk);
    }
    const replaced = this.#replacer.push(chunk);
    return replaced.length === 0 || super.write(replaced);
  }

  override end(chunk?: Uint8Array): void {
    if (this.#replacer === undefined) {
      super.end(chunk);
      return;
    }
    const replaced = this.#replacer.end(chunk ?? new Uint8Array());
    super.end(replaced.length === 0 ? undefined : replaced);
  }
}
