import type { FileHandle } from "node:fs/promises";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type RowGroup,
} from "hyparquet";
import type { Group } from "./attribute-values.ts";
import { pageDecompressors } from "./page-decompressors.ts";

/**
 * Approximate number of unpacked bytes in one batch of rows. Their JavaScript values take about ten times as much
 * memory.
 */
const batchBytes = 16 * 1024 * 1024;
/** Maximum number of unpacked bytes of a row group without an index of its pages; such a group is one batch. */
const maxUnindexedBytes = 512 * 1024 * 1024;
/**
 * Minimum number of bytes that are counted for a value. Empty lists take almost no bytes in the file, but become
 * objects.
 */
const valueBytes = 4;
/** Maximum number of bytes of the index at the end of the file, which names row groups and columns. */
const maxIndexBytes = 64 * 1024 * 1024;
/** Maximum number of columns, including groups. Tempo's files have about 150. */
const maxColumns = 2_000;
/** Maximum number of values of a column in a row group; a trace of a million spans has fewer. */
const maxValues = 50_000_000n;
/** Maximum number of rows in a row group; each row is a trace. */
const maxRows = 10_000_000n;

/** Columns that are read; the other columns only repeat their data. */
const columns = ["TraceID", "rs"];

/**
 * Reads the rows of `data.parquet`, which are traces, in batches of bounded size.
 * @throws Error that says what is wrong with the file, without its name
 */
export async function* readBlock(handle: FileHandle): AsyncGenerator<readonly Group[]> {
  const file = await bufferOf(handle);
  const metadata = await indexOf(file);
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    const step = batchRows(group);
    for (let from = 0; from < rows; from += step) {
      yield await parquetReadObjects({
        ...{ file, metadata, columns, useOffsetIndex: true },
        ...{ rowStart: groupStart + from, rowEnd: groupStart + Math.min(from + step, rows) },
        ...{ compressors: pageDecompressors, utf8: false },
      }).catch(throwDamaged);
    }
    groupStart += rows;
  }
}

/** Reads ranges of the file. */
async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    slice(start, end = size) {
      const read = readRange(handle, size, start, end);
      // hyparquet may stop at another error before it waits for this range.
      read.catch(() => {});
      return read;
    },
  };
}

/** @throws Error for a range outside of the file, which a damaged index names */
async function readRange(handle: FileHandle, size: number, start: number, end: number): Promise<ArrayBuffer> {
  if (!(start >= 0 && start <= end && end <= size)) {
    throw new Error(`the index names bytes ${start} to ${end} of a file of ${size} bytes`);
  }
  const bytes = new Uint8Array(end - start);
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) {
      throw new Error("the file became shorter while it was read");
    }
    done += bytesRead;
  }
  return bytes.buffer;
}

/** Errors of hyparquet say what it met, not that the file is the cause. */
function throwDamaged(error: unknown): never {
  throw new Error(`the file is damaged: ${(error as Error).message}`, { cause: error });
}

async function indexOf(file: AsyncBuffer): Promise<FileMetaData> {
  if (file.byteLength < 12) {
    throw new Error(`the file has ${file.byteLength} bytes, so it is cut`);
  }
  const tail = new DataView(await file.slice(file.byteLength - 8, file.byteLength));
  if (tail.getUint32(4, false) !== 0x50415231) {
    throw new Error("the file does not end as Parquet does, so it is cut, or it is none");
  }
  const length = tail.getUint32(0, true);
  if (length > Math.min(maxIndexBytes, file.byteLength - 8)) {
    throw new Error(`the index says that it has ${length} bytes; the limit is ${maxIndexBytes}`);
  }
  const metadata = await parquetMetadataAsync(file).catch(throwDamaged);
  if (metadata.schema.length > maxColumns) {
    throw new Error(`the file has ${metadata.schema.length} columns; the limit is ${maxColumns}`);
  }
  const missing = columns.find((name) => !metadata.schema.some((each) => each.name === name));
  if (missing !== undefined) {
    throw new Error(`there is no column ${missing}, so it is no block of Tempo`);
  }
  for (const [index, group] of metadata.row_groups.entries()) {
    checkGroup(index, group);
  }
  return metadata;
}

/** @throws Error for a row group with more rows or values than the limits */
function checkGroup(index: number, { num_rows: rows, columns: chunks }: RowGroup): void {
  if (rows < 0n || rows > maxRows) {
    throw new Error(`row group ${index} has ${rows} rows; the limit is ${maxRows}`);
  }
  for (const { meta_data: chunk } of chunks) {
    const values = chunk?.num_values ?? 0n;
    if (chunk === undefined || values < 0n || values > maxValues) {
      throw new Error(
        `row group ${index}: ${chunk?.path_in_schema.join(".")} has ${values} values; the limit is ${maxValues}`,
      );
    }
  }
}

/**
 * Number of rows in one batch: all rows of a small row group, otherwise a share by its size.
 * @throws Error for a large row group without an index of its pages
 */
function batchRows({ num_rows, columns: chunks }: RowGroup): number {
  const rows = Math.max(1, Number(num_rows));
  const sum = chunks.reduce((bytes, { meta_data: chunk }) => {
    const values = valueBytes * Number(chunk?.num_values ?? 0);
    return bytes + Math.max(Number(chunk?.total_uncompressed_size ?? 0), values);
  }, 0);
  const parts = Math.ceil(sum / batchBytes);
  if (parts > 1 && chunks.some(({ offset_index_offset: index }) => index === undefined)) {
    if (sum > maxUnindexedBytes) {
      throw new Error(
        `a row group has ${sum} bytes and no index of its pages; the limit is ${maxUnindexedBytes}`,
      );
    }
    return rows;
  }
  return Math.max(1, Math.ceil(rows / Math.max(1, parts)));
}
