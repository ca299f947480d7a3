import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "lifecycle";
import { type SpanRowSource, StorageError, type WriteOptions } from "storage/api";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { OtlpJsonTranscoder } from "wire/otlp";
import type { SpanRows } from "wire/rows";
import { oneSpanJson, quietLog } from "../../test/receiver-fixture.ts";
import { CollectorMetrics } from "../counts/metrics.ts";
import { ServiceCounts } from "../counts/service-counts.ts";
import type { Journal } from "./journal/journal.ts";
import { MemoryJournal } from "./journal/memory-journal.ts";
import { openJournalFolder } from "./journal/open-journal-folder.ts";
import { segmentHeaderBytes } from "./journal/segment-format.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import { StorageWriter } from "./storage-writer.ts";

interface Attempt extends WriteOptions {
  readonly text: string;
}

/** A storage whose answers the test defines. It records the rows of each attempt. */
class ScriptedStore {
  readonly attempts: Attempt[] = [];
  readonly stored: string[] = [];
  /** Errors for the next calls, in order. After the last one, calls succeed. */
  readonly failures: StorageError[] = [];
  readonly readyFailures: StorageError[] = [];
  readonly #waiting: (() => void)[] = [];

  readonly writer = {
    writeSpans: async ({ bytes }: SpanRows, options: WriteOptions) => {
      const text = Buffer.from(bytes).toString();
      this.attempts.push({ ...options, text });
      const failure = this.failures.shift();
      if (failure === undefined) {
        this.stored.push(text);
      }
      for (const wake of this.#waiting.splice(0)) {
        wake();
      }
      if (failure !== undefined) {
        throw failure;
      }
    },
  };

  /** From now on, accepts rows while they are read. */
  stream(): void {
    Object.assign(this.writer, {
      writeSpanSource: async (rows: SpanRowSource, options: WriteOptions) => {
        const pieces: Buffer[] = [];
        let count = 0;
        for await (const piece of rows.pieces()) {
          pieces.push(Buffer.from(piece.bytes));
          count += piece.count;
        }
        expect(count).toBe(rows.count);
        await this.writer.writeSpans({ bytes: Buffer.concat(pieces), count }, options);
      },
    });
  }

  async ready(): Promise<void> {
    const failure = this.readyFailures.shift();
    if (failure !== undefined) {
      throw failure;
    }
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

let folder: string;
let journal: Journal;
let store: ScriptedStore;
let lines: string[];
let damaged: number[];
let writer: StorageWriter;
let registry: ReturnType<typeof createMetrics>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "writer-"));
  lines = [];
  journal = await openJournal();
  store = new ScriptedStore();
  damaged = [];
  writer = newWriter();
});

afterEach(async () => {
  await journal.finish();
  await writer.drain(AbortSignal.abort());
  await journal.close();
  await rm(folder, { recursive: true });
});

function openJournal(): Promise<Journal> {
  const log = Object.assign(quietLog.child({}), {
    error: (_: unknown, message?: string) => lines.push(String(message)),
  });
  return openJournalFolder(
    {
      folder,
      sync: "off",
      maxBytes: 1e6,
      segmentRows: 1,
      segmentBytes: 1,
      segmentAgeMs: 1e6,
      busySegmentRows: 1e6,
    },
    { committed() {}, damaged: (rows) => damaged.push(rows) },
    log,
  );
}

function newWriter(workers = 1, from: SpanJournal = journal): StorageWriter {
  registry = createMetrics("test");
  const log = quietLog.child({});
  const keep = (_: unknown, message?: string) => lines.push(String(message));
  Object.assign(log, { warn: keep, info: keep, error: keep });
  return new StorageWriter({
    journal: from,
    workers,
    store,
    metrics: new CollectorMetrics(registry),
    log,
    minPauseMs: 1,
    maxPauseMs: 2,
  });
}

function append(text: string): Promise<void> {
  return journal.append({ bytes: Buffer.from(text), count: 1 });
}

function away(): StorageError {
  return new StorageError("STORAGE_UNAVAILABLE", "nobody answers");
}

async function settle(): Promise<void> {
  await journal.finish();
  await writer.drain(new AbortController().signal);
}

test("segments go to storage and leave the journal", async () => {
  writer.start();
  await append("a");
  await append("b");
  await settle();
  expect(store.stored.sort()).toEqual(["a", "b"]);
  expect(journal.bytes).toBe(0);
  expect(new Set(store.attempts.map(({ deduplicationToken }) => deduplicationToken)).size).toBe(2);
  expect(Math.abs(Date.now() - store.attempts[0]!.receivedUnixMs!)).toBeLessThan(60_000);
});

test("while storage is away the same block is tried again under the same token, and the log has two lines", async () => {
  store.failures.push(away(), away(), new StorageError("STORAGE_TIMEOUT", "late"), away());
  writer.start();
  await append("kept");
  await store.until(() => store.stored.length === 1);
  await settle();
  expect(store.attempts).toHaveLength(5);
  expect(
    new Set(
      store.attempts.map(({ deduplicationToken, receivedUnixMs, text }) =>
        [deduplicationToken, receivedUnixMs, text].join(),
      ),
    ).size,
  ).toBe(1);
  expect(lines).toEqual(["storage is away: spans wait in the journal", "storage is back"]);
  expect(journal.segments).toBe(0);
});

describe("a storage that takes rows as they are read", () => {
  beforeEach(() => store.stream());

  test("gets the same block again under the same token after a failure", async () => {
    store.failures.push(away(), new StorageError("STORAGE_TIMEOUT", "late"));
    writer.start();
    await append("kept");
    await store.until(() => store.stored.length === 1);
    await settle();
    expect(store.attempts.map(({ text }) => text)).toEqual(["kept", "kept", "kept"]);
    expect(new Set(store.attempts.map(({ deduplicationToken }) => deduplicationToken)).size).toBe(1);
    expect(journal.bytes).toBe(0);
    expect(await registry.metrics()).toContain("tracing_collector_spans_saved_total 1\n");
  });

  test("a segment with a damaged header of a frame is mended and stored", async () => {
    store.failures.push(away());
    await append("bad");
    const [name = ""] = (await readdir(folder)).filter((file) => file.endsWith(".segment"));
    const bytes = await readFile(join(folder, name));
    bytes[segmentHeaderBytes] = (bytes[segmentHeaderBytes] ?? 0) ^ 0x40;
    await writeFile(join(folder, name), bytes);
    writer.start();
    await append("good");
    await store.until(() => store.stored.length === 2);
    await settle();
    expect(store.stored).toEqual(["bad", "good"]);
    expect(lines).toContain("headers of frames of the journal are damaged: mended, nothing is lost");
    expect([journal.segments, journal.rows, journal.bytes]).toEqual([0, 0, 0]);
  });

  test("what cannot be read of a segment is said and counted, and the others go on", async () => {
    store.failures.push(away());
    await append("bad");
    const [name = ""] = (await readdir(folder)).filter((file) => file.endsWith(".segment"));
    await truncate(join(folder, name), 20);
    writer.start();
    await append("good");
    await store.until(() => store.stored.length === 1);
    await settle();
    expect(store.stored).toEqual(["good"]);
    expect(lines).toContain(
      "acknowledged spans are damaged in the journal: storage does not get them, what is left of them is kept",
    );
    expect(damaged).toEqual([1]);
    expect([journal.segments, journal.rows, journal.bytes]).toEqual([0, 0, 0]);
  });

  test("rows are counted by service, those that came without counts too", async () => {
    const services = new ServiceCounts();
    services.addSpans({ service: "counted", debug: false }, 1);
    const { rows } = new OtlpJsonTranscoder().transcode(Buffer.from(oneSpanJson()));
    writer.start();
    await journal.append({ bytes: Buffer.from("x"), count: 1, services });
    await journal.append(rows);
    await settle();
    const text = await registry.metrics();
    for (const service of ["counted", "shop"]) {
      expect(text).toContain(
        `tracing_collector_spans_saved_by_svc_total{debug="false",svc="${service}",result="ok"} 1`,
      );
    }
  });
});

test("with several workers as many inserts are under way, and no more", async () => {
  const gate = Promise.withResolvers<void>();
  let underWay = 0;
  let most = 0;
  const write = store.writer.writeSpans;
  store.writer.writeSpans = async (rows, options) => {
    most = Math.max(most, ++underWay);
    await gate.promise;
    await write(rows, options);
    underWay--;
  };
  writer = newWriter(3);
  writer.start();
  for (const text of ["a", "b", "c", "d", "e"]) {
    await append(text);
  }
  while (underWay < 3) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  gate.resolve();
  await settle();
  expect(store.stored.sort()).toEqual(["a", "b", "c", "d", "e"]);
  expect(most).toBe(3);
  expect(journal.bytes).toBe(0);
});

test("a segment of which nothing is left goes without an insert", async () => {
  const take = journal.take.bind(journal);
  vi.spyOn(journal, "take").mockImplementation(async () => {
    const segment = await take();
    if (segment !== undefined) {
      segment.read = async () => ({ bytes: new Uint8Array(0), count: 0 });
    }
    return segment;
  });
  writer.start();
  await append("dropped");
  await settle();
  expect(store.attempts).toEqual([]);
  expect(journal.segments).toBe(0);
});

test("what storage refuses of a journal in memory is lost, loudly", async () => {
  const memory = new MemoryJournal(
    { maxBytes: 1e6, segmentRows: 1, segmentBytes: 1, segmentAgeMs: 1e6, busySegmentRows: 1e6 },
    quietLog,
  );
  store.failures.push(new StorageError("STORAGE_REFUSED", "bad rows"));
  writer = newWriter(1, memory);
  writer.start();
  await memory.append({ bytes: Buffer.from("bad"), count: 1 });
  await memory.append({ bytes: Buffer.from("good"), count: 1 });
  await memory.finish();
  await writer.drain(new AbortController().signal);
  expect(store.stored).toEqual(["good"]);
  expect(lines).toEqual([
    "storage refuses a segment, and a journal in memory has no place to set it aside: its spans are lost",
  ]);
  expect(memory.bytes).toBe(0);
});

test("it waits for a storage that is not ready, whatever the reason, and sets nothing aside", async () => {
  store.readyFailures.push(away(), new StorageError("STORAGE_REFUSED", "wrong password"), away());
  writer.start();
  await append("early");
  await store.until(() => store.stored.length === 1);
  expect(lines).toEqual(["storage is not ready", "storage is back"]);
});

test("a password that is refused behind a storage that was down is said too, once", async () => {
  const refused = () =>
    new StorageError("STORAGE_REFUSED", "wrong password", {
      cause: Object.assign(new Error(), { code: "516" }),
    });
  store.readyFailures.push(away(), refused(), away(), refused());
  writer.start();
  await append("early");
  await store.until(() => store.stored.length === 1);
  expect(lines).toEqual(["storage is not ready", "storage is not ready", "storage is back"]);
});

test("a refused segment is set aside, loudly, and the others go on", async () => {
  store.failures.push(new StorageError("STORAGE_REFUSED", "bad rows"));
  writer.start();
  await append("bad");
  await store.until(() => store.attempts.length === 1);
  await append("good");
  await settle();
  expect(store.stored).toEqual(["good"]);
  expect(lines).toEqual(["a segment is set aside: it is tried again at the next start of the collector"]);
  expect(await readdir(join(folder, "quarantine"))).toHaveLength(1);
  expect(await registry.metrics()).toContain("tracing_collector_quarantined_spans_total 1\n");
});

describe("a stop", () => {
  test("leaves to the next start what storage, being away, does not take", async () => {
    store.failures.push(...Array.from({ length: 1_000 }, away));
    writer.start();
    await append("first");
    await store.until(() => store.attempts.length > 2);
    await append("second");
    await settle();
    expect(journal.segments).toBe(2);
    await journal.close();

    journal = await openJournal();
    store = new ScriptedStore();
    writer = newWriter();
    writer.start();
    await settle();
    expect(store.stored.sort()).toEqual(["first", "second"]);
  });

  test("before storage ever answered", async () => {
    store.readyFailures.push(...Array.from({ length: 1_000 }, away));
    writer.start();
    await append("first");
    await settle();
    expect(store.attempts).toEqual([]);
    expect(journal.segments).toBe(1);
  });
});
