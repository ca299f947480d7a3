import type { Attribute, AttributeValue } from "wire/model";

/** Text in place of a hidden value. */
export const hiddenText = "(hidden)";

/**
 * Maximum number of names whose result of `has` is cached, because names repeat. A full cache is emptied.
 */
const maxKnown = 10_000;

/**
 * Maximum number of characters of an attribute's name that are compared. A longer name is hidden, because the rest of
 * the name could match.
 */
const maxCompared = 1_024;

/** The service's name is needed for every search, so its value is never hidden. */
const neverHidden = "service.name";

/** Tells which attributes are marked. Names match in upper and lower case; `*` stands for any characters. */
export class HiddenNames {
  readonly #patterns: readonly (readonly string[])[];
  /** Names outside of a marked name: `user` for `user.id`, because a kvlist `user` may have the entry `id`. */
  readonly #outer = new Set<string>();
  readonly #known = new Map<string, boolean>();

  constructor(patterns: readonly string[]) {
    const lowered = patterns.map((pattern) => pattern.toLowerCase());
    this.#patterns = lowered.map((pattern) => pattern.split("*"));
    for (const [literal = ""] of this.#patterns) {
      for (let dot = literal.indexOf("."); dot > 0; dot = literal.indexOf(".", dot + 1)) {
        this.#outer.add(literal.slice(0, dot));
      }
    }
  }

  /** True when the values of this attribute are hidden. */
  has(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) {
      return known;
    }
    const low = name.slice(0, maxCompared).toLowerCase();
    const isHidden =
      name.length > maxCompared ||
      (low !== neverHidden && this.#patterns.some((pieces) => matches(pieces, low)));
    if (this.#known.size >= maxKnown) {
      this.#known.clear();
    }
    this.#known.set(name, isHidden);
    return isHidden;
  }

  /** True when a condition on this attribute could reveal a hidden value: its own, or that of an entry inside. */
  touches(name: string): boolean {
    return this.has(name) || this.#outer.has(name.toLowerCase());
  }

  /** The attribute without hidden values; the same object when nothing is hidden. */
  shown(attribute: Attribute, outer = ""): Attribute {
    const { key, value } = attribute;
    const name = outer === "" ? key : `${outer}.${key}`;
    if (this.has(name)) {
      return { key, value: { type: "string", value: hiddenText } };
    }
    const shown = this.#shownValue(value, name);
    return shown === value ? attribute : { key, value: shown };
  }

  /** The list without hidden values; the same list when nothing is hidden. */
  shownList(attributes: readonly Attribute[], outer = ""): readonly Attribute[] {
    return mapped(attributes, (attribute) => this.shown(attribute, outer));
  }

  #shownValue(value: AttributeValue, name: string): AttributeValue {
    if (value.type === "kvlist") {
      const entries = this.shownList(value.value, name);
      return entries === value.value ? value : { type: "kvlist", value: entries };
    }
    if (value.type === "array") {
      const items = mapped(value.value, (item) => this.#shownValue(item, name));
      return items === value.value ? value : { type: "array", value: items };
    }
    return value;
  }
}

/** The changed list; the same list when no entry changes, so that most spans need no copy. */
function mapped<T>(list: readonly T[], change: (entry: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (const [index, entry] of list.entries()) {
    const changed = change(entry);
    if (changed !== entry) {
      copy ??= [...list];
      copy[index] = changed;
    }
  }
  return copy ?? list;
}

/** True when the pieces between the `*` of a pattern occur in the name, in their order. */
function matches(pieces: readonly string[], name: string): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) {
    return name === first;
  }
  if (!name.startsWith(first)) {
    return false;
  }
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) {
      return false;
    }
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
