import { readdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { eventually } from "../../../src/expect.ts";
import { ask } from "../../../src/tracing-api/ask.ts";
import { metricOf } from "../../faults/fault-processes.ts";
import type { ChaosProcesses } from "../chaos-processes.ts";
import { type FlippedByte, flipAgain } from "./flipped-bytes.ts";

export const withinMs = 120_000;

export async function query({ storageUrl }: ChaosProcesses, sql: string): Promise<string> {
  const { status, text } = await ask(storageUrl, { method: "POST", body: sql });
  if (status !== 200) {
    throw new Error(`storage answers ${status}: ${text.slice(0, 300)}`);
  }
  return text.trim();
}

/** The path of a file on this machine, for a path from the engine. */
export function enginePath(backend: ChaosProcesses, path: string): string {
  return join(backend.folder, "storage/engine", path.replace(/^.*?(?=store\/)/, ""));
}

/**
 * The folder of the largest part of the spans that no merge reads. A merge that has already read a part would write its
 * rows to a new part, and a byte damaged later would never be read.
 */
export async function largestPart(backend: ChaosProcesses): Promise<string> {
  return await eventually(async () => {
    const merging =
      "SELECT arrayJoin(source_part_names) FROM system.merges WHERE database = 'tracing' AND table = 'spans'";
    const sql = `SELECT path FROM system.parts WHERE active AND database = 'tracing' AND table = 'spans' AND name NOT IN (${merging}) ORDER BY rows DESC LIMIT 1`;
    const path = await query(backend, sql);
    if (path === "") {
      throw new Error("no spans are stored yet");
    }
    return enginePath(backend, path);
  }, withinMs);
}

/** Files of a part with values of rows, for all columns or for one. */
const valueFile = /^data\.(bin|packed)$|^(?!skp_idx_).*\.bin$/;

/**
 * The largest file with values of rows. Other files, such as statistics, may be larger in a small part, but no search
 * reads them.
 */
export function largestFile(part: string): string {
  const files = readdirSync(part).filter((name) => valueFile.test(name));
  const sized = files.map((name) => join(part, name));
  return sized.sort((one, other) => statSync(other).size - statSync(one).size)[0] ?? "";
}

/** The texts with which storage reports that an answer about the spans lacks rows. */
export async function saidByStorage({ storageUrl }: ChaosProcesses): Promise<string[]> {
  const response = await fetch(storageUrl, {
    method: "POST",
    // Every column is read, because damage in a byte that no query reads is not reported.
    body: "SELECT count(), sum(cityHash64(*)) FROM tracing.spans",
  });
  const answer = await response.text();
  if (response.status !== 200) {
    throw new Error(`storage answers ${response.status}: ${answer.slice(0, 300)}`);
  }
  const reasons = JSON.parse(response.headers.get("x-tracing-partial") ?? "[]") as { text: string }[];
  return reasons.map(({ text }) => text);
}

async function degraded({ processes }: ChaosProcesses): Promise<string> {
  const { text } = await ask(new URL("/", processes.storage.metricsUrl).href);
  return ((JSON.parse(text) as { degraded?: string[] }).degraded ?? []).join("; ");
}

/** Storage reports that the part is set aside: in its log, a metric, its health and its answers. */
export async function saysPartIsAside(backend: ChaosProcesses, part: string): Promise<void> {
  const name = basename(part);
  const { storage } = backend.processes;
  await eventually(async () => {
    const said = (await saidByStorage(backend)).join("; ");
    if (!said.includes(name)) {
      throw new Error(`answers do not say that ${name} is set aside: ${said}`);
    }
  }, withinMs);
  const line = storage.log.split("\n").find((one) => one.includes(name) && one.includes('"level":"error"'));
  if (line === undefined) {
    throw new Error(`the log has no error about ${name}`);
  }
  if ((await metricOf(storage, "tracing_storage_damaged_parts_set_aside")) < 1) {
    throw new Error("the metric says that no part is set aside");
  }
  if (!(await degraded(backend)).includes("damaged parts")) {
    throw new Error("the health is not degraded");
  }
}

/** Repairs the bytes of a set-aside part and attaches it: nothing is missing then, and storage reports that. */
export async function restorePart(
  backend: ChaosProcesses,
  part: string,
  flipped: readonly FlippedByte[],
  table = "spans",
): Promise<void> {
  const detached = join(dirname(part), "detached");
  const name = readdirSync(detached).find((folder) => folder.endsWith(basename(part)));
  if (name === undefined) {
    throw new Error(`${basename(part)} is not in ${detached}`);
  }
  // The engine puts a reason before the name of a part that it could not load.
  const folder = join(detached, basename(part));
  renameSync(join(detached, name), folder);
  for (const byte of flipped) {
    flipAgain(byte, join(folder, basename(byte.path)));
  }
  await query(backend, `ALTER TABLE tracing.${table} ATTACH PART '${basename(part)}'`);
}

/** Waits until no part is set aside. */
export async function saysNothingIsAside(backend: ChaosProcesses): Promise<void> {
  await eventually(async () => {
    const said = await saidByStorage(backend);
    const aside = await metricOf(backend.processes.storage, "tracing_storage_damaged_parts_set_aside");
    const health = await degraded(backend);
    if (said.length > 0 || aside > 0 || health.includes("damaged parts")) {
      throw new Error(`parts are still said to be aside: ${aside}, ${said.join("; ")}, ${health}`);
    }
  }, withinMs);
}
