/** Resources of a part, until the part is closed. */
interface PartScope {
  readonly hasClosers: boolean;
  /** Closes the resources that the part opened. */
  close(): Promise<void>;
}

/** Something created from a part of a config, with its resources. */
export interface Part {
  /** The config object from which it was created. */
  readonly key: object;
  /** The provisioned module. */
  readonly value: unknown;
  /** Closes the part's resources when no document uses it. */
  readonly scope: PartScope;
  /** Number of configs that use the part. */
  users: number;
}

interface PartList {
  /** Config objects of the parts, compared by identity. */
  readonly keys: readonly object[];
  /** Parts in the order of the keys. */
  readonly parts: readonly Part[];
}

/**
 * Cache of config parts, keyed by the identity of their config object. A config that shares an object with an older
 * config also shares the part. A part is closed by its last user.
 */
export class PartCache {
  /** This is not a WeakMap, because each garbage collection would visit a thousand routes again. */
  readonly #parts = new Map<object, Part>();
  /** The last list of parts, by the first key of the list. */
  readonly #lists = new WeakMap<object, PartList>();

  /** Returns a part that a config uses already, and adds one user. */
  take(key: object): Part | undefined {
    const part = this.#parts.get(key);
    if (part === undefined || part.users === 0) {
      return undefined;
    }
    part.users++;
    return part;
  }

  /**
   * The parts in use for a list of keys; adds one user to each. Undefined for keys without a part. Nearly all elements
   * of a long list have the same position as in the previous list with the same first key, and need no look-up.
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

  /** Stores the parts of a list, for {@link takeAll}. */
  keep(keys: readonly object[], parts: readonly Part[]): void {
    if (keys[0] !== undefined) {
      this.#lists.set(keys[0], { keys, parts });
    }
  }

  /** Adds a part with its first user. When a key has several parts, `take` finds the newest. */
  add(key: object, value: unknown, scope: PartScope): Part {
    const part: Part = { key, value, scope, users: 1 };
    this.#parts.set(key, part);
    return part;
  }

  /** Removes one user from each part. @returns a promise that resolves when parts without users are closed */
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
