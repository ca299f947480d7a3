/** Maximum number of names that are counted, over all tenants. Names come from queries, so anybody can invent them. */
const maxNames = 20_000;

/** How often names were searched for. */
export interface SearchedNames {
  readonly services: ReadonlyMap<string, number>;
  readonly attributes: ReadonlyMap<string, number>;
}

const none: SearchedNames = { services: new Map(), attributes: new Map() };

/** Counts the services and attributes that people search for, since this process began. */
export class SearchCounts {
  readonly sinceMs = Date.now();
  readonly #tenants = new Map<string, { services: Map<string, number>; attributes: Map<string, number> }>();
  #names = 0;
  #isFull = false;

  /** False when names were left out, because there were too many. */
  get isWhole(): boolean {
    return !this.#isFull;
  }

  /** Counts one search. Names that occur twice in it count once. */
  count(tenant: string, services: Iterable<string>, attributes: Iterable<string>): void {
    let counts = this.#tenants.get(tenant);
    if (counts === undefined) {
      counts = { services: new Map(), attributes: new Map() };
      this.#tenants.set(tenant, counts);
    }
    this.#add(counts.services, services);
    this.#add(counts.attributes, attributes);
  }

  of(tenant: string): SearchedNames {
    return this.#tenants.get(tenant) ?? none;
  }

  #add(counts: Map<string, number>, names: Iterable<string>): void {
    for (const name of new Set(names)) {
      const known = counts.get(name);
      if (known === undefined && this.#names >= maxNames) {
        this.#isFull = true;
        continue;
      }
      this.#names += known === undefined ? 1 : 0;
      counts.set(name, (known ?? 0) + 1);
    }
  }
}
