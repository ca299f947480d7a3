import type { ServerError } from "server-core/errors";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  member,
} from "server-core/json/json-value";
import { inexpressible } from "./inexpressible.ts";
import { valueAt } from "./json-lists.ts";

/**
 * The members of a JSON object while they are written as text. Each member is taken when it is written; a member that
 * is never taken has no text form. Therefore no member of the config is lost without an error:
 *
 *     const members = new Members({ email: "a@example.com", other: 1 }, "/config/x");
 *     members.text("email");      // "a@example.com"
 *     members.done("the option"); // throws: no serverfile says /config/x/other
 */
export class Members {
  /** Path of the object in the document: `/config/apps/http`. */
  readonly path: string;
  readonly #object: JsonObject;
  readonly #taken = new Set<string>();
  readonly #children = new Map<string, Members>();

  /** @throws ServerError CONFIG_INEXPRESSIBLE when the value is not an object */
  constructor(value: JsonValue, path: string) {
    if (!isJsonObject(value)) {
      throw inexpressible(path, "an object is expected");
    }
    this.#object = value;
    this.path = path;
  }

  /** True for `{}`; taken members also count as members. */
  get isEmpty(): boolean {
    return Object.keys(this.#object).length === 0;
  }

  /** Keys of members that are not taken yet. */
  get keys(): string[] {
    return Object.keys(this.#object).filter((key) => !this.#taken.has(key));
  }

  /** Path of a member in the document. Slashes are not escaped, because people read the path. */
  pathOf(key: string): string {
    return `${this.path}/${key}`;
  }

  /** The error for a member without a text form. */
  refuse(key: string, reason: string): ServerError {
    return inexpressible(this.pathOf(key), reason);
  }

  /** True when the member exists and is not taken yet. */
  has(key: string): boolean {
    return Object.hasOwn(this.#object, key) && !this.#taken.has(key);
  }

  /** Returns the member, which does not count as taken. */
  look(key: string): JsonValue | undefined {
    return member(this.#object, key);
  }

  /** The object at a path of keys, without taking members; empty without such an object. */
  objectAt(...keys: readonly string[]): JsonObject {
    const value = valueAt(this.#object, ...keys);
    return isJsonObject(value) ? value : {};
  }

  /** Returns the member, which then counts as written. */
  take(key: string): JsonValue | undefined {
    this.#taken.add(key);
    return this.look(key);
  }

  /** Takes the member and checks its type. @param expected name of the type, for the error */
  #checked<T extends JsonValue>(
    key: string,
    fits: (value: JsonValue) => value is T,
    expected: string,
  ): T | undefined {
    const value = this.take(key);
    if (value !== undefined && !fits(value)) {
      throw this.refuse(key, `${expected} is expected`);
    }
    return value;
  }

  /**
   * The member, which must be a text; undefined for a missing member. @throws ServerError CONFIG_INEXPRESSIBLE for any
   * other value
   */
  text(key: string): string | undefined {
    return this.#checked(key, (value) => typeof value === "string", "a text");
  }

  /**
   * The member, which must be a number; undefined for a missing member. @throws ServerError CONFIG_INEXPRESSIBLE for
   * any other value
   */
  number(key: string): number | undefined {
    return this.#checked(key, (value) => typeof value === "number", "a number");
  }

  /**
   * The member, which must be a boolean; undefined for a missing member. @throws ServerError CONFIG_INEXPRESSIBLE for
   * any other value
   */
  boolean(key: string): boolean | undefined {
    return this.#checked(key, (value) => typeof value === "boolean", "true or false");
  }

  /** A list; undefined when absent. */
  list(key: string): readonly JsonValue[] | undefined {
    return this.#checked(key, isJsonArray, "a list");
  }

  /**
   * The member, which must be a list of texts; undefined for a missing member. @throws ServerError CONFIG_INEXPRESSIBLE
   * for any other value
   */
  texts(key: string): string[] | undefined {
    return this.list(key)?.map((each, index) => {
      if (typeof each !== "string") {
        throw inexpressible(`${this.pathOf(key)}/${index}`, "a text is expected");
      }
      return each;
    });
  }

  /**
   * The name of a module, with its entry in a table.
   * @param key member with the name
   * @param kind kind of module, for the error
   * @throws ServerError CONFIG_INEXPRESSIBLE for a name without an entry
   */
  module<T>(
    key: string,
    table: Readonly<Record<string, T>>,
    kind: string,
  ): readonly [name: string, entry: T] {
    const name = this.text(key) ?? "";
    const entry = Object.hasOwn(table, name) ? table[name] : undefined;
    if (entry === undefined) {
      throw inexpressible(this.path, `there is no ${kind} ${name} in serverfiles`);
    }
    return [name, entry];
  }

  /** The members of a nested object; each call returns the same instance. Its members must also be taken. */
  child(key: string): Members | undefined {
    const value = this.take(key);
    return value === undefined ? undefined : this.#made(key, value);
  }

  /** A list of objects. */
  children(key: string): Members[] | undefined {
    return this.list(key)?.map((each, index) => this.#made(`${key}/${index}`, each));
  }

  #made(key: string, value: JsonValue): Members {
    const made = this.#children.get(key) ?? new Members(value, this.pathOf(key));
    this.#children.set(key, made);
    return made;
  }

  /** Takes every member of a map, by key. */
  entries(): [string, JsonValue][] {
    return this.keys.map((key) => [key, this.take(key) ?? null]);
  }

  /** Takes every member of a map of objects. */
  childEntries(): [string, Members][] {
    return this.entries().map(([key, value]) => [key, this.#made(key, value)]);
  }

  /**
   * @throws ServerError CONFIG_INEXPRESSIBLE with the first member that was not taken. @param what name of the object,
   * for the error
   */
  done(what: string): void {
    const [left] = this.keys;
    if (left !== undefined) {
      throw inexpressible(this.pathOf(left), `${what} has no line for it`);
    }
    for (const child of this.#children.values()) {
      // If no member of an element was taken, another directive writes this element.
      if (child.#taken.size > 0) {
        child.done(what);
      }
    }
  }
}
