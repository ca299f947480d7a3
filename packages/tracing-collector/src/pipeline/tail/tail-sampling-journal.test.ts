import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { quietLog } from "../../../test/receiver-fixture.ts";
import { rowsOf, type SpanOutline, spanOf, spansOf } from "../../../test/span-rows-fixture.ts";
import { MemoryJournal } from "../journal/memory-journal.ts";
import { openJournalFolder } from "../journal/open-journal-folder.ts";
import type { SpanJournal } from "../journal/span-journal.ts";
import { parseTailPolicies } from "./tail-policies.ts";
import { TailSampler } from "./tail-sampler.ts";
import { type TailClock, TailSamplingJournal } from "./tail-sampling-journal.ts";

const limits = { maxBytes: 1e7, segmentRows: 4, segmentBytes: 1e7, segmentAgeMs: 1e6, busySegmentRows: 1e6 };

class FakeClock implements TailClock {
  #nowMs = 0;
  #due = new Map<object, { atMs: number; callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const key = {};
    this.#due.set(key, { atMs: this.#nowMs + delayMs, callback });
    return () => this.#due.delete(key);
  }

  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#due]
        .filter(([, { atMs }]) => atMs <= untilMs)
        .sort(([, a], [, b]) => a.atMs - b.atMs);
      if (next === undefined) {
        break;
      }
      this.#due.delete(next[0]);
      this.#nowMs = Math.max(this.#nowMs, next[1].atMs);
      next[1].callback();
    }
    this.#nowMs = untilMs;
  }
}

let folder: string;
let clock: FakeClock;
let opened: SpanJournal[];
/** Number of spans whose verdict is known. */
let judged: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tail-"));
  clock = new FakeClock();
  opened = [];
  judged = 0;
});

afterEach(async () => {
  await Promise.all(opened.map((journal) => journal.close()));
  await rm(folder, { recursive: true });
});

async function open(
  mode: "disk" | "memory",
  {
    policies = [{ type: "error" }] as object[],
    maxTraces = 1_000,
    at = folder,
    maxBytes = limits.maxBytes,
  } = {},
): Promise<TailSamplingJournal> {
  const inner =
    mode === "memory"
      ? new MemoryJournal({ ...limits, maxBytes }, quietLog)
      : await openJournalFolder(
          { ...limits, maxBytes, folder: at, sync: "off" },
          { committed() {} },
          quietLog,
        );
  return tailJournal(inner, policies, maxTraces);
}

function tailJournal(
  inner: SpanJournal,
  policies: object[] = [{ type: "error" }],
  maxTraces = 1_000,
  statesProbability = false,
): TailSamplingJournal {
  const sampler = new TailSampler(
    {
      policies: parseTailPolicies({ policies }, "test"),
      decisionWaitMs: 1_000,
      maxTraces,
      now: () => clock.now(),
      statesProbability,
    },
    {
      traceDecided() {},
      spansDecided(_, spans) {
        judged += spans;
      },
      lateSpans() {},
      forgottenSpans() {},
    },
  );
  const journal = new TailSamplingJournal(inner, sampler, quietLog, clock);
  opened.push(journal);
  return journal;
}

function append(journal: SpanJournal, ...outlines: SpanOutline[]): Promise<void> {
  return journal.append(rowsOf(outlines.map(spanOf)));
}

const traceId = (number: number) => number.toString(16).padStart(32, "0");

/** Four spans, which fill a segment: a failed trace among others. */
const four = ["a", "b", "c", "d"].map(
  (name, index): SpanOutline => ({
    name,
    traceId: traceId(index + 1),
    status: name === "b" ? "error" : "unset",
  }),
);

async function readNext(journal: SpanJournal): Promise<string[] | undefined> {
  const segment = await journal.take();
  if (segment === undefined) {
    return undefined;
  }
  const names = spansOf(await segment.read(Buffer.alloc(segment.bytes))).map(({ name }) => name);
  await journal.remove(segment);
  return names;
}

/** Waits until pending promises and disk operations have ended. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(["disk", "memory"] as const)("with a journal in %s", (mode) => {
  test("a segment waits for its window and is read without dropped traces", async () => {
    const journal = await open(mode);
    await append(journal, ...four);
    let names: unknown = "nothing yet";
    const reading = readNext(journal).then((read) => {
      names = read;
    });
    await until(() => journal.waitingSegments === 1);
    clock.pass(999);
    await settled();
    expect(names).toBe("nothing yet");
    expect(journal.segments).toBe(1);
    clock.pass(1);
    await reading;
    expect(names).toEqual(["b"]);
    expect(journal.bytes).toBe(0);
  });

  test("spans of a trace in several segments are kept together, whichever of them tells", async () => {
    const journal = await open(mode);
    const id = traceId(9);
    await append(journal, { name: "root", traceId: id }, ...four.slice(0, 3));
    await append(journal, { name: "failed", traceId: id, status: "error" }, ...four.slice(0, 3));
    await until(() => journal.waitingSegments === 2);
    clock.pass(1_000);
    expect(await readNext(journal)).toEqual(["root", "b"]);
    expect(await readNext(journal)).toEqual(["failed", "b"]);
  });

  test("every reading gives the same rows, under the token of the segment", async () => {
    const journal = await open(mode);
    await append(journal, ...four);
    await until(() => journal.waitingSegments === 1);
    clock.pass(1_000);
    const segment = await journal.take();
    const first = spansOf((await segment?.read(Buffer.alloc(segment.bytes))) ?? rowsOf([]));
    clock.pass(1e6);
    for (let trace = 100; trace < 600; trace++) {
      await append(journal, { traceId: traceId(trace) });
    }
    expect(spansOf((await segment?.read(Buffer.alloc(segment.bytes))) ?? rowsOf([]))).toEqual(first);
    expect(segment?.token).toMatch(/^\d{14}-[0-9a-f-]{36}$/);
  });

  test("while nobody takes, decisions are put down before they are forgotten", async () => {
    const journal = await open(mode, { maxTraces: 100 });
    await append(journal, ...four);
    await until(() => journal.waitingSegments === 1);
    clock.pass(1_500);
    await until(() => judged === 4);
    for (let trace = 100; trace < 800; trace++) {
      await append(journal, { traceId: traceId(trace) });
    }
    expect(await readNext(journal)).toEqual(["b"]);
    expect(judged).toBe(4);
  });

  test("what waits counts against the limit of bytes", async () => {
    const journal = await open(mode, { maxBytes: 700 });
    await append(journal, ...four);
    await expect(append(journal, ...four, ...four)).rejects.toMatchObject({ code: "COLLECTOR_JOURNAL_FULL" });
  });
});

test("a stop leaves on disk what is not decided; the next start observes it again, with what comes then", async () => {
  const before = await open("disk");
  await append(before, ...four);
  await append(before, { name: "open", traceId: traceId(7) });
  await before.finish();
  expect(await before.take()).toBeUndefined();
  expect(before.segments).toBe(2);
  await before.close();

  const journal = await open("disk");
  await append(journal, { name: "late error", traceId: traceId(7), status: "error" });
  await append(journal, ...four.slice(0, 3));
  const reads = [readNext(journal), readNext(journal), readNext(journal)];
  await until(() => journal.waitingSegments === 3);
  clock.pass(1_000);
  // Segments of an earlier run that were begun in the same millisecond have no defined order.
  const [one, two, last] = await Promise.all(reads);
  expect([one, two].sort()).toEqual([["b"], ["open"]]);
  expect(last).toEqual(["late error", "b"]);
});

test("nothing is decided before all that an earlier run left is observed, however long that takes", async () => {
  const inner = new MemoryJournal(limits, quietLog);
  await append(inner, { name: "quiet", traceId: traceId(7) }, ...four.slice(0, 3));
  await append(inner, { name: "failed", traceId: traceId(7), status: "error" }, ...four.slice(0, 3));
  const slow = Promise.withResolvers<void>();
  const take = inner.take.bind(inner);
  let taken = 0;
  inner.take = async () => {
    if (++taken === 2) {
      await slow.promise;
    }
    return take();
  };
  const journal = tailJournal(inner);
  await until(() => taken === 2);
  clock.pass(5_000);
  await append(journal, { name: "meanwhile", traceId: traceId(8) });
  slow.resolve();
  await until(() => journal.waitingSegments === 2);
  clock.pass(1_000);
  expect(await readNext(journal)).toEqual(["quiet", "b"]);
  expect(await readNext(journal)).toEqual(["failed", "b"]);
});

test("a stop with the journal in memory decides now and hands out everything", async () => {
  const journal = await open("memory");
  await append(journal, ...four);
  await append(journal, { name: "last", traceId: traceId(2) });
  await journal.finish();
  expect(await readNext(journal)).toEqual(["b"]);
  expect(await readNext(journal)).toEqual(["last"]);
  expect(await journal.take()).toBeUndefined();
});

test("after kills and stops every span of a kept trace is stored once, and nothing undecided is lost", async () => {
  const requests = fc.array(fc.tuple(fc.nat(12), fc.boolean()), { minLength: 1, maxLength: 6 });
  const step = fc.oneof(requests, fc.constantFrom("pass" as const, "kill" as const, "stop" as const));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      clock = new FakeClock();
      const run = new Run(await mkdtemp(join(folder, "run-")));
      await run.begin();
      const sent: { name: string; trace: number; isError: boolean }[] = [];
      for (const one of [...steps, "stop" as const]) {
        if (one === "pass") {
          clock.pass(400);
          await settled();
        } else if (one === "kill" || one === "stop") {
          await run[one]();
          await run.begin();
        } else {
          const outlines = one.map(([trace, isError]): SpanOutline => {
            const name = String(sent.push({ name: String(sent.length), trace, isError }) - 1);
            return { name, traceId: traceId(trace + 1), status: isError ? "error" : "unset" };
          });
          await append(run.journal, ...outlines);
        }
      }
      await run.drain();
      const stored = [...run.storage.values()].flat();
      expect(new Set(stored).size, "each at most once").toBe(stored.length);
      const seen = new Set<number>();
      const failed = new Set(sent.flatMap(({ trace, isError }) => (isError ? [trace] : [])));
      for (const { name, trace, isError } of sent) {
        // Only a trace that was seen before can have been decided before its failure arrived.
        if (isError && !seen.has(trace)) {
          expect(stored).toContain(name);
        }
        if (!failed.has(trace)) {
          expect(stored).not.toContain(name);
        }
        seen.add(trace);
      }
    }),
    { numRuns: 60 },
  );
});

/** A collector that is killed and restarted, with the store into which it writes. */
class Run {
  readonly storage = new Map<string, string[]>();
  readonly #root: string;
  #folders = 0;
  #journal: TailSamplingJournal | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isDead = { value: false };

  constructor(root: string) {
    this.#root = root;
  }

  get journal(): TailSamplingJournal {
    if (this.#journal === undefined) {
      throw new Error("not begun");
    }
    return this.#journal;
  }

  get #folder(): string {
    return join(this.#root, String(this.#folders));
  }

  async begin(): Promise<void> {
    this.#journal = await open("disk", { at: this.#folder });
    this.#isDead = { value: false };
    this.#writing = this.#write(this.#journal, this.#isDead);
  }

  async #write(journal: SpanJournal, isDead: { value: boolean }): Promise<void> {
    for (;;) {
      const segment = await journal.take();
      if (segment === undefined || isDead.value) {
        return;
      }
      const names = spansOf(await segment.read(Buffer.alloc(segment.bytes))).map(({ name }) => name);
      if (isDead.value) {
        return;
      }
      // The store knows tokens: a repeated block is ignored.
      if (!this.storage.has(segment.token)) {
        this.storage.set(segment.token, names);
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (isDead.value) {
        return;
      }
      await journal.remove(segment);
    }
  }

  async stop(): Promise<void> {
    await this.journal.finish();
    await this.#writing;
    await this.journal.close();
  }

  /** Continues with a copy of the files as they are at this moment; the old process has no further effect. */
  async kill(): Promise<void> {
    this.#isDead.value = true;
    const from = this.#folder;
    const abandoned = this.journal;
    this.#folders++;
    await mkdir(this.#folder);
    for (const name of await readdir(from)) {
      if (!name.endsWith(".segment")) {
        continue;
      }
      const bytes = await readFile(join(from, name)).catch(() => undefined);
      if (bytes !== undefined) {
        await writeFile(join(this.#folder, name), bytes);
      }
    }
    await abandoned.close();
  }

  async drain(): Promise<void> {
    while (this.journal.segments > 0) {
      clock.pass(1_000);
      await settled();
    }
    await this.stop();
  }
}

test.each([
  [
    "a probability covers the rest",
    [{ type: "probability", ratio: 1 - 2 ** -20 }],
    ["ot=th:8", "ot=th:0", "ot=th:00001"],
  ],
  ["the rest is dropped", [], ["ot=th:8", "a=b"]],
])("kept spans state the probability of their policy, where %s", async (_, last, traceStates) => {
  const policies = [{ type: "error" }, { type: "rate", "traces-per-minute": 1 }, ...last];
  const journal = tailJournal(
    new MemoryJournal({ ...limits, maxBytes: 1e7 }, quietLog),
    policies,
    1_000,
    true,
  );
  const outlines = [
    { name: "failed", status: "error", traceState: "ot=th:8" },
    { name: "first of its minute", traceState: last.length > 0 ? "" : "a=b,ot=th:8" },
    { name: "second" },
  ] as const;
  await append(journal, ...outlines.map((outline, index) => ({ ...outline, traceId: traceId(index + 1) })));
  await journal.finish();
  const segment = await journal.take();
  const read = async () =>
    spansOf((await segment?.read(Buffer.alloc(segment.bytes))) ?? { bytes: Buffer.alloc(0), count: 0 });
  const kept = await read();
  expect(kept.map(({ traceState }) => traceState)).toEqual(traceStates);
  expect(kept.map(({ name }) => name)).toEqual(outlines.slice(0, kept.length).map(({ name }) => name));
  // A repeated block must be identical.
  expect(await read()).toEqual(kept);
});
