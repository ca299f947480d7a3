import type { Marks } from "./marks.ts";
import type { Stream } from "./stream.ts";

/** Rows of a part that are read together: `index_granularity` rows, or fewer at the end. */
export interface Granule {
  readonly rows: number;
  /** @throws UnreadablePart when the part has no stream with this name */
  stream(name: string): Stream;
  /**
   * A value that several granules share, such as a dictionary.
   * @param make reads the value, and returns its size in memory in bytes
   */
  shared<T>(name: string, make: (stream: Stream) => { readonly value: T; readonly bytes: number }): T;
}

/** Reads granules of a part. @param streams the needed streams. Absent: several, which are read in one call */
export type ReadGranule = (granule: number, streams?: readonly string[]) => Granule;

/** The layout of a part's files: it knows the position of each stream of a granule. */
export interface Layout {
  readonly granules: number;
  /** Size in memory in bytes. */
  readonly bytes: number;
  /**
   * The file of an index with an entry for each granule.
   * @param index name of the file, without its extension
   * @throws UnreadablePart, and errors of files
   */
  filterMarks(index: string): Marks;
  /**
   * Calls `work` with a reader. Files are opened when one of their blocks is not in the cache, and closed at the end:
   * an open file would keep its space on the disk after a merge has replaced the part.
   * @throws UnreadablePart, and errors of files; the reader that it passes to `work` throws them too
   */
  read<T>(work: (granule: ReadGranule) => T): T;
}
