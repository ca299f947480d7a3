// Reads that found a damaged block, as the engine's list of statements shows them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { ReadGivenUp, StuckReads } from "./stuck-reads.ts";

const folder = mkdtempSync(join(tmpdir(), "stuck-reads-"));
afterAll(() => rmSync(folder, { recursive: true }));

const partFolder = join(folder, "store/3e7/3e7049ff-4bf3-4aee-a4eb-87e292cfd028/20261129_1_1_0");
const damagedFile = join(partFolder, "data.bin");
mkdirSync(partFolder, { recursive: true });
writeFileSync(damagedFile, Buffer.alloc(25));

/** Tags of statements that run in the engine and have found a wrong checksum. */
let met: string[];
let aside: string[];
/** Number of times that open files were compared with their checksums. */
let comparisons: number;
let looks: number;
let reads: StuckReads;

beforeEach(() => {
  met = [];
  aside = [];
  comparisons = 0;
  looks = 0;
  const engine = {
    run: async () => {
      looks++;
      return { bytes: Buffer.from(met.map((tag) => `${tag}\n`).join("")) };
    },
  };
  const quarantine = {
    setAsideFile: async ({ part }: { part: string }) => {
      aside.push(part);
      return true;
    },
  };
  reads = new StuckReads({ engine, quarantine, log: { error: () => {} } } as never, {
    lookMs: 5,
    openFiles: async () => {
      comparisons++;
      return [damagedFile];
    },
  });
});

const untilStopped = (stop: AbortSignal) =>
  new Promise<never>((_, reject) => stop.addEventListener("abort", () => reject(new Error("stopped"))));

test("a read that met damage is given up once its part is aside", async () => {
  met = ["one"];
  await expect(reads.during("one", untilStopped)).rejects.toThrow(ReadGivenUp);
  expect(aside).toEqual(["20261129_1_1_0"]);
});

test("damage is found by a read that waits, when the client whose read met it has left", async () => {
  met = ["of a client that left"];
  const waiting = Promise.withResolvers<string>();
  const read = reads.during("waits for its turn", () => waiting.promise);
  await vi.waitFor(() => expect(aside).toEqual(["20261129_1_1_0"]));
  waiting.resolve("answer");
  expect(await read).toBe("answer");
});

test("files are not compared again for a statement whose part is aside", async () => {
  met = ["one"];
  await expect(reads.during("one", untilStopped)).rejects.toThrow(ReadGivenUp);
  const waiting = Promise.withResolvers<void>();
  const read = reads.during("two", () => waiting.promise);
  await vi.waitFor(() => expect(looks).toBeGreaterThan(5));
  waiting.resolve();
  await read;
  expect(comparisons).toBe(1);
});

test("further damage is found beside a statement whose part is aside", async () => {
  met = ["one"];
  await expect(reads.during("one", untilStopped)).rejects.toThrow(ReadGivenUp);
  met = ["one", "two"];
  await expect(reads.during("two", untilStopped)).rejects.toThrow(ReadGivenUp);
  expect(aside).toHaveLength(2);
});
