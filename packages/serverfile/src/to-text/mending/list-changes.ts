/** A list with one item replaced, or left out when it becomes undefined. */
export function withAt<T>(list: readonly T[], index: number, item: T | undefined): T[] {
  return list.flatMap((each, at) => (at !== index ? [each] : item === undefined ? [] : [item]));
}

/** A list with an item before another. */
export function withBefore<T>(list: readonly T[], index: number, item: T): T[] {
  return [...list.slice(0, index), item, ...list.slice(index)];
}

/** A list with an item elsewhere. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const others = [...list];
  others.splice(to, 0, ...others.splice(from, 1));
  return others;
}

/** Every way to move one item of a list. */
export function* everyMove<T>(list: readonly T[]): Generator<T[]> {
  for (let from = 0; from < list.length; from++) {
    for (let to = 0; to < list.length; to++) {
      if (to !== from && to !== from - 1) {
        yield moved(list, from, to);
      }
    }
  }
}
