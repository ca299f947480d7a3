import type { ListedFile } from "./listing.ts";

/** Columns that a list can be sorted by. */
export const sortNames = ["name", "namedirfirst", "size", "time"] as const;
/** Directions of the order. */
export const orderNames = ["asc", "desc"] as const;

/** One of the columns. */
export type SortName = (typeof sortNames)[number];
/** One of the directions. */
export type OrderName = (typeof orderNames)[number];

/** Whether a text of the query, a cookie or the config is a column. */
export function isSortName(text: string): text is SortName {
  return (sortNames as readonly string[]).includes(text);
}

/** Whether such a text is a direction. */
export function isOrderName(text: string): text is OrderName {
  return (orderNames as readonly string[]).includes(text);
}

/** Order of code units, as Go compares texts in ASCII. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Order of names without regard to case. */
function byName(a: ListedFile, b: ListedFile): number {
  return compareText(a.name.toLowerCase(), b.name.toLowerCase());
}

const comparisons: Readonly<Record<SortName, (a: ListedFile, b: ListedFile) => number>> = {
  name: byName,
  namedirfirst: (a, b) => (a.is_dir === b.is_dir ? byName(a, b) : a.is_dir ? -1 : 1),
  // Folders have no size of their own: they come before all files, by name.
  size: (a, b) => (a.is_dir !== b.is_dir ? (a.is_dir ? -1 : 1) : a.is_dir ? byName(a, b) : a.size - b.size),
  // Without the `Z`, a time without a fraction sorts before the same time with one.
  time: (a, b) => compareText(a.mod_time.slice(0, -1), b.mod_time.slice(0, -1)),
};

/** A number of the query; 0 for anything else. */
function positive(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

/** Order and bounds of a listing, from the query. */
interface Arrangement {
  /** Column that the list is sorted by. */
  readonly sort: SortName;
  /** Ascending or descending. */
  readonly order: OrderName;
  /** Entries to leave out, as in the query. */
  readonly offset: string;
  /** `limit` of the query; anything but a positive number means no limit. */
  readonly limit: string;
}

/** Sorts and cuts a listing. */
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
