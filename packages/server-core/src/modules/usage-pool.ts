/**
 * A resource that several configs use at the same time, and that must survive a reload: a port, an upstream, a tracer.
 */
export interface SharedResource {
  /** Called when the last user has released it. */
  close?(): void | Promise<void>;
}

/** Resources of one type; keys are unique within a kind. */
export interface ResourceKind<Resource extends SharedResource> {
  /** Name of the kind, for keys and messages. */
  readonly name: string;
  /** Never set; carries the type. */
  readonly resource?: Resource;
}

/** The right to use a resource until `release`. A second release does nothing. */
export interface Lease<Resource extends SharedResource> {
  readonly value: Resource;
  /** True when the resource has other users too. */
  readonly isShared: boolean;
  /** Releases the resource; the last user closes it. */
  release(): Promise<void>;
}

interface Entry {
  readonly created: Promise<SharedResource>;
  /** The resource; undefined while it is being created. */
  value: SharedResource | undefined;
  /** Number of open leases. */
  users: number;
}

/**
 * Counts the users of shared resources. A new config acquires its resources before the old config releases its own, so
 * a resource of both configs is never closed in between.
 */
export class UsagePool {
  readonly #kinds = new Map<string, Map<string, Entry>>();

  /**
   * Acquires the resource with this key, or creates it. @throws errors of `create`; the pool then has no entry for the
   * key
   */
  async acquire<Resource extends SharedResource>(
    kind: ResourceKind<Resource>,
    key: string,
    create: () => Resource | Promise<Resource>,
  ): Promise<Lease<Resource>> {
    const entries = this.#kinds.get(kind.name) ?? new Map<string, Entry>();
    this.#kinds.set(kind.name, entries);
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = { created: (async () => create())(), value: undefined, users: 0 };
      entries.set(key, entry);
    }
    entry.users++;
    try {
      entry.value = await entry.created;
    } catch (error) {
      if (entries.get(key) === entry) {
        entries.delete(key);
      }
      throw error;
    }
    const taken = entry;
    let released = false;
    return {
      value: taken.value as Resource,
      get isShared() {
        return taken.users > 1;
      },
      release: async () => {
        if (released) {
          return;
        }
        released = true;
        taken.users--;
        if (taken.users === 0) {
          entries.delete(key);
          await taken.value?.close?.();
        }
      },
    };
  }

  /** All existing resources of a kind, in the order of their creation. */
  list<Resource extends SharedResource>(kind: ResourceKind<Resource>): Resource[] {
    const entries = this.#kinds.get(kind.name)?.values() ?? [];
    return [...entries].flatMap((entry) => (entry.value === undefined ? [] : [entry.value as Resource]));
  }
}
