import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ByteWriter, parquetWrite } from "hyparquet-writer";
import type { WriteOptions } from "storage/api";
import { StorageError } from "storage/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Span } from "wire/model";
import { readSpanRows, type SpanRows } from "wire/rows";
import { parseBlockMeta } from "./block-meta.ts";
import { type BlockImport, importBlocks } from "./import-blocks.ts";

const blocks = join(import.meta.dirname, "testing/blocks");
const ids = Array.from({ length: 9 }, (_, n) => `c726400c-7fde-4e75-b22e-00000000000${n}`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tempo-import-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Makes `tenant/block` as Tempo has it. @returns the folder */
function putBlock(tenant: string, id: string | undefined, file: string, more: object = {}): string {
  const path = join(folder, tenant, id ?? "");
  mkdirSync(path, { recursive: true });
  cpSync(join(blocks, `${file}.parquet`), join(path, "data.parquet"));
  const meta = {
    ...{ format: "vParquet4", blockID: id, tenantID: tenant, totalObjects: 2, size: 1, encoding: "none" },
    ...{ startTime: "2026-01-31T12:00:30Z", endTime: "2026-01-31T12:03:30Z" },
    dedicatedColumns: [{ s: "resource", n: "region" }, { n: "http.route" }, { n: "user.id" }],
    ...more,
  };
  writeFileSync(join(path, "meta.json"), JSON.stringify(meta));
  return path;
}

class Store {
  readonly spans: { readonly tenant: string; readonly span: Span }[] = [];
  readonly days = new Set<number>();
  readonly tokens = new Set<string>();
  isAway = false;

  async writeSpans(rows: SpanRows, { deduplicationToken, receivedUnixMs = 0 }: WriteOptions) {
    if (this.isAway) {
      throw new StorageError("STORAGE_UNAVAILABLE", "the store is away");
    }
    if (!this.tokens.has(deduplicationToken)) {
      this.tokens.add(deduplicationToken);
      this.days.add(receivedUnixMs);
      this.spans.push(...readSpanRows(rows.bytes).map((span) => ({ tenant: "", span })));
    }
  }
}

async function imported(store: Store, more: Partial<BlockImport> = {}) {
  const faults: string[] = [];
  const order = {
    folder,
    tenant: "",
    intoTenant: undefined,
    fromMs: 0,
    toMs: Number.POSITIVE_INFINITY,
    doneFile: "",
  };
  const counts = await importBlocks({ ...order, ...more }, store, {
    counted: () => {},
    fault: (block, message) => faults.push(`${block.slice(folder.length + 1)}: ${message}`),
  });
  return { counts, faults };
}

const none = { blocks: 0, traces: 0, spans: 0, leftOut: 0, failed: 0, done: 0, copied: 0 };

test("blocks of tenants are stored once, also when the import is repeated", async () => {
  putBlock("single-tenant", ids[0], "pyarrow-v4-gzip");
  putBlock("acme", ids[1], "pyarrow-v5-none", { format: "vParquet5", totalObjects: 3 });
  putBlock("acme", ids[2], "pyarrow-v3-snappy", { format: "vParquet3", totalObjects: 3 });
  writeFileSync(join(folder, "acme", "index.json.gz"), "");
  mkdirSync(join(folder, "acme", "unfinished"));
  const store = new Store();
  const first = { ...none, blocks: 3, traces: 8, spans: 16 };
  expect(await imported(store)).toEqual({ counts: first, faults: [] });
  expect(await imported(store)).toEqual({ counts: first, faults: [] });
  expect(store.spans).toHaveLength(16);
  expect([...store.days]).toEqual([Date.UTC(2026, 0, 31, 12, 0, 30)]);
  expect(store.spans[0]?.span.attributes).toContainEqual({
    key: "user.id",
    value: { type: "string", value: "u1" },
  });
  expect((await imported(new Store(), { tenant: "acme" })).counts.blocks).toBe(2);
  expect((await imported(new Store(), { folder: join(folder, "acme") })).counts.blocks).toBe(2);
  expect((await imported(new Store(), { folder: join(folder, "acme", ids[1] ?? "") })).counts.blocks).toBe(1);
  expect((await imported(new Store(), { fromMs: Date.UTC(2026, 1, 1) })).counts).toEqual(none);
});

test("a block whose spans are in another block is skipped and counted", async () => {
  putBlock("acme", ids[0], "pyarrow-v4-gzip");
  const merged = putBlock("acme", ids[1], "pyarrow-v4-gzip");
  renameSync(join(merged, "meta.json"), join(merged, "meta.compacted.json"));
  putBlock("acme", ids[2], "pyarrow-v4-gzip", { replaces: [ids[0]] });
  expect((await imported(new Store())).counts).toEqual({
    ...none,
    blocks: 1,
    traces: 2,
    spans: 4,
    copied: 2,
  });
});

test("a block that cannot be read costs no other", async () => {
  putBlock("acme", ids[0], "pyarrow-v4-gzip", { format: "v2" });
  writeFileSync(join(putBlock("acme", ids[1], "pyarrow-v4-gzip"), "meta.json"), "{");
  truncateSync(join(putBlock("acme", ids[2], "pyarrow-v4-gzip"), "data.parquet"), 20_000);
  rmSync(join(putBlock("acme", ids[3], "pyarrow-v4-gzip"), "data.parquet"));
  writeFileSync(join(putBlock("acme", ids[4], "pyarrow-v4-gzip"), "meta.json"), " ".repeat(2_000_000));
  putBlock("acme", ids[5], "pyarrow-v4-gzip", { startTime: "yesterday" });
  putBlock("acme", ids[6], "pyarrow-v4-gzip", { totalObjects: 3 });
  const store = new Store();
  const { counts, faults } = await imported(store);
  expect(counts).toEqual({ ...none, blocks: 1, traces: 2, spans: 4, failed: 6 });
  expect(faults).toEqual([
    `acme/${ids[0]}: format "v2" is none of vParquet3, vParquet4, vParquet5`,
    `acme/${ids[1]}: meta.json is not JSON`,
    `acme/${ids[4]}: meta.json has 2000000 bytes; the limit is 1048576`,
    expect.stringMatching(`acme/${ids[5]}: meta.json: startTime: `),
    `acme/${ids[2]}: the file does not end as Parquet does, so it is cut, or it is none`,
    expect.stringMatching(`acme/${ids[3]}: ENOENT`),
    `acme/${ids[6]}/data.parquet: meta.json says 3 traces, and 2 were in it`,
  ]);
});

/** A block of 2,000,000 traces without anything, in 600 kB. */
function putBomb(path: string): void {
  const writer = new ByteWriter();
  const data = Array.from({ length: 2_000_000 }, () => null);
  const columnData = ["TraceID", "rs"].map((name) => ({ name, data, type: "BYTE_ARRAY" as const }));
  parquetWrite({ writer, columnData, rowGroupSize: data.length });
  writeFileSync(path, writer.getBytes());
}

test("a block that needs too much memory or time ends alone", async () => {
  vi.stubEnv("TEST_MAY_DIE", "a thread, by its limit of memory");
  putBomb(join(putBlock("acme", ids[0], "pyarrow-v4-gzip"), "data.parquet"));
  for (const [limits, message] of [
    [{ memoryMb: 64, stallMs: 60_000 }, /reading needs more than 64 MB of memory/],
    [{ memoryMb: 512, stallMs: 1 }, /reading took more than 0.001 s at one place/],
  ] as const) {
    const { counts, faults } = await imported(new Store(), { limits });
    expect([counts, faults]).toEqual([{ ...none, failed: 1 }, [expect.stringMatching(message)]]);
  }
});

test("a store that goes away ends the import, and the next one goes on", async () => {
  putBlock("acme", ids[0], "pyarrow-v4-gzip");
  putBlock("acme", ids[1], "pyarrow-v4-lz4");
  const doneFile = join(folder, "done");
  const store = new Store();
  store.isAway = true;
  await expect(imported(store, { doneFile })).rejects.toThrow("the store is away");
  store.isAway = false;
  expect((await imported(store, { doneFile, tenant: "other" })).counts).toEqual(none);
  expect((await imported(store, { doneFile })).counts).toMatchObject({ blocks: 2, done: 0 });
  expect(readFileSync(doneFile, "utf8")).toBe(`${ids[0]}\n${ids[1]}\n`);
  expect((await imported(store, { doneFile })).counts).toEqual({ ...none, done: 2 });
});

test("names of dedicated columns are read in both forms, and numbered by scope and type", () => {
  const meta = {
    ...{ format: "vParquet5", blockID: "b", startTime: "2026-01-31T12:00:30.5+01:00" },
    endTime: "2026-01-31T12:00:30Z",
    dedicatedColumns: [
      ...[{ n: "a" }, { n: "b", t: "int", o: ["array"] }, { s: "resource", n: "c" }, { s: "event", n: "d" }],
      ...[
        { scope: "span", name: "e", type: "string" },
        { n: "f", t: "int" },
        { s: "planet", n: "g" },
      ],
    ],
  };
  const column = (key: string, name: string) => ({ key, column: name });
  expect(parseBlockMeta(JSON.stringify(meta))).toMatchObject({
    ...{ startMs: Date.UTC(2026, 0, 31, 11, 0, 30, 500), tenantId: "", traces: 0, replaces: [] },
    dedicated: {
      resource: [column("c", "String01")],
      span: [column("a", "String01"), column("e", "String02"), column("b", "Int01"), column("f", "Int02")],
      event: [column("d", "String01")],
    },
  });
});

test("a format before vParquet5 gives no column to an attribute with options", () => {
  const meta = {
    ...{
      format: "vParquet4",
      blockID: "b",
      startTime: "2026-01-31T12:00:30Z",
      endTime: "2026-01-31T12:00:30Z",
    },
    dedicatedColumns: [{ n: "list", o: ["array"] }, { n: "plain" }],
  };
  expect(parseBlockMeta(JSON.stringify(meta)).dedicated.span).toEqual([{ key: "plain", column: "String01" }]);
});
