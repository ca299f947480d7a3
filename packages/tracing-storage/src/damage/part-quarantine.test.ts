import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine-error.ts";
import { PartQuarantine } from "./part-quarantine.ts";

const path = "/data/engine/store/506/506dc9e1-414a-4d00-bf6d-7a3f2b5c4f10/1_1_1_0/v.bin";
const damage = new EngineError(40, `Checksum doesn't match: While reading ${path}`);

test("an engine that cannot be asked is no second failure of the read that found the damage", async () => {
  const run = async () => {
    throw new EngineError(236, "the server is stopping");
  };
  const quarantine = new PartQuarantine({
    engine: { run } as unknown as Engine,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics: createMetrics("test"),
    health: { degrade() {} },
    noteFile: "/nowhere/damaged-parts.json",
  });
  expect(await quarantine.suspect(damage)).toBe(false);
  expect(await quarantine.suspect(new EngineError(60, "Unknown table"))).toBe(false);
});

/** An engine with one part, which two reads may find damaged at the same time. */
class OnePart {
  isThere = true;
  changes = 0;
  detached = 0;
  /** True: the second search for the part is answered late. */
  readonly slowFind: boolean;
  #finds = 0;

  constructor(slowFind: boolean) {
    this.slowFind = slowFind;
  }

  tablesChange(): void {
    this.changes++;
  }

  async tablesChanged(): Promise<void> {
    this.changes--;
  }

  async run({ sql }: { readonly sql: string }): Promise<{ bytes: Buffer }> {
    const found = this.isThere;
    if (sql.includes("uuid =")) {
      this.#finds++;
      if (this.slowFind && this.#finds === 2) {
        // The answer is older than the actions of the first read.
        while (this.isThere) {
          await new Promise(setImmediate);
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return { bytes: Buffer.from(found ? "d\tt\t1_1_1_0\t7\t9\t0\t\t\n" : "") };
    }
    if (sql.startsWith("SELECT count()")) {
      return { bytes: Buffer.from(found ? "1\n" : "0\n") };
    }
    if (sql.startsWith("ALTER")) {
      if (!found) {
        throw new EngineError(232, "No active part 1_1_1_0 to detach. (NO_SUCH_DATA_PART)");
      }
      this.isThere = false;
      this.detached++;
    }
    if (sql.startsWith("CHECK") && !found) {
      throw new EngineError(232, "There is no part 1_1_1_0. (NO_SUCH_DATA_PART)");
    }
    return { bytes: Buffer.alloc(0) };
  }
}

async function quarantineOf(engine: OnePart): Promise<PartQuarantine> {
  const folder = await mkdtemp(join(tmpdir(), "quarantine-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return new PartQuarantine({
    engine: engine as unknown as Engine,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics: createMetrics("test"),
    health: { degrade() {} },
    noteFile: join(folder, "damaged-parts.json"),
  });
}

test.each([
  ["certain", damage],
  ["possible", new EngineError(32, `Attempt to read after eof: While reading ${path}`)],
])(
  "two reads find one %s damaged part: the second is worth another try too, though the part is gone",
  async (name, error) => {
    const engine = new OnePart(true);
    const quarantine = await quarantineOf(engine);
    const first = quarantine.suspect(damage);
    const second = quarantine.suspect(error);
    expect([await first, await second, name]).toEqual([true, true, name]);
    expect([engine.detached, engine.changes]).toEqual([1, 0]);
  },
);

test("a file that is damaged, of a part that is gone: reads need not wait for it", async () => {
  const engine = new OnePart(false);
  engine.isThere = false;
  const name = { tableUuid: "506dc9e1-414a-4d00-bf6d-7a3f2b5c4f10", part: "1_1_1_0" };
  expect(await (await quarantineOf(engine)).setAsideFile(name, "damaged")).toBe(true);
});
