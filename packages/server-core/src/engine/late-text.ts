import { type EncodedDocument, encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/** Names that must be looked for in the parsed document, and the start of escapes that could hide such a name. */
const special = ["@id", "__proto__", "\\u"];

/**
 * A document whose canonical text is written when somebody needs it. Until then threads can prepare the text
 * that was sent.
 */
export class LateText implements EncodedDocument {
  /** The same document as JSON, as it was sent; undefined where only a part of it was. */
  readonly sent: string | undefined;
  readonly hasIds = false;
  readonly hasPrototypeKeys = false;
  readonly #config: JsonValue;
  #text: string | undefined;

  private constructor(config: JsonValue, sent: string | undefined) {
    this.#config = config;
    this.sent = sent;
  }

  /** @returns undefined where only the written form tells which special keys there are */
  static of(config: JsonValue, sent: string): LateText | undefined {
    return special.some((text) => sent.includes(text)) ? undefined : new LateText(config, sent);
  }

  /**
   * A document that a change made from one without special keys.
   * @param written all texts of the change: its path, and the JSON that it puts there
   * @returns as `of`
   */
  static ofChange(config: JsonValue, written: readonly string[]): LateText | undefined {
    return special.some((text) => written.some((each) => each.includes(text)))
      ? undefined
      : new LateText(config, undefined);
  }

  /** @throws ServerError CONFIG_SYNTAX as `encodeJson` */
  get text(): string {
    this.#text ??= encodeJson(this.#config);
    return this.#text;
  }
}
