import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeBlockFiles } from "./block-files.ts";

/** Time since the start of a process, and the processor time it used. */
export interface BareUsage {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Figures of one run of the engine alone. */
export interface BareReport {
  /** When the tables were there. */
  readonly before: BareUsage;
  /** When the last insert was acknowledged. */
  readonly inserted: BareUsage;
  /** When nothing was merged any more. */
  readonly merged: BareUsage;
  readonly rows: number;
  /** Parts of the table `spans`. */
  readonly parts: number;
  /** On disk, of all tables. */
  readonly bytes: number;
}

const program = fileURLToPath(new URL("bare-engine.ts", import.meta.url));

/**
 * How the engine alone inserts. `as-engine`: finished column blocks, one insert for each core at a time.
 * `as-collector`: the same blocks one after the other, with the collector's settings. `from-rows`: rows that the engine
 * turns into columns itself, one insert for each core at a time.
 */
export type InsertManner = "as-engine" | "as-collector" | "from-rows";

/**
 * Feeds the engine alone with spans from files.
 * @throws Error with what it wrote, when it fails
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
