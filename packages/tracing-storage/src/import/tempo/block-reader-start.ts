/**
 * The program of the thread that reads one block. A hostile file can make it use too much memory or time: then the
 * thread ends, and the import goes on with the next block.
 */
import { once } from "node:events";
import { open } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { WireError } from "wire/errors";
import type { SpanRows } from "wire/rows";
import { SpanBlocks } from "../span-blocks.ts";
import { readBlock } from "./read-block.ts";
import type { BlockCounts, BlockToRead, FromReader } from "./reader-messages.ts";
import { spansOfRow } from "./spans-of-row.ts";

const send = (message: FromReader) => parentPort?.postMessage(message);

async function sendRows({ bytes, count, plainBytes }: SpanRows): Promise<void> {
  const own = Uint8Array.prototype.slice.call(bytes);
  const message: FromReader = {
    ...{ kind: "rows", bytes: own, count },
    ...(plainBytes === undefined ? {} : { plainBytes }),
  };
  parentPort?.postMessage(message, [own.buffer as ArrayBuffer]);
  if (parentPort !== null) {
    await once(parentPort, "message");
  }
}

async function read({ path, tenant, dedicated }: BlockToRead): Promise<BlockCounts> {
  const counts = { traces: 0, spans: 0, leftOut: 0, why: "" };
  const blocks = new SpanBlocks(tenant, sendRows);
  const file = await open(path);
  try {
    for await (const rows of readBlock(file)) {
      for (const row of rows) {
        counts.traces++;
        for (const span of spansOfRow(row, dedicated)) {
          try {
            await blocks.add(span);
            counts.spans++;
          } catch (error) {
            if (!(error instanceof WireError)) {
              throw error;
            }
            counts.leftOut++;
            counts.why ||= error.message;
          }
        }
      }
    }
    await blocks.end();
  } finally {
    await file.close();
  }
  return counts;
}

read(workerData as BlockToRead).then(
  (counts) => send({ kind: "end", counts }),
  (error: unknown) =>
    send({ kind: "failed", message: error instanceof Error ? error.message : String(error) }),
);
