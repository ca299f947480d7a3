import { tagFromAttribute } from "wire/api-v2/tags";
import type { KeyValue } from "wire/api-v2-model";
import type { Attribute } from "wire/model";
import { withIpShown } from "../service/adjusters/tag-adjusters.ts";
import { tagJson } from "./tag-json.ts";

/** Maximum number of attributes whose JSON is cached. A full cache is emptied. */
const maxKnown = 4_096;

/**
 * Maximum number of entries that were used once; a full table is emptied. Attributes seen once, such as ids, deserve no
 * more space, and most entries are removed while they are young.
 */
const maxNew = 128;

/** A tag with its JSON. */
export interface ShownTag {
  readonly tag: KeyValue;
  /** JSON with a comma in front. */
  readonly json: string;
}

export function shownTag(sent: KeyValue): ShownTag {
  return shownField(withIpShown(sent));
}

/** Shows a log field in its original form. */
export function shownField(tag: KeyValue): ShownTag {
  // `join` makes a flat string. `+` makes a tree of parts, which every write would traverse.
  return { tag, json: [",", tagJson(tag)].join("") };
}

/**
 * JSON of tags whose attributes are shared by spans; each is written once. A tag that was used twice is kept longer.
 */
export class ShownTags {
  readonly #shown: (tag: KeyValue) => ShownTag;
  readonly #known = new Map<Attribute, ShownTag>();
  #new = new Map<Attribute, ShownTag>();

  constructor(shown = shownTag) {
    this.#shown = shown;
  }

  of(attribute: Attribute): ShownTag {
    return this.#known.get(attribute) ?? this.#seldom(attribute);
  }

  #seldom(attribute: Attribute): ShownTag {
    let shown = this.#new.get(attribute);
    if (shown !== undefined) {
      if (this.#known.size >= maxKnown) {
        this.#known.clear();
      }
      this.#known.set(attribute, shown);
      return shown;
    }
    shown = this.#shown(tagFromAttribute(attribute));
    // A new map instead of `clear`. After `clear` V8's old table points to its successor, and would keep the successor
    // alive for long if the old table is in the old generation.
    if (this.#new.size >= maxNew) {
      this.#new = new Map();
    }
    this.#new.set(attribute, shown);
    return shown;
  }
}

/** Maximum number of key lists for one span name; beyond it the lists of this name are removed. */
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
