/**
 * The program of the thread that reads parts. It reads and decompresses files, so that the main thread does not wait
 * for the disk.
 */
import { parentPort } from "node:worker_threads";
import { UnreadablePart } from "../parts/unreadable-part.ts";
import { type OpenTable, readPoint } from "./read-point.ts";
import { PartCache, TableParts } from "./table-parts.ts";
import type { FromThread, ReadMessage, ToThread } from "./thread-messages.ts";
import { garbageCollector } from "./unpacked-garbage.ts";

/**
 * Size limits of the caches in bytes. Descriptions of parts are mostly primary indexes: 1 MiB for 80 million spans.
 * Blocks are columns, marks and filters. Users repeat searches, whose twenty traces need more than 8 MiB and take three
 * times as long if they must be decompressed again.
 */
const cachedBytes = 8 * 1024 * 1024;
const cachedBlockBytes = 32 * 1024 * 1024;

const cache = new PartCache(cachedBytes, cachedBlockBytes);
const tables = new Map<number, OpenTable>();
const collectGarbage = garbageCollector();

function tableOf(number: number): OpenTable {
  const table = tables.get(number);
  if (table === undefined) {
    throw new Error(`nobody has told of the table ${number}`);
  }
  return table;
}

function answerTo({ call, rows, places, statement, value }: ReadMessage): FromThread {
  try {
    const answer = readPoint({ rows: tableOf(rows), places: tableOf(places) }, statement, value);
    return { kind: "answer", call, ...answer };
  } catch (error) {
    // A merge may have replaced the part since the folder was listed.
    const isGone = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isGone || error instanceof UnreadablePart) {
      return { kind: "none", call };
    }
    return { kind: "none", call, error: String(error) };
  }
}

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "forget") {
    tables.delete(message.table);
    return;
  }
  if (message.kind === "table") {
    const { table, facts, keyTypes } = message;
    cache.forget(facts.folder);
    tables.set(table, { facts, parts: new TableParts(facts, keyTypes, cache) });
    return;
  }
  const answer = answerTo(message);
  const moved = answer.kind === "answer" ? [answer.bytes.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, moved);
  // This runs after the answer was sent, so that it does not delay an answer.
  setImmediate(collectGarbage);
});
parentPort?.postMessage({ kind: "ready" } satisfies FromThread);
