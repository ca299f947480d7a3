import type { Writable } from "node:stream";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { OtlpTraces } from "../otlp.ts";
import { writeBytes } from "../output/write.ts";
import { rowsOf } from "./span-rows.ts";
import { columnNames, spanSchema } from "./span-schema.ts";

/** Rows of a row group, which is held in memory as a whole. */
const groupRows = 20_000;
/** Maximum number of bytes of texts in a row group. Traces with long attributes make smaller groups. */
const groupBytes = 16 * 1024 * 1024;

/** Writes traces as one Parquet file with a row for each span. Memory holds one row group and one trace. */
export class ParquetSink {
  readonly #target: Writable;
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  #columns = emptyColumns();
  #rows = 0;
  #rowBytes = 0;

  constructor(target: Writable, createdBy: string) {
    this.#target = target;
    this.#file = new ParquetWriter({ writer: this.#bytes, schema: spanSchema, codec: "SNAPPY", createdBy });
  }

  async add(traces: OtlpTraces): Promise<void> {
    for (const { values, bytes } of rowsOf(traces)) {
      for (const [name, column] of this.#columns) {
        column.push(values[name] ?? null);
      }
      this.#rows++;
      this.#rowBytes += bytes;
      if (this.#rows === groupRows || this.#rowBytes >= groupBytes) {
        await this.#writeGroup();
      }
    }
  }

  /** Writes the last group and the file's index, without which nobody can read the file. */
  async end(): Promise<void> {
    await this.#writeGroup();
    this.#file.finish();
    await this.#flush();
  }

  async #writeGroup(): Promise<void> {
    if (this.#rows > 0) {
      const columnData = Array.from(this.#columns, ([name, data]) => ({ name, data }));
      await this.#file.write({ columnData, rowGroupSize: this.#rows });
      this.#columns = emptyColumns();
      this.#rows = 0;
      this.#rowBytes = 0;
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    // A copy, because the writer uses its buffer again.
    const written = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    await writeBytes(this.#target, written);
  }
}

function emptyColumns(): Map<string, unknown[]> {
  return new Map(columnNames.map((name) => [name, []]));
}
