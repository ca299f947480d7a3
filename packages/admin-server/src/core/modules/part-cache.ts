import type { ConfigScope } from "./config-scope.ts";

/** Something made from a part of a config, with all that it took. */
export interface Part {
  readonly value: unknown;
  readonly scope: ConfigScope;
  /** How many configs use it. */
  users: number;
}

/**
 * Parts of configs by the very object that they were made from: a config that shares the object with an older one
 * shares what was made from it. A part closes with its last user.
 */
export class PartCache {
  readonly #parts = new WeakMap<object, Part>();

  /** A part in use, for one more user. */
  take(key: object): Part | undefined {
    const part = this.#parts.get(key);
    if (part === undefined || part.users === 0) {
      return undefined;
    }
    part.users++;
    return part;
  }

  /** Adds a part with its first user. The newest of a key is the one that is found. */
  add(key: object, value: unknown, scope: ConfigScope): Part {
    const part: Part = { value, scope, users: 1 };
    this.#parts.set(key, part);
    return part;
  }

  /** One user less of each. @returns when those without any are closed */
  async release(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      part.users--;
      if (part.users === 0 && part.scope.hasClosers) {
        await part.scope.close();
      }
    }
  }
}
