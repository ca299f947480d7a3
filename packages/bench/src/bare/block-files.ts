import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OtlpTranscoder } from "wire/otlp";
import { SpanBlock } from "wire/rows";
import { Corpus } from "../corpus/corpus.ts";

/** One block of spans in a file, of ClickHouse's format Native: what the store is sent. */
export interface BlockFile {
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** As many as the collector puts into one block under load. */
const blockSpans = 120_000;
const batchSpans = 100;

/**
 * Writes the spans of the load to files, 100,000 to a second of their own clock.
 * @param folder exists
 * @param spans rounded up to whole batches of 100
 */
export async function writeBlockFiles(folder: string, spans: number): Promise<BlockFile[]> {
  const corpus = new Corpus(batchSpans, 1, Math.floor(Math.random() * 2 ** 32));
  const transcoder = new OtlpTranscoder();
  const block = new SpanBlock();
  const files: BlockFile[] = [];
  let unixMs = Date.now() - spans / batchSpans;
  for (let left = spans; left > 0; ) {
    block.begin();
    for (; left > 0 && block.rows < blockSpans; left -= batchSpans) {
      block.add(transcoder.transcode(corpus.next(unixMs++).body).rows);
    }
    const path = join(folder, `${files.length}.native`);
    files.push({ path, columns: block.columns, rows: block.rows });
    await writeFile(path, block.pieces());
  }
  return files;
}
