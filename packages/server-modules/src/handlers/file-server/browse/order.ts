import type { ListedFile } from "./listing.ts";

/** Columns that a list can be sorted by. */
export const sortNames = ["name", "namedirfirst", "size", "time"] as const;
/** Directions of the order. */
export const orderNames = ["asc", "desc"] as const;

/** Name of a column by which a listing is sorted. */
export type SortName = (typeof sortNames)[number];
/** Name of a direction of sorting. */
export type OrderName = (typeof orderNames)[number];

/** True for a column name, from the query, a cookie or the config. */
export function isSortName(text: string): text is SortName {
  return (sortNames as readonly string[]).includes(text);
}

/** True for `asc` or `desc`. */
export function isOrderName(text: string): text is OrderName {
  return (orderNames as readonly string[]).includes(text);
}

/** Compares code units, as Go compares ASCII texts. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares names without regard to case. */
function byName(a: ListedFile, b: ListedFile): number {
  return compareText(a.name.toLowerCase(), b.name.toLowerCase());
}

const comparisons: Readonly<Record<SortName, (a: ListedFile, b: ListedFile) => number>> = {
  name: byName,
  namedirfirst: (a, b) => (a.is_dir === b.is_dir ? byName(a, b) : a.is_dir ? -1 : 1),
  // Folders precede all files, and are sorted by name.
  size: (a, b) => (a.is_dir !== b.is_dir ? (a.is_dir ? -1 : 1) : a.is_dir ? byName(a, b) : a.size - b.size),
  // Without the `Z`, a time without a fraction sorts before the same time with a fraction.
  time: (a, b) => compareText(a.mod_time.slice(0, -1), b.mod_time.slice(0, -1)),
};

/** Parses a positive number of the query; 0 for any other text. */
function positive(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Sort order and limits of a listing, from the query. */
interface Arrangement {
  /** Column that the list is sorted by. */
  readonly sort: SortName;
  /** Direction of the sorting. */
  readonly order: OrderName;
  /** `offset` of the query: number of entries to skip. */
  readonly offset: string;
  /** `limit` of the query; any text except a positive number means no limit. */
  readonly limit: string;
}

/** Sorts a listing and applies its limits. */
export function arrange(
  items: readonly ListedFile[],
  { sort, order, offset, limit }: Arrangement,
): ListedFile[] {
  const sorted = [...items].sort(comparisons[sort]);
  if (order === "desc") {
    sorted.reverse();
  }
  const from = positive(offset);
  const count = positive(limit);
  return sorted.slice(from, count === 0 ? undefined : from + count);
}
