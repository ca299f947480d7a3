import { type EncodedDocument, encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/** Names that need a closer look, and escapes, in which such a name could hide. */
const special = ["@id", "__proto__", "\\u"];

/** A document that is written in its one form when somebody asks for that, so that others can begin with what was sent. */
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

  /** @returns undefined where it takes the written form to know which special keys there are */
  static of(config: JsonValue, sent: string): LateText | undefined {
    return special.some((text) => sent.includes(text)) ? undefined : new LateText(config, sent);
  }

  /**
   * A document that a change made of one without special keys.
   * @param written all that the change brought: where it goes, and the JSON that goes there
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
