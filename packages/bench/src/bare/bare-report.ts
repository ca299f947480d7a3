import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBlockFiles } from "./block-files.ts";

/** Seconds since the start of a process, and the processor time that it used. */
export interface BareUsage {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Results of one run of the engine alone. */
export interface BareReport {
  /** Usage when the tables had been created. */
  readonly before: BareUsage;
  /** Usage when the last insert was acknowledged. */
  readonly inserted: BareUsage;
  /** Usage when all merges had ended. */
  readonly merged: BareUsage;
  readonly rows: number;
  /** Parts of the table `spans`. */
  readonly parts: number;
  /** Bytes on disk of all tables. */
  readonly bytes: number;
}

const program = fileURLToPath(new URL("bare-engine.ts", import.meta.url));

/**
 * The way in which the engine alone inserts. `as-engine`: finished blocks of columns, with as many concurrent inserts
 * as there are cores. `as-collector`: the same blocks, one after another, with the collector's settings. `from-rows`:
 * rows that the engine converts to columns itself, with as many concurrent inserts as there are cores.
 */
export type InsertManner = "as-engine" | "as-collector" | "from-rows";

/**
 * Feeds the engine alone with spans from files.
 * @throws Error with the output of the engine when it fails
 */
export async function measureBare(
  spans: number,
  manner: InsertManner,
  signal: AbortSignal,
): Promise<BareReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-bare-"));
  try {
    const files = await writeBlockFiles(folder, spans, manner === "from-rows" ? "RowBinary" : "Native");
    const child = spawn(process.execPath, [program, folder, manner], {
      signal,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end(JSON.stringify(files));
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const [output, errors, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
    if (code !== 0) {
      throw new Error(`the engine alone ended with ${code}: ${errors.slice(-2_000)}`);
    }
    return JSON.parse(output) as BareReport;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
