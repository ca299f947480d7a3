/** Holds what a part took, until the part is closed. */
interface PartScope {
  /** Whether there is anything to close. */
  readonly hasClosers: boolean;
  /** Closes what the part opened. */
  close(): Promise<void>;
}

/** Something made from a part of a config, with all that it took. */
export interface Part {
  /** The input that it was made from. */
  readonly key: object;
  /** The provisioned module. */
  readonly value: unknown;
  /** Closes the part once no document uses it. */
  readonly scope: PartScope;
  /** How many configs use it. */
  users: number;
}

interface PartList {
  /** Config objects of the parts, compared by identity. */
  readonly keys: readonly object[];
  /** Parts in the order of the keys. */
  readonly parts: readonly Part[];
}

/**
 * Parts of configs by the very object that they were made from: a config that shares the object with an older one
 * shares what was made from it. A part closes with its last user.
 */
export class PartCache {
  /** Parts in use. No weak map: a collection of garbage would have to look at each of a thousand routes again. */
  readonly #parts = new Map<object, Part>();
  /** The last parts of a list that began with this key. */
  readonly #lists = new WeakMap<object, PartList>();

  /** A part in use, for one more user. */
  take(key: object): Part | undefined {
    const part = this.#parts.get(key);
    if (part === undefined || part.users === 0) {
      return undefined;
    }
    part.users++;
    return part;
  }

  /**
   * The parts in use for a list of keys, each with one more user; undefined when there is none. Nearly all
   * elements of a long list are at the same place as in the last list with the same first key, and need no
   * look-up.
   */
  takeAll(keys: readonly object[]): (Part | undefined)[] {
    const older = keys[0] === undefined ? undefined : this.#lists.get(keys[0]);
    const taken = new Array<Part | undefined>(keys.length);
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as object;
      const part = older?.keys[index] === key ? older.parts[index] : undefined;
      if (part !== undefined && part.users > 0) {
        part.users++;
        taken[index] = part;
      } else {
        taken[index] = this.take(key);
      }
    }
    return taken;
  }

  /** Remembers the parts of a list, for {@link takeAll}. */
  keep(keys: readonly object[], parts: readonly Part[]): void {
    if (keys[0] !== undefined) {
      this.#lists.set(keys[0], { keys, parts });
    }
  }

  /** Adds a part with its first user. The newest of a key is the one that is found. */
  add(key: object, value: unknown, scope: PartScope): Part {
    const part: Part = { key, value, scope, users: 1 };
    this.#parts.set(key, part);
    return part;
  }

  /** One user less of each. @returns when those without any are closed */
  async release(parts: readonly Part[]): Promise<void> {
    for (const part of parts) {
      part.users--;
      if (part.users > 0) {
        continue;
      }
      if (this.#parts.get(part.key) === part) {
        this.#parts.delete(part.key);
      }
      if (part.scope.hasClosers) {
        await part.scope.close();
      }
    }
  }
}
