import type { Marks } from "./marks.ts";
import type { Stream } from "./stream.ts";

/** Some rows of a part, which are read together: as many as the table's `index_granularity`, but for the last ones. */
export interface Granule {
  readonly rows: number;
  /** @throws UnreadablePart when the part has no stream of that name */
  stream(name: string): Stream;
  /**
   * What is made of a stream that several granules share, as a dictionary.
   * @param make gives it and how many bytes of memory it takes
   */
  shared<T>(name: string, make: (stream: Stream) => { readonly value: T; readonly bytes: number }): T;
}

/** Reads granules of a part. @param streams the only ones that are needed; without them several are, and are read at once */
export type ReadGranule = (granule: number, streams?: readonly string[]) => Granule;

/** How the files of a part lie: where a stream of a granule is. */
export interface Layout {
  readonly granules: number;
  /** Of memory. */
  readonly bytes: number;
  /**
   * Of the file of an index with something for each granule.
   * @param index the name of the file, without its end
   * @throws UnreadablePart, and errors of files
   */
  filterMarks(index: string): Marks;
  /**
   * Files are opened when a block of theirs is not in the cache, and closed at the end: kept open, they would keep their room on the disk
   * when a merge has replaced the part.
   * @throws UnreadablePart, and errors of files; so does what it gives
   */
  read<T>(work: (granule: ReadGranule) => T): T;
}
