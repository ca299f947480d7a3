import { ValueType } from "../gen/tracing/api_v2/model.ts";
import { type SpanKind, type StatusCode, spanKinds, statusCodes } from "../model/span.ts";
import type { TagTranscoder } from "./tag-transcoder.ts";

const errorKey = Buffer.from("error");
const kindKey = Buffer.from("span.kind");
const statusKey = Buffer.from("otel.status_code");
const descriptionKey = Buffer.from("otel.status_description");

const kinds: readonly (readonly [name: Buffer, number: number])[] = spanKinds.map(
  (kind: SpanKind, number) => [Buffer.from(kind), number],
);
const trueText = Buffer.from("true");
const errorText = Buffer.from("ERROR");
const okText = Buffer.from("OK");

const okNumber = statusCodes.indexOf("ok" satisfies StatusCode);
const errorNumber = statusCodes.indexOf("error" satisfies StatusCode);

/**
 * Kind and status of a span, for search, derived from its tags while they are read. The result equals the results of
 * `kindFromTags` and `statusFromTags`; of several tags with one key, the first counts.
 */
export class DerivedColumns {
  /** Number of the kind; 0 if no tag names a kind. */
  kind = 0;
  /** Start of the status message, which is a tag's value, relative to the list of tags; -1 without a status message. */
  descriptionStart = -1;
  descriptionEnd = -1;
  #hasKind = false;
  #hasError = false;
  #hasStatus = false;
  #hasDescription = false;
  #isError = false;
  #isOk = false;

  /** Must be called before the tags of the next span. */
  clear(): void {
    this.kind = 0;
    this.descriptionStart = -1;
    this.#hasKind = false;
    this.#hasError = false;
    this.#hasStatus = false;
    this.#hasDescription = false;
    this.#isError = false;
    this.#isOk = false;
  }

  /** Number of the status, as in `statusCodes`. */
  get status(): number {
    if (this.#isError) {
      return errorNumber;
    }
    return this.#isOk ? okNumber : 0;
  }

  /**
   * Must be called after each tag that was written. The keys have four different lengths, so for most tags one
   * comparison is enough.
   *
   * | Tag | Result |
   * |---|---|
   * | `error` true, as a bool or a text | status error |
   * | `span.kind=client` and other kinds | kind |
   * | `otel.status_code=ERROR` or `OK` | status, unless `error` has set it |
   * | `otel.status_description` | message of the status |
   */
  see(bytes: Buffer, tag: TagTranscoder): void {
    switch (tag.keyEnd - tag.keyStart) {
      case errorKey.length:
        if (!this.#hasError && hasBytes(bytes, tag.keyStart, errorKey)) {
          this.#hasError = true;
          if (tag.type === ValueType.BOOL ? tag.bool : isText(bytes, tag, trueText)) {
            this.#isError = true;
          }
        }
        break;
      case kindKey.length:
        if (!this.#hasKind && hasBytes(bytes, tag.keyStart, kindKey)) {
          this.#hasKind = true;
          for (const [name, number] of kinds) {
            if (isText(bytes, tag, name)) {
              this.kind = number;
            }
          }
        }
        break;
      case statusKey.length:
        if (!this.#hasStatus && hasBytes(bytes, tag.keyStart, statusKey)) {
          this.#hasStatus = true;
          if (isText(bytes, tag, errorText)) {
            this.#isError = true;
          } else if (isText(bytes, tag, okText)) {
            this.#isOk = true;
          }
        }
        break;
      case descriptionKey.length:
        if (!this.#hasDescription && hasBytes(bytes, tag.keyStart, descriptionKey)) {
          this.#hasDescription = true;
          this.descriptionStart = tag.textStart;
          this.descriptionEnd = tag.textEnd;
        }
        break;
    }
  }
}

/** True when a tag is a string with this value. */
function isText(bytes: Buffer, tag: TagTranscoder, text: Buffer): boolean {
  return (
    tag.type === ValueType.STRING &&
    tag.valueEnd - tag.valueStart === text.length &&
    hasBytes(bytes, tag.valueStart, text)
  );
}

/** True when the bytes at `start` equal `wanted`. */
function hasBytes(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (bytes[start + index] !== wanted[index]) {
      return false;
    }
  }
  return true;
}
