import type { Marks } from "./marks.ts";
import type { Stream } from "./stream.ts";

/** Rows of a part that are read together: `index_granularity` rows, or fewer at the end. */
export interface Granule {
  readonly rows: number;
  /** @throws UnreadablePart for an unknown stream */
  stream(name: string): Stream;
  /**
   * A value that several granules use, such as a dictionary.
   * @param make reads the value, and returns it with its size in memory in bytes
   */
  shared<T>(name: string, make: (stream: Stream) => { readonly value: T; readonly bytes: number }): T;
}

/** Reads granules of a part. @param streams the needed streams. Absent: all streams */
export type ReadGranule = (granule: number, streams?: readonly string[]) => Granule;

/** The layout of a part's files, which knows the position of each stream of a granule. */
export interface Layout {
  readonly granules: number;
  /** Size in memory in bytes. */
  readonly bytes: number;
  /**
   * The marks of an index, which has an entry for each granule.
   * @param index name of the file, without its extension
   * @throws UnreadablePart, and errors of files
   */
  filterMarks(index: string): Marks;
  /**
   * Calls `work` with a reader. A file is opened when one of its blocks is not in the cache. All files are closed at the
   * end, because an open file would still need its disk space after a merge has replaced the part.
   * @throws UnreadablePart, and errors of files; the reader also throws them
   */
  read<T>(work: (granule: ReadGranule) => T): T;
}
