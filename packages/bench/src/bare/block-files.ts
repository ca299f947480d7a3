import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OtlpTranscoder } from "wire/otlp";
import { readSpanRows, type SpanRows, SpanRowWriter, spanColumns } from "wire/rows";
import { SpanBlock } from "wire/span-block";
import { Corpus } from "../corpus/corpus.ts";

/** `Native`: blocks of columns, as the store receives them; `RowBinary`: the rows from which such blocks are made. */
export type FileFormat = "Native" | "RowBinary";

/** One block of spans in a file, in one of ClickHouse's formats. */
export interface BlockFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Spans in one block of a collector under load. */
const blockSpans = 120_000;
const batchSpans = 100;

/** Collects the rows of one file. */
interface Content {
  readonly rows: number;
  readonly columns: readonly string[];
  begin(): void;
  add(rows: SpanRows): void;
  pieces(): Iterable<Uint8Array>;
}

/** Rows with all of their columns, in the order in which spans are added. */
class RowContent implements Content {
  readonly columns: readonly string[] = spanColumns.map(({ name }) => name);
  readonly #writer = new SpanRowWriter();
  #rows: Buffer[] = [];

  get rows(): number {
    return this.#rows.length;
  }

  begin(): void {
    this.#rows = [];
  }

  add({ bytes }: SpanRows): void {
    for (const span of readSpanRows(bytes)) {
      this.#writer.append(span);
      this.#rows.push(Buffer.from(this.#writer.take().bytes));
    }
  }

  pieces(): Iterable<Uint8Array> {
    return [Buffer.concat(this.#rows)];
  }
}

/**
 * Writes the spans of the load to files; the times of the spans advance by one second for 100,000 spans.
 * @param folder an existing folder
 * @param spans number of spans, rounded up to whole batches of 100
 */
export async function writeBlockFiles(
  folder: string,
  spans: number,
  format: FileFormat,
): Promise<BlockFile[]> {
  const corpus = new Corpus(batchSpans, 1, Math.floor(Math.random() * 2 ** 32));
  const transcoder = new OtlpTranscoder();
  const file: Content = format === "Native" ? new SpanBlock() : new RowContent();
  const files: BlockFile[] = [];
  let unixMs = Date.now() - spans / batchSpans;
  for (let left = spans; left > 0; ) {
    file.begin();
    for (; left > 0 && file.rows < blockSpans; left -= batchSpans) {
      file.add(transcoder.transcode(corpus.next(unixMs++).body).rows);
    }
    const path = join(folder, `${files.length}.${format}`);
    files.push({ path, format, columns: file.columns, rows: file.rows });
    await writeFile(path, file.pieces());
  }
  return files;
}
