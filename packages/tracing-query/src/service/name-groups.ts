/** Names with a common prefix. */
export interface NameGroup {
  /** The common prefix; the whole name in a group of one. */
  readonly prefix: string;
  /** Sorted, at least one. */
  readonly names: readonly string[];
}

/** Characters that end a part of a service's name, as in `shop.checkout-v2` and `team/shop`. */
const partEnd = /[-._/:@ ]/;

/**
 * Groups names by their prefixes. The largest group is split repeatedly, while there are at most `most`
 * groups. A group is split after the next part of its names, or after the next letter when this gives too many
 * groups.
 * @param names without repeats
 * @returns groups in the order of their prefixes
 */
export function groupNames(names: readonly string[], most: number): NameGroup[] {
  if (names.length === 0) {
    return [];
  }
  const open = [groupOf([...names].sort())];
  const done: NameGroup[] = [];
  while (open.length > 0) {
    open.sort((one, other) => one.names.length - other.names.length);
    const largest = open.pop() as NameGroup;
    const parts = split(largest, most - open.length - done.length);
    if (parts === undefined) {
      done.push(largest);
    } else {
      open.push(...parts);
    }
  }
  return done.sort((one, other) => (one.prefix < other.prefix ? -1 : 1));
}

function groupOf(names: readonly string[]): NameGroup {
  return { prefix: sharedStart(names), names };
}

/** @returns 2 to `most` groups; undefined when parts and letters both give more groups */
function split({ prefix, names }: NameGroup, most: number): NameGroup[] | undefined {
  for (const end of [partEndAfter, letterEndAfter]) {
    const groups = Map.groupBy(names, (name) => name.slice(0, end(name, prefix.length)));
    if (groups.size > 1 && groups.size <= most) {
      return [...groups.values()].map(groupOf);
    }
  }
  return undefined;
}

/** The end of the part of a name that begins at `from`. */
function partEndAfter(name: string, from: number): number {
  const end = name.slice(from).search(partEnd);
  return end === -1 ? name.length : from + end + 1;
}

function letterEndAfter(name: string, from: number): number {
  return from + String.fromCodePoint(name.codePointAt(from) ?? 0).length;
}

/** The longest common prefix. @param names sorted */
function sharedStart(names: readonly string[]): string {
  const [first = "", last = ""] = [names[0], names.at(-1)];
  let length = 0;
  while (length < first.length && first[length] === last[length]) {
    length++;
  }
  // Half of a surrogate pair is not valid text.
  if (length < first.length && /[\ud800-\udbff]$/.test(first.slice(0, length))) {
    length--;
  }
  return first.slice(0, length);
}
