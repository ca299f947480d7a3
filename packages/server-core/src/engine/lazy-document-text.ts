import { type EncodedDocument, encodeJson } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/**
 * Texts that require a search in the parsed document: special names, and the start of escapes that could hide such a
 * name.
 */
const special = ["@id", "__proto__", "\\u"];

/**
 * A document whose canonical text is written on first use. Before that, threads can prepare the document from the
 * client's text.
 */
export class LazyDocumentText implements EncodedDocument {
  /** The document as JSON from the client; undefined when the client sent only a part. */
  readonly sent: string | undefined;
  readonly hasIds = false;
  readonly hasPrototypeKeys = false;
  readonly #config: JsonValue;
  #text: string | undefined;

  private constructor(config: JsonValue, sent: string | undefined) {
    this.#config = config;
    this.sent = sent;
  }

  /** @returns undefined when the document may contain special keys, which only encoding finds */
  static of(config: JsonValue, sent: string): LazyDocumentText | undefined {
    return special.some((text) => sent.includes(text)) ? undefined : new LazyDocumentText(config, sent);
  }

  /**
   * A document that results from a change to a document without special keys.
   * @param written all texts of the change: the text of its path, and its JSON
   * @returns as `of`
   */
  static ofChange(config: JsonValue, written: readonly string[]): LazyDocumentText | undefined {
    return special.some((text) => written.some((each) => each.includes(text)))
      ? undefined
      : new LazyDocumentText(config, undefined);
  }

  /** @throws ServerError CONFIG_SYNTAX as `encodeJson` */
  get text(): string {
    this.#text ??= encodeJson(this.#config);
    return this.#text;
  }
}
