import { ServerError } from "../errors.ts";
import { idKey } from "./id-index.ts";
import { isJsonArray, type JsonObject, type JsonValue } from "./json-value.ts";
import { prototypeKey } from "./prototype-key.ts";

/** Maximum number of nested levels in a document: far above real configs, and far below the limit of the call stack. */
export const maxJsonDepth = 1_000;

const escapedInStrings = /[<>&\u2028\u2029]/g;
const hasSurrogate = /[\ud800-\udfff]/;

/**
 * Characters that JSON must escape, and further characters that the canonical form escapes; most texts contain none.
 */
const needsEscape = /["\\\p{Cc}<>&\u2028\u2029\ud800-\udfff]/u;

function encodeString(text: string): string {
  if (!needsEscape.test(text)) {
    return `"${text}"`;
  }
  const quoted = JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
  return quoted.replace(escapedInStrings, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Compares keys by their UTF-8 bytes. UTF-16 gives the same order, unless a surrogate is compared with U+E000 or above.
 */
function compareKeys(a: string, b: string): number {
  if (hasSurrogate.test(a) || hasSurrogate.test(b)) {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a < b ? -1 : 1;
}

/** Maximum number of keys that are sorted in place, which needs no additional memory. */
const fewKeys = 16;

/** Sorted keys of an object. Nearly all objects have few keys, in an order that is sorted or nearly sorted. */
function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  if (keys.length > fewKeys) {
    return keys.sort(compareKeys);
  }
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let place = index;
    while (place > 0 && compareKeys(keys[place - 1] as string, key) > 0) {
      keys[place] = keys[place - 1] as string;
      place--;
    }
    keys[place] = key;
  }
  return keys;
}

/** Cached encoding of an object, so that another document can include it without reading the object. */
interface Encoded {
  /** The object's JSON. */
  readonly text: string;
  /** Levels of nesting inside of the object. */
  readonly height: number;
  /** Special keys in the object, at any depth. */
  readonly keys: SpecialKeys;
}

/** Special keys at any depth: a sum of {@link idBit} and {@link prototypeBit}. */
type SpecialKeys = number;
const idBit = 1;
const prototypeBit = 2;

function refuseDeeper(depth: number): void {
  if (depth >= maxJsonDepth) {
    throw new ServerError("CONFIG_SYNTAX", `nested deeper than the limit of ${maxJsonDepth} levels`);
  }
}

/**
 * Texts of objects that were encoded before. Documents share objects that a change does not touch. Small objects are
 * not cached.
 */
const encodedObjects = new WeakMap<object, Encoded>();
const leastKeptLength = 64;
/** Minimum length of a text that is cached for an element of a long list; shorter texts are cached with the list. */
const leastKeptLengthInList = 2_048;
/** Minimum length of a text that is kept in pieces. A joined text would be copied again by each enclosing object or list. */
const largeLength = 16 * 1024;
/** Maximum number of pieces; more pieces are joined, because each enclosing level copies the list of pieces. */
const mostPieces = 4_096;

/** A text, or the pieces of a long one. */
type Text = string | string[];

/** Cached encoding of a long list, for all elements together. */
interface EncodedList {
  /** The encoded list; elements are compared by identity. */
  readonly elements: readonly JsonValue[];
  /** JSON of each element. */
  readonly texts: readonly Text[];
  /** Levels of nesting of each element, including the element itself. */
  readonly heights: Uint16Array;
  /** {@link SpecialKeys} of each element. */
  readonly keys: Uint8Array;
}

/** For the first and the last element of a list: the encoding of the last list that began or ended with this object. */
const encodedLists = new WeakMap<object, EncodedList>();
/** Minimum length of a list that is cached as a whole; shorter lists are cached by element. */
const longList = 16;

function keptListOf(array: readonly JsonValue[]): EncodedList | undefined {
  for (const end of [array[0], array.at(-1)]) {
    const kept = typeof end === "object" && end !== null ? encodedLists.get(end) : undefined;
    if (kept !== undefined) {
      return kept;
    }
  }
  return undefined;
}

function isLarge(text: Text): boolean {
  return typeof text !== "string" || text.length >= largeLength;
}

function inPieces(open: string, parts: readonly Text[], close: string): string[] {
  const pieces = [open];
  for (const part of parts) {
    if (pieces.length > 1) {
      pieces.push(",");
    }
    if (typeof part === "string") {
      pieces.push(part);
    } else {
      for (const piece of part) {
        pieces.push(piece);
      }
    }
  }
  pieces.push(close);
  return pieces.length > mostPieces ? [pieces.join("")] : pieces;
}

/** Encodes one document. Unchanged objects and lists of earlier documents come from the caches of this module. */
class DocumentEncoder {
  /** The deepest nesting level since the start of the last container. */
  #deepest = 0;
  /** The special keys that were found since the start of the last container. */
  #met: SpecialKeys = 0;
  /** Minimum length of a text that is cached; larger within a long list. */
  #leastKept = leastKeptLength;

  encode(value: JsonValue): EncodedDocument {
    const text = this.#encode(value, 0);
    return {
      text: typeof text === "string" ? text : text.join(""),
      hasIds: (this.#met & idBit) !== 0,
      hasPrototypeKeys: (this.#met & prototypeBit) !== 0,
    };
  }

  #encode(value: JsonValue, depth: number): Text {
    if (typeof value === "string") {
      return encodeString(value);
    }
    if (typeof value === "number") {
      if (!Number.isFinite(value)) {
        throw new ServerError("CONFIG_SYNTAX", "a number is out of the range of an IEEE double");
      }
      return Object.is(value, -0) ? "-0" : String(value);
    }
    if (typeof value !== "object" || value === null) {
      return String(value);
    }
    const known = encodedObjects.get(value);
    if (known !== undefined) {
      refuseDeeper(depth + known.height);
      this.#deepest = Math.max(this.#deepest, depth + known.height);
      this.#met |= known.keys;
      return known.text;
    }
    refuseDeeper(depth);
    const [deepestBefore, metBefore] = [this.#deepest, this.#met];
    this.#deepest = depth;
    this.#met = 0;
    const text = isJsonArray(value)
      ? this.#encodeArray(value, depth)
      : this.#encodeObject(value as JsonObject, depth);
    if (typeof text === "string" && text.length >= this.#leastKept) {
      encodedObjects.set(value, { text, height: this.#deepest - depth, keys: this.#met });
    }
    this.#deepest = Math.max(deepestBefore, this.#deepest);
    this.#met |= metBefore;
    return text;
  }

  // Pieces are joined, not concatenated with `+`. V8 stores a concatenation as a tree of its parts. The tree of a large
  // document would have a hundred thousand nodes, and V8 would visit all of them for each new document.

  /**
   * Looks up the cached text of an element at its former position, counted from the start of the list or from its end.
   */
  #encodeLongList(array: readonly JsonValue[], depth: number): Text[] {
    const older = keptListOf(array);
    const shift = (older?.elements.length ?? 0) - array.length;
    const list = {
      elements: array,
      texts: new Array<Text>(array.length),
      heights: new Uint16Array(array.length),
      keys: new Uint8Array(array.length),
    };
    const [deepestBefore, metBefore, leastKeptBefore] = [this.#deepest, this.#met, this.#leastKept];
    let [deepestElement, metElements] = [depth, 0];
    this.#leastKept = leastKeptLengthInList;
    try {
      for (let index = 0; index < array.length; index++) {
        const element = array[index] as JsonValue;
        const at =
          typeof element !== "object" || older === undefined
            ? -1
            : older.elements[index] === element
              ? index
              : older.elements[index + shift] === element
                ? index + shift
                : -1;
        const known = at < 0 ? undefined : older?.texts[at];
        if (known !== undefined && older !== undefined) {
          list.heights[index] = older.heights[at] ?? 0;
          list.keys[index] = older.keys[at] ?? 0;
          refuseDeeper(depth + (list.heights[index] ?? 0));
          list.texts[index] = known;
        } else {
          this.#deepest = depth;
          this.#met = 0;
          list.texts[index] = this.#encode(element, depth + 1);
          list.heights[index] = this.#deepest - depth;
          list.keys[index] = this.#met;
        }
        deepestElement = Math.max(deepestElement, depth + (list.heights[index] ?? 0));
        metElements |= list.keys[index] ?? 0;
      }
    } finally {
      this.#leastKept = leastKeptBefore;
    }
    this.#deepest = Math.max(deepestBefore, deepestElement);
    this.#met = metBefore | metElements;
    for (const end of [array[0], array.at(-1)]) {
      if (typeof end === "object" && end !== null) {
        encodedLists.set(end, list);
      }
    }
    return list.texts;
  }

  #encodeElements(array: readonly JsonValue[], depth: number): Text[] {
    if (array.length >= longList) {
      return this.#encodeLongList(array, depth);
    }
    const parts = new Array<Text>(array.length);
    for (let index = 0; index < array.length; index++) {
      parts[index] = this.#encode(array[index] as JsonValue, depth + 1);
    }
    return parts;
  }

  #encodeArray(array: readonly JsonValue[], depth: number): Text {
    const parts = this.#encodeElements(array, depth);
    return parts.some(isLarge) ? inPieces("[", parts, "]") : `[${parts.join(",")}]`;
  }

  #encodeObject(object: JsonObject, depth: number): Text {
    const keys = sortedKeys(object);
    const parts = new Array<Text>(keys.length);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      this.#met |= key === idKey ? idBit : key === prototypeKey ? prototypeBit : 0;
      const text = this.#encode(object[key] as JsonValue, depth + 1);
      const name = `${encodeString(key)}:`;
      parts[index] = isLarge(text) ? [name].concat(text) : `${name}${text}`;
    }
    return parts.some(isLarge) ? inPieces("{", parts, "}") : `{${parts.join(",")}}`;
  }
}

/**
 * Writes a document in its canonical form, which is used for hashes, comparisons, answers and files. It is compact,
 * with keys sorted by bytes and no final newline. `<`, `>`, `&`, U+2028 and U+2029 are escaped as `\uXXXX`, and lone
 * surrogates become U+FFFD.
 * Source: Caddy 2.11, seen running
 * @throws ServerError CONFIG_SYNTAX past {@link maxJsonDepth}, or for a number that is not an IEEE double
 */
export function encodeJson(value: JsonValue): string {
  return encodeDocument(value).text;
}

/** A document as {@link encodeJson} writes it, with its special keys. */
export interface EncodedDocument {
  readonly text: string;
  /** True when an object in it has the member `@id`. */
  readonly hasIds: boolean;
  /** True when an object in it has an own member `__proto__`. */
  readonly hasPrototypeKeys: boolean;
}

/** Like {@link encodeJson}, and also returns the special keys of the document. @throws as `encodeJson` */
export function encodeDocument(value: JsonValue): EncodedDocument {
  return new DocumentEncoder().encode(value);
}
