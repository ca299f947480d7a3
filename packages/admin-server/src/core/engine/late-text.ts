import { type EncodedDocument, encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/** Names that need a closer look, and escapes, in which such a name could hide. */
const special = ["@id", "__proto__", "\\u"];

/** A document that is written in its one form when somebody asks for that, so that others can begin with what was sent. */
export class LateText implements EncodedDocument {
  /** The same document as JSON, as it was sent. */
  readonly sent: string;
  readonly hasIds = false;
  readonly hasPrototypeKeys = false;
  readonly #config: JsonValue;
  #text: string | undefined;

  private constructor(config: JsonValue, sent: string) {
    this.#config = config;
    this.sent = sent;
  }

  /** @returns undefined where it takes the written form to know which special keys there are */
  static of(config: JsonValue, sent: string): LateText | undefined {
    return special.some((text) => sent.includes(text)) ? undefined : new LateText(config, sent);
  }

  /** @throws ServerError CONFIG_SYNTAX as `encodeJson` */
  get text(): string {
    this.#text ??= encodeJson(this.#config);
    return this.#text;
  }
}
