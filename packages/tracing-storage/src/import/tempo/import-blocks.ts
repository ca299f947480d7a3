import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SpanWriter } from "storage/api";
import { writeBlock } from "../span-blocks.ts";
import { findBlocks } from "./block-folders.ts";
import type { BlockMeta } from "./block-meta.ts";
import { type ReaderLimits, readBlockApart, UnreadableBlock } from "./block-reader.ts";

/** Tempo's tenant name in an installation without tenants. */
const onlyTenant = "single-tenant";

export interface BlockImport {
  /** Folder of the blocks; see `findBlocks` for the possible folders. */
  readonly folder: string;
  /** Tempo's tenant whose blocks are read; "" reads all. */
  readonly tenant: string;
  /** Tenant of the stored spans; undefined: the tenant of Tempo's block, or none for `single-tenant`. */
  readonly intoTenant: string | undefined;
  /** Time range in milliseconds since 1970; only blocks with spans in this range are read. `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** File with the ids of blocks that are stored, one a line; "" for none. Those are not read again. */
  readonly doneFile: string;
  readonly limits?: ReaderLimits;
}

export interface ImportCounts {
  blocks: number;
  traces: number;
  spans: number;
  /** Spans that the store cannot take, such as those without an id. */
  leftOut: number;
  /** Blocks that could not be read, or not to their end. */
  failed: number;
  /** Blocks that an earlier run has stored. */
  done: number;
  /** Merged and replaced blocks, whose spans are in other blocks. */
  copied: number;
}

export interface ImportReports {
  /** Called when the counts have changed. */
  counted(counts: Readonly<ImportCounts>): void;
  /** Called for a block that could not be read to its end, and for a stored block that lacks spans or traces. */
  fault(block: string, message: string): void;
}

/**
 * Stores the blocks, one after the other, the oldest first. A block that cannot be read is reported, and the next one
 * is read.
 * @throws StorageError of the store, which ends the import; an error with a code for a folder that cannot be read
 */
export async function importBlocks(
  order: BlockImport,
  writer: SpanWriter,
  reports: ImportReports,
): Promise<ImportCounts> {
  const found = findBlocks(order.folder);
  const done = doneBlocks(order.doneFile);
  const counts: ImportCounts = {
    ...{ blocks: 0, traces: 0, spans: 0, leftOut: 0, failed: 0, done: 0, copied: found.copied },
  };
  for (const { folder, message } of found.faults) {
    counts.failed++;
    reports.fault(folder, message);
  }
  for (const { folder, meta } of found.blocks) {
    if (!isWanted(meta, order)) {
      continue;
    }
    if (done.has(meta.blockId)) {
      counts.done++;
      continue;
    }
    try {
      await importBlock(join(folder, "data.parquet"), meta, { order, writer, counts, reports });
    } catch (error) {
      if (!(error instanceof UnreadableBlock)) {
        throw error;
      }
      counts.failed++;
      reports.fault(folder, error.message);
      continue;
    }
    counts.blocks++;
    if (order.doneFile !== "") {
      appendFileSync(order.doneFile, `${meta.blockId}\n`);
    }
    reports.counted(counts);
  }
  return counts;
}

interface Running {
  readonly order: BlockImport;
  readonly writer: SpanWriter;
  readonly counts: ImportCounts;
  readonly reports: ImportReports;
}

async function importBlock(
  path: string,
  meta: BlockMeta,
  { order, writer, counts, reports }: Running,
): Promise<void> {
  const tenant = order.intoTenant ?? (meta.tenantId === onlyTenant ? "" : meta.tenantId);
  let stored = 0;
  const read = await readBlockApart(
    { path, tenant, dedicated: meta.dedicated },
    async (rows) => {
      await writeBlock(writer, rows, "import-tempo", meta.startMs);
      stored += rows.count;
      reports.counted({ ...counts, spans: counts.spans + stored });
    },
    order.limits,
  );
  counts.traces += read.traces;
  counts.spans += read.spans;
  counts.leftOut += read.leftOut;
  if (read.leftOut > 0) {
    reports.fault(path, `${read.leftOut} spans are left out: ${read.why}`);
  }
  if (read.traces !== meta.traces) {
    reports.fault(path, `meta.json says ${meta.traces} traces, and ${read.traces} were in it`);
  }
}

function isWanted({ tenantId, startMs, endMs }: BlockMeta, { tenant, fromMs, toMs }: BlockImport): boolean {
  return (tenant === "" || tenantId === tenant) && endMs >= fromMs && startMs < toMs;
}

function doneBlocks(path: string): ReadonlySet<string> {
  if (path === "") {
    return new Set();
  }
  try {
    return new Set(readFileSync(path, "utf8").split("\n"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return new Set();
    }
    throw error;
  }
}
