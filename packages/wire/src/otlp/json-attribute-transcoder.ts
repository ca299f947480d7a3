import { JsonMembers } from "../json/json-members.ts";
import type { JsonTape } from "../json/json-tape.ts";
import type { JsonValues } from "../json/json-values.ts";
import { type Attribute, type AttributeValue, attributeTypeCodes } from "../model/attribute.ts";
import { attributeText, doubleText } from "../rows/attribute-text.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { checkAttributeDepth } from "../rows/typed-json.ts";

/** Members of `AnyValue` in the order of their numbers in the .proto file, less one. */
const valueNames = [
  "stringValue",
  "boolValue",
  "intValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
];

/** Length and digits of the two bools, as RowBinary strings. */
const trueText = Buffer.from("\x04true");
const falseText = Buffer.from("\x05false");

/**
 * Writes repeated `KeyValue`s of OTLP JSON as attribute tuples of a row. Arrays, kvlists and bytes take the way over
 * `AttributeValue`. Of several members of an `AnyValue` the first in the order of their numbers counts.
 */
export class JsonAttributeTranscoder {
  readonly #tape: JsonTape;
  readonly #values: JsonValues;
  readonly #keyValue: JsonMembers;
  readonly #anyValue: JsonMembers;
  readonly #list: JsonMembers;

  constructor(tape: JsonTape, values: JsonValues) {
    this.#tape = tape;
    this.#values = values;
    this.#keyValue = new JsonMembers(tape, ["key", "value"]);
    this.#anyValue = new JsonMembers(tape, valueNames);
    this.#list = new JsonMembers(tape, ["values"]);
  }

  /**
   * Writes an array of `KeyValue`s; -1 is an empty one.
   * @throws WireError WIRE_MALFORMED; WIRE_TOO_DEEP past `maxAttributeDepth`
   */
  write(list: number, out: ByteWriter): void {
    const tape = this.#tape;
    const { tokens } = this.#keyValue;
    let left = this.#values.itemCount(list);
    out.varint(left);
    for (let item = list + 1; left > 0; left--) {
      this.#keyValue.read(item);
      const value = tokens[1] as number;
      this.#values.writeString(tokens[0] as number, out);
      this.#writeValue(value, out);
      item = tape.after(item);
    }
  }

  /** The value of the first attribute of this key, if any. */
  find(list: number, key: string): AttributeValue | undefined {
    const tape = this.#tape;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#keyValue.read(item);
      const [keyToken = -1, value = -1] = this.#keyValue.tokens;
      if (this.#values.string(keyToken) === key) return this.#value(value, 0);
      item = tape.after(item);
    }
    return undefined;
  }

  #writeValue(token: number, out: ByteWriter): void {
    const values = this.#values;
    const type = this.#typeOf(token);
    if (type === 0) {
      out.uint8(attributeTypeCodes.empty);
      out.uint8(0);
      return;
    }
    const content = this.#anyValue.tokens[type - 1] as number;
    out.uint8(type);
    switch (type) {
      case attributeTypeCodes.string:
        values.writeString(content, out);
        return;
      case attributeTypeCodes.bool:
        if (values.bool(content)) out.copy(trueText, 0, trueText.length);
        else out.copy(falseText, 0, falseText.length);
        return;
      case attributeTypeCodes.int:
        values.writeInt64Text(content, out);
        return;
      case attributeTypeCodes.double:
        out.string(doubleText(values.double(content)));
        return;
      default:
        out.string(attributeText(this.#value(token, 0)));
    }
  }

  /** Number of the type of an `AnyValue`, whose members are then in `#anyValue`. */
  #typeOf(token: number): number {
    if (token === -1) return 0;
    this.#anyValue.read(token);
    const { tokens } = this.#anyValue;
    for (let index = 0; index < tokens.length; index++) if (tokens[index] !== -1) return index + 1;
    return 0;
  }

  #value(token: number, depth: number): AttributeValue {
    const values = this.#values;
    const type = this.#typeOf(token);
    const content = type === 0 ? -1 : (this.#anyValue.tokens[type - 1] as number);
    switch (type) {
      case attributeTypeCodes.string:
        return { type: "string", value: values.string(content) };
      case attributeTypeCodes.bool:
        return { type: "bool", value: values.bool(content) };
      case attributeTypeCodes.int:
        return { type: "int", value: values.int64(content) };
      case attributeTypeCodes.double:
        return { type: "double", value: values.double(content) };
      case attributeTypeCodes.array:
        return { type: "array", value: this.#items(content, depth + 1) };
      case attributeTypeCodes.kvlist:
        return { type: "kvlist", value: this.#entries(content, depth + 1) };
      case attributeTypeCodes.bytes:
        return { type: "bytes", value: values.base64(content) };
      default:
        return { type: "empty" };
    }
  }

  #items(object: number, depth: number): AttributeValue[] {
    const list = this.#listOf(object, depth);
    const items: AttributeValue[] = [];
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      items.push(this.#value(item, depth));
      item = this.#tape.after(item);
    }
    return items;
  }

  #entries(object: number, depth: number): Attribute[] {
    const list = this.#listOf(object, depth);
    const entries: Attribute[] = [];
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#keyValue.read(item);
      const [key = -1, value = -1] = this.#keyValue.tokens;
      entries.push({ key: this.#values.string(key), value: this.#value(value, depth) });
      item = this.#tape.after(item);
    }
    return entries;
  }

  /** The member `values` of an array or kvlist. */
  #listOf(object: number, depth: number): number {
    checkAttributeDepth(depth);
    this.#list.read(object);
    return this.#list.tokens[0] as number;
  }
}
