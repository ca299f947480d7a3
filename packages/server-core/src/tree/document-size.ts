import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "../json/encode-json.ts";
import { maxJsonValues } from "../json/json-limits.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";

/** Maximum total length of all keys and texts of a document, in UTF-16 units. */
export const maxDocumentCharacters = 100 * 1024 * 1024;

interface Size {
  /** Number of values of any kind, including objects and lists. */
  readonly values: number;
  /** UTF-16 units of all keys and texts. */
  readonly characters: number;
  /** Levels of nesting. */
  readonly depth: number;
}

/**
 * Checks the size of a document while a patch builds it. `copy` shares parts of the document. Fifty operations could
 * therefore create a document of 2^50 values, which uses no memory until it is written. This class counts copied parts,
 * and measures unchanged parts only once.
 */
export class DocumentSize {
  readonly #known = new WeakMap<JsonObject | readonly JsonValue[], Size>();
  #copied: Size = { values: 0, characters: 0, depth: 0 };

  /** Counts a value that was copied to one more position. @throws ServerError PATCH_MALFORMED above a limit */
  copy(value: JsonValue): void {
    const { values, characters, depth } = this.#measure(value, 0);
    this.#copied = {
      values: this.#copied.values + values,
      characters: this.#copied.characters + characters,
      depth: Math.max(this.#copied.depth, depth),
    };
    DocumentSize.#hold(this.#copied);
  }

  /** @throws ServerError PATCH_MALFORMED when the whole document is above a limit */
  check(document: JsonValue): void {
    DocumentSize.#hold(this.#measure(document, 0));
  }

  static #hold({ values, characters, depth }: Size): void {
    if (values > maxJsonValues) {
      throw new ServerError("PATCH_MALFORMED", `more values than the limit of ${maxJsonValues}`);
    }
    if (characters > maxDocumentCharacters) {
      throw new ServerError(
        "PATCH_MALFORMED",
        `more text than the limit of ${maxDocumentCharacters} characters`,
      );
    }
    if (depth > maxJsonDepth) {
      throw new ServerError("PATCH_MALFORMED", `nested deeper than the limit of ${maxJsonDepth} levels`);
    }
  }

  #measure(value: JsonValue, level: number): Size {
    if (typeof value === "string") {
      return { values: 1, characters: value.length, depth: 0 };
    }
    if (!isJsonArray(value) && !isJsonObject(value)) {
      return { values: 1, characters: 0, depth: 0 };
    }
    const known = this.#known.get(value);
    if (known !== undefined) {
      return known;
    }
    if (level > 2 * maxJsonDepth) {
      return { values: 1, characters: 0, depth: 1 }; // already over the limit, whatever the value contains
    }
    let values = 1;
    let characters = 0;
    let depth = 0;
    for (const [key, child] of Object.entries(value)) {
      const size = this.#measure(child, level + 1);
      values += size.values;
      characters += size.characters + (isJsonArray(value) ? 0 : key.length);
      depth = Math.max(depth, size.depth);
    }
    const size = { values, characters, depth: depth + 1 };
    this.#known.set(value, size);
    return size;
  }
}
