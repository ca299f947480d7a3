/** Lists of keys that are known of spans with one name; more begin anew. */
const maxListsOfName = 8;
const maxNames = 1_024;

interface TagOrder<T> {
  readonly own: T;
  readonly keys: readonly string[];
  readonly order: readonly number[];
}

/** In which order tags are shown, by what tells it: most spans have the keys that others of their name have. */
export class TagOrders<T> {
  readonly #known = new Map<string, TagOrder<T>[]>();

  /**
   * @param own what tags there are beside the attributes
   * @returns what was kept for the same keys, in their order
   */
  find(name: string, own: T, attributes: readonly { readonly key: string }[]): readonly number[] | undefined {
    const lists = this.#known.get(name);
    if (lists === undefined) return undefined;
    for (const known of lists) {
      if (known.own === own && hasKeys(attributes, known.keys)) return known.order;
    }
    return undefined;
  }

  /** @param order not changed from here on */
  keep(
    name: string,
    own: T,
    attributes: readonly { readonly key: string }[],
    order: readonly number[],
  ): void {
    let lists = this.#known.get(name);
    if (lists === undefined) {
      if (this.#known.size >= maxNames) this.#known.clear();
      lists = [];
      this.#known.set(name, lists);
    }
    if (lists.length >= maxListsOfName) lists.length = 0;
    lists.push({ own, keys: attributes.map(({ key }) => key), order });
  }
}

function hasKeys(attributes: readonly { readonly key: string }[], keys: readonly string[]): boolean {
  if (attributes.length !== keys.length) return false;
  for (let index = 0; index < keys.length; index++) {
    if (attributes[index]?.key !== keys[index]) return false;
  }
  return true;
}
