import { JsonMembers } from "../json/json-members.ts";
import type { JsonTape } from "../json/json-tape.ts";
import type { JsonValues } from "../json/json-values.ts";
import {
  type Attribute,
  type AttributeValue,
  attributeTypeCodes,
  maxAttributeDepth,
} from "../model/attribute.ts";
import { attributeText } from "../rows/attribute-text.ts";
import type { AttributeWriter } from "../rows/attribute-writer.ts";
import { cutValueText } from "../rows/span-mends.ts";
import { type JsonMends, throwUnlessMendable } from "./json-mends.ts";

/** Names of `AnyValue`'s members, ordered by their field numbers; the index is the field number minus one. */
const valueNames = [
  "stringValue",
  "boolValue",
  "intValue",
  "doubleValue",
  "arrayValue",
  "kvlistValue",
  "bytesValue",
];

/**
 * Converts repeated `KeyValue`s of OTLP JSON to attributes of a row. Arrays, kvlists and bytes are converted through
 * `AttributeValue`. If an `AnyValue` has several members, the member with the lowest field number counts. A part of a
 * wrong type is dropped with a warning: a list then becomes empty, a key becomes "", and a value becomes empty.
 */
export class JsonAttributeTranscoder {
  readonly #tape: JsonTape;
  readonly #values: JsonValues;
  readonly #keyValue: JsonMembers;
  readonly #anyValue: JsonMembers;
  readonly #list: JsonMembers;
  readonly #mends: JsonMends;

  constructor(tape: JsonTape, values: JsonValues, mends: JsonMends) {
    this.#tape = tape;
    this.#values = values;
    this.#mends = mends;
    this.#keyValue = new JsonMembers(tape, ["key", "value"]);
    this.#anyValue = new JsonMembers(tape, valueNames);
    this.#list = new JsonMembers(tape, ["values"]);
  }

  /** Writes an array of `KeyValue`s as one list; token -1 is an empty array. */
  list(token: number, attributes: AttributeWriter): void {
    const list = this.#mends.array(token);
    attributes.beginList();
    this.#all(list, this.#values.itemCount(list), attributes);
    attributes.end();
  }

  /** Like `list`, but writes an array of tuples. */
  tuples(token: number, attributes: AttributeWriter): void {
    const list = this.#mends.array(token);
    const count = this.#values.itemCount(list);
    attributes.beginTuples(count);
    this.#all(list, count, attributes);
    attributes.end();
  }

  /**
   * Value of the first attribute with this key in an array; undefined without such an attribute. Token -1 is an empty
   * array.
   */
  find(list: number, key: string): AttributeValue | undefined {
    const tape = this.#tape;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#mends.read(this.#keyValue, item);
      const [keyToken = -1, value = -1] = this.#keyValue.tokens;
      if (this.#values.string(this.#mends.string(keyToken)) === key) {
        return this.#value(value, 0);
      }
      item = tape.after(item);
    }
    return undefined;
  }

  /**
   * Writes all `KeyValue`s of an array. If writing an attribute throws, it is read again with more checks, which are
   * slow and rarely necessary.
   */
  #all(list: number, count: number, attributes: AttributeWriter): void {
    const tape = this.#tape;
    const { tokens } = this.#keyValue;
    let item = list + 1;
    for (let left = count; left > 0; left--) {
      this.#mends.read(this.#keyValue, item);
      const { at } = attributes;
      try {
        this.#write(tokens[0] as number, tokens[1] as number, attributes);
      } catch (error) {
        throwUnlessMendable(error);
        attributes.takeBack(at);
        this.#mends.read(this.#keyValue, item);
        this.#writeMended(tokens[0] as number, tokens[1] as number, attributes);
      }
      item = tape.after(item);
    }
  }

  /** Writes an attribute, but leaves out its unreadable parts. */
  #writeMended(key: number, value: number, attributes: AttributeWriter): void {
    const mends = this.#mends;
    const { at } = attributes;
    const fit = mends.string(key);
    try {
      this.#write(fit, value, attributes);
    } catch (error) {
      mends.drop(error);
      attributes.takeBack(at);
      this.#values.writeKey(fit, attributeTypeCodes.empty, attributes);
      attributes.value("");
    }
  }

  /** Writes one attribute. @throws WireError for a part of a wrong type */
  #write(key: number, token: number, attributes: AttributeWriter): void {
    const values = this.#values;
    const type = this.#typeOf(token);
    values.writeKey(key, type, attributes);
    if (type === attributeTypeCodes.empty) {
      attributes.value("");
      return;
    }
    const content = this.#anyValue.tokens[type - 1] as number;
    switch (type) {
      case attributeTypeCodes.string:
        values.writeText(content, attributes);
        return;
      case attributeTypeCodes.bool:
        attributes.bool(values.bool(content));
        return;
      case attributeTypeCodes.int:
        values.writeInt64Text(content, attributes);
        return;
      case attributeTypeCodes.double:
        attributes.double(values.double(content));
        return;
      default:
        attributes.value(attributeText(this.#value(token, 0)));
    }
  }

  /** Type number of an `AnyValue`. Afterwards, `#anyValue` has the members of this value. */
  #typeOf(token: number): number {
    if (token === -1) {
      return 0;
    }
    this.#mends.read(this.#anyValue, token);
    const { tokens } = this.#anyValue;
    for (let index = 0; index < tokens.length; index++) {
      if (tokens[index] !== -1) {
        return index + 1;
      }
    }
    return 0;
  }

  /**
   * A value as an object; an unreadable value becomes empty, with a warning. @param depth number of lists and objects
   * that contain the value
   */
  #value(token: number, depth: number): AttributeValue {
    try {
      return this.#readValue(token, depth);
    } catch (error) {
      this.#mends.drop(error);
      return { type: "empty" };
    }
  }

  /** Like `#value`, but throws. @throws WireError for a part of a wrong type */
  #readValue(token: number, depth: number): AttributeValue {
    const values = this.#values;
    const type = this.#typeOf(token);
    if (
      depth === maxAttributeDepth &&
      (type === attributeTypeCodes.array || type === attributeTypeCodes.kvlist)
    ) {
      this.#mends.cut();
      return { type: "string", value: cutValueText };
    }
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

  /** Reads the values of an `ArrayValue`. */
  #items(object: number, depth: number): AttributeValue[] {
    const list = this.#listOf(object);
    const items: AttributeValue[] = [];
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      items.push(this.#value(item, depth));
      item = this.#tape.after(item);
    }
    return items;
  }

  /** The entries of a `KeyValueList`. */
  #entries(object: number, depth: number): Attribute[] {
    const list = this.#listOf(object);
    const entries: Attribute[] = [];
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#mends.read(this.#keyValue, item);
      const [key = -1, value = -1] = this.#keyValue.tokens;
      entries.push({ key: this.#values.string(this.#mends.string(key)), value: this.#value(value, depth) });
      item = this.#tape.after(item);
    }
    return entries;
  }

  /** The member `values` of an array or kvlist. */
  #listOf(object: number): number {
    this.#mends.read(this.#list, object);
    return this.#mends.array(this.#list.tokens[0] as number);
  }
}
