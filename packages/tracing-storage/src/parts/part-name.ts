/** Name of a part's folder: `<partition>_<first block>_<last block>_<level>[_<mutation>]`. */
export interface PartName {
  /** The whole name. */
  readonly text: string;
  /** Id of the partition. */
  readonly partition: string;
  /** Number of the first block in the part. */
  readonly first: number;
  /** Number of the last block in the part. */
  readonly last: number;
  /** Number of merges that the part's rows have passed; 0: the part was inserted. */
  readonly level: number;
  /** Number of the last mutation of the part; 0: no mutation. */
  readonly mutation: number;
}

/** @returns undefined for other folders: folders of running inserts and merges, and of deleted or detached parts */
export function partNameOf(text: string): PartName | undefined {
  const [, partition, first, last, level, mutation = "0"] =
    /^(?!tmp_|delete_|patch-)([^_]+)_(\d+)_(\d+)_(\d+)(?:_(\d+))?$/.exec(text) ?? [];
  if (partition === undefined) {
    return undefined;
  }
  return {
    ...{ text, partition, first: Number(first), last: Number(last) },
    ...{ level: Number(level), mutation: Number(mutation) },
  };
}

/**
 * True when all rows of `inner` are in `outer`. Source: ClickHouse src/Storages/MergeTree/MergeTreePartInfo.h, contains
 */
function contains(outer: PartName, inner: PartName): boolean {
  return (
    outer.partition === inner.partition &&
    outer.first <= inner.first &&
    outer.last >= inner.last &&
    outer.level >= inner.level &&
    outer.mutation >= inner.mutation
  );
}

/**
 * The active parts of a table; replaced parts stay in the folder for some seconds.
 * @param names names of all parts in a folder
 */
export function activeParts(names: readonly PartName[]): PartName[] {
  // If two parts share blocks, the part with more blocks is first; if they have the same blocks, the newer part is
  // first.
  const largestFirst = names.toSorted(
    (one, other) =>
      one.first - other.first ||
      other.last - one.last ||
      other.level - one.level ||
      other.mutation - one.mutation,
  );
  const lastOf = new Map<string, PartName>();
  return largestFirst.filter((name) => {
    const before = lastOf.get(name.partition);
    if (before !== undefined && contains(before, name)) {
      return false;
    }
    lastOf.set(name.partition, name);
    return true;
  });
}
