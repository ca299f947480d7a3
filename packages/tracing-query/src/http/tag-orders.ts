/** Limit of key lists for one span name; beyond it the cache is emptied. */
const maxListsOfName = 8;
const maxNames = 1_024;

interface TagOrder<T> {
  readonly own: T;
  readonly keys: readonly string[];
  readonly order: readonly number[];
}

/**
 * The order of shown tags, by span name and keys. Most spans have the keys of other spans with their name.
 */
export class TagOrders<T> {
  readonly #known = new Map<string, TagOrder<T>[]>();

  /**
   * @param own tags beside the attributes
   * @returns the order that was kept for the same keys in the same order
   */
  find(name: string, own: T, attributes: readonly { readonly key: string }[]): readonly number[] | undefined {
    const lists = this.#known.get(name);
    if (lists === undefined) {
      return undefined;
    }
    for (const known of lists) {
      if (known.own === own && hasKeys(attributes, known.keys)) {
        return known.order;
      }
    }
    return undefined;
  }

  /** @param order must not change afterwards */
  keep(
    name: string,
    own: T,
    attributes: readonly { readonly key: string }[],
    order: readonly number[],
  ): void {
    let lists = this.#known.get(name);
    if (lists === undefined) {
      if (this.#known.size >= maxNames) {
        this.#known.clear();
      }
      lists = [];
      this.#known.set(name, lists);
    }
    if (lists.length >= maxListsOfName) {
      lists.length = 0;
    }
    lists.push({ own, keys: attributes.map(({ key }) => key), order });
  }
}

function hasKeys(attributes: readonly { readonly key: string }[], keys: readonly string[]): boolean {
  if (attributes.length !== keys.length) {
    return false;
  }
  for (let index = 0; index < keys.length; index++) {
    if (attributes[index]?.key !== keys[index]) {
      return false;
    }
  }
  return true;
}
