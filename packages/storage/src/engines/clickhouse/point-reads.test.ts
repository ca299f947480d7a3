import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Span } from "wire/model";
import { readStoredRows } from "wire/rows";
import { spanArbitrary } from "wire/testing";
import type { TraceStore } from "../../api/trace-store.ts";
import { newToken, rowsOfTenant } from "../../contract/contract-context.ts";
import { newSpanId, newTraceId, noonUnixNano } from "../../contract/sample-spans.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";
import { parameterText } from "./parameter-text.ts";
import { namingTraces, onOneThread, spansOfTraces } from "./schema/span-sql.ts";
import { newDatabaseName, runSql, storageProgram } from "./test-server.ts";

/** The seed is part of each failure's text, so that a failure can be repeated. */
const seed = Math.trunc(Math.random() * 2 ** 31);
const random = seededRandom(seed);
const database = newDatabaseName();
const tenants = ["", "acme", "žluťoučký\t'\\🦊"] as const;
const minuteNano = 60_000_000_000n;

/** A span with its tenant and the index of its insert. */
interface WrittenSpan {
  readonly span: Span;
  readonly tenant: string;
  readonly insert: number;
}

/** Day of arrival of each insert. The first day has the most spans, so its services have several granules. */
const insertDays = [5, 5, 5, 5, 6, 6, 6, 7, 7];
const traceCount = 90;
const written = someSpans();
const traces = [...Map.groupBy(written, ({ span }) => span.traceId)].map(([id, spans]) => ({
  id,
  tenant: (spans[0] as WrittenSpan).tenant,
  spans,
}));

let folder: string;
let url: string;
let adminUrl: string;
let end: () => Promise<void>;
let store: TraceStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "point-reads-"));
  ({ url, adminUrl, end } = await startProcess(folder));
  store = openClickHouseStore({ urls: [url], database });
  await store.ready();
  for (const table of ["spans", "trace_minutes"]) {
    await runSql(url, `SYSTEM STOP MERGES ${database}.${table}`);
  }
  for (const [insert, day] of insertDays.entries()) {
    for (const tenant of tenants) {
      const spans = written.filter((one) => one.insert === insert && one.tenant === tenant);
      await write(
        tenant,
        spans.map(({ span }) => span),
        day,
      );
    }
  }
});

afterAll(async () => {
  await store?.close();
  await end?.();
  await rm(folder, { recursive: true, force: true });
});

test("there is what the tests speak of", async () => {
  const sql = `SELECT max(marks) FROM system.parts WHERE database = '${database}' AND table = 'spans' AND active`;
  expect(Number(await runSql(url, sql)), "granules of a part, and one").toBeGreaterThan(1);
  const most = `SELECT max(c) FROM (SELECT count() AS c FROM ${database}.spans GROUP BY received, service)`;
  expect(Number(await runSql(url, most))).toBeGreaterThan(2 * 2048);
});

test("the first statement starts the thread, which answers then", async () => {
  const { id, tenant } = traces[1] as (typeof traces)[number];
  await expect
    .poll(
      async () => {
        await ask([id], tenant, "parts");
        return (await pointReads()).parts;
      },
      { timeout: 180_000 },
    )
    .toBeGreaterThan(0);
  expect((await pointReads()).engine).toBeGreaterThan(0);
});

test("parts as inserts leave them", async () => {
  const levels = `SELECT max(level) FROM system.parts WHERE database = '${database}' AND active AND table = 'spans'`;
  expect(await runSql(url, levels)).toBe("0");
  await expectSameAnswers(0.95);
});

test("the store gives what was written", async () => {
  const before = await pointReads();
  for (const tenant of tenants) {
    const own = traces.filter((trace) => trace.tenant === tenant);
    for (let first = 0; first < own.length; first += 20) {
      const some = own.slice(first, first + 20);
      const read = await store.reader.getTraces(
        some.map(({ id }) => id),
        { tenant },
      );
      for (const { id, spans } of some) {
        const found = read.find(({ traceId }) => traceId === id)?.spans ?? [];
        const own = new Map(spans.map(({ span }) => [span.spanId, span]));
        expect(found.length).toBe(own.size);
        const other = found.find((span) => !isDeepStrictEqual(span, own.get(span.spanId)));
        expect(other, `seed ${seed}`).toEqual(own.get(other?.spanId ?? ""));
      }
    }
  }
  const after = await pointReads();
  expect(after.parts - before.parts).toBeGreaterThan(0);
});

test("while parts are merged and written", async () => {
  for (const table of ["spans", "trace_minutes"]) {
    await runSql(url, `SYSTEM START MERGES ${database}.${table}`);
  }
  let isOver = false;
  const merges = async () => {
    for (let round = 0; !isOver && round < 9; round++) {
      for (const table of ["trace_minutes", "spans"]) {
        const day = `2026-01-0${insertDays[round % insertDays.length]}`;
        await runSql(url, `OPTIMIZE TABLE ${database}.${table} PARTITION '${day}'`);
      }
    }
  };
  const inserts = async () => {
    for (let round = 0; !isOver && round < 30; round++) {
      const first = round * 150;
      const others = written
        .slice(first, first + 150)
        .map(({ span }) => ({ ...span, traceId: newTraceId() }));
      await write("others", others, insertDays[round % insertDays.length] as number);
    }
  };
  const work = Promise.all([merges(), inserts()]);
  try {
    await expectSameAnswers(0.5, traces.slice(0, 60));
  } finally {
    isOver = true;
    await work;
  }
});

test("after OPTIMIZE … FINAL", async () => {
  for (const table of ["spans", "trace_minutes"]) {
    await runSql(url, `OPTIMIZE TABLE ${database}.${table} FINAL`);
  }
  const sql = `SELECT count(), min(level) > 0, min(secondary_indices_compressed_bytes) > 0 FROM system.parts WHERE database = '${database}' AND active AND table = 'spans'`;
  expect(await runSql(url, sql)).toBe("3\t1\t1");
  // On a busy machine a read of parts may pass its time limit, and the engine answers.
  await expectSameAnswers(0.85);
});

/**
 * Reads traces alone and in groups, including missing traces and a wrong tenant. Compares the answers of `parts` and of
 * the engine.
 * @param leastByParts minimum number of statements that `parts` must answer
 * @param asked traces that are also read alone
 */
async function expectSameAnswers(leastByParts: number, asked = traces): Promise<void> {
  const questions: { readonly ids: readonly string[]; readonly tenant: string; readonly spans: number }[] =
    [];
  for (const { id, tenant, spans } of asked) {
    questions.push({ ids: [id], tenant, spans: spans.length });
  }
  for (let group = 0; group < 15; group++) {
    const first = pick(traces);
    const isMixed = group % 4 === 0;
    const ofTenant = isMixed ? traces : traces.filter(({ tenant }) => tenant === first.tenant);
    const some = new Set(Array.from({ length: 2 + 2 * group }, () => pick(ofTenant)));
    const ids = [...some].map(({ id }) => id);
    const known = [...some].filter(({ tenant }) => tenant === first.tenant);
    const spans = known.reduce((sum, trace) => sum + trace.spans.length, 0);
    questions.push({ ids: group % 3 === 0 ? [...ids, newTraceId()] : ids, tenant: first.tenant, spans });
  }
  for (let unknown = 0; unknown < 10; unknown++) {
    questions.push({ ids: [newTraceId()], tenant: pick(tenants), spans: 0 });
    questions.push({ ids: [pick(traces).id, newTraceId()], tenant: "nobody", spans: 0 });
  }
  const known = pick(traces);
  const wrongTenant = tenants.find((tenant) => tenant !== known.tenant) ?? "";
  questions.push({ ids: [known.id], tenant: wrongTenant, spans: 0 });
  // Only the engine answers statements whose values contain a backslash.
  const forParts = questions.filter(({ tenant }) => !parameterText(tenant).includes("\\")).length;

  const before = await pointReads();
  const askNext = async () => {
    for (let question = questions.shift(); question !== undefined; question = questions.shift()) {
      const { ids, tenant, spans } = question;
      const [byParts, byEngine] = await Promise.all([ask(ids, tenant, "parts"), ask(ids, tenant, "engine")]);
      const message = `${ids.length} traces of ${JSON.stringify(tenant)}, seed ${seed}: ${ids.join()}`;
      const rows = rowsOf(byParts);
      expect(rows.length, message).toBe(spans);
      if (ids.length === 1) {
        expect(readStoredRows(byParts).length, message).toBe(spans);
      }
      // Comparing megabytes in an assertion would take minutes to format, so only the equality is asserted.
      const isSame = byParts.equals(byEngine) || inOrder(rows).equals(inOrder(rowsOf(byEngine)));
      expect(isSame, message).toBe(true);
    }
  };
  await Promise.all([askNext(), askNext()]);
  const after = await pointReads();
  expect(after.parts - before.parts, "statements that parts have answered").toBeGreaterThanOrEqual(
    Math.floor(forParts * leastByParts),
  );
}

/** Reads the answer in the format that the store's connection requests. */
async function ask(ids: readonly string[], tenant: string, by: "parts" | "engine"): Promise<Buffer> {
  const sql = ids.length === 1 ? onOneThread(spansOfTraces(database)) : spansOfTraces(database);
  const search = new URLSearchParams({
    max_execution_time: "30",
    readonly: "2",
    cancel_http_readonly_queries_on_client_close: "1",
    wait_end_of_query: "1",
    use_statistics_for_part_pruning: "0",
    optimize_const_name_size: "-1",
    param_tenant: parameterText(tenant),
    // This setting changes nothing, but statements with it are answered by the engine.
    ...(by === "engine" ? { max_columns_to_read: "0" } : {}),
  });
  const response = await fetch(`${url}/?${search}`, { method: "POST", body: namingTraces(sql, ids) });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return Buffer.from(await response.arrayBuffer());
}

/**
 * Layout of a row: a number is the size in bytes of one or several columns; "text" is a text column. See
 * `storedColumns`.
 */
const rowForm = [1, ...["text", "text", "text"], 16 + 8 + 8, "text", 4, "text", 1 + 8 + 8 + 1] as const;
const rowEnd = ["text", "text", "text", "text"] as const;

/** Sorts the rows of an answer, so that answers can be compared. */
function inOrder(rows: readonly Buffer[]): Buffer {
  return Buffer.concat(rows.toSorted((one, other) => one.compare(other)));
}

function rowsOf(bytes: Buffer): Buffer[] {
  const rows: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const begin = at;
    for (const column of [...rowForm, ...rowEnd]) {
      let length = 0;
      if (column === "text") {
        for (let shift = 0, more = true; more; shift += 7) {
          const byte = bytes[at++] ?? 0;
          length += (byte & 0x7f) * 2 ** shift;
          more = byte >= 0x80;
        }
      } else {
        length = column;
      }
      at += length;
    }
    rows.push(bytes.subarray(begin, at));
  }
  return rows;
}

async function write(tenant: string, spans: readonly Span[], day: number): Promise<void> {
  if (spans.length === 0) {
    return;
  }
  await store.writer.writeSpans(rowsOfTenant(tenant, ...spans), {
    deduplicationToken: newToken(),
    receivedUnixMs: Date.UTC(2026, 0, day, 12),
  });
}

async function pointReads(): Promise<{ readonly parts: number; readonly engine: number }> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const count = (by: string) =>
    Number(
      new RegExp(`^tracing_storage_point_reads_total\\{by="${by}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0,
    );
  return { parts: count("parts"), engine: count("engine") };
}

/**
 * Spans of all kinds in several inserts, days, hours and tenants. One service has most spans, and the others share its
 * granules. A few spans start at arbitrary times.
 */
function someSpans(): WrittenSpan[] {
  const forms = fc.sample(spanArbitrary, { numRuns: 1_000, seed });
  const services = Array.from({ length: 40 }, (_, index) => `service-${index}`);
  const longTexts = ["", "x".repeat(20_000), "🦊".repeat(3_000), "\u0000"];
  const spans: WrittenSpan[] = [];
  for (let trace = 0; trace < traceCount; trace++) {
    const traceId = newTraceId();
    const tenant = tenants[trace % 10 === 0 ? 2 : trace % 2] as string;
    const hour = BigInt(Math.trunc(random() * 6)) * 60n;
    const ownInserts = Array.from({ length: 1 + (trace % 3) }, () =>
      Math.trunc(random() * insertDays.length),
    );
    // Only a few traces have many spans.
    const count = trace % 8 === 0 ? 850 : 1 + Math.trunc(random() * 30);
    for (let index = 0; index < count; index++) {
      // Most spans of a large trace are small, because ClickHouse decompresses whole granules.
      const form = count > 100 && random() < 0.85 ? plain(pick(forms)) : pick(forms);
      const isAnyTime = random() < 0.02;
      const start = noonUnixNano + (hour + BigInt(index % 3)) * minuteNano + BigInt(index);
      const serviceName =
        random() < 0.75 ? "busy" : random() < 0.8 ? pick(services) : form.resource.serviceName;
      spans.push({
        tenant,
        insert: random() < 0.6 ? trace % 4 : (pick(ownInserts) as number),
        span: {
          ...form,
          traceId,
          spanId: newSpanId(),
          startTimeUnixNano: isAnyTime ? form.startTimeUnixNano : start,
          name: random() < 0.003 ? pick(longTexts) : form.name,
          resource: { ...form.resource, serviceName },
        },
      });
    }
  }
  return spans;
}

function plain(span: Span): Span {
  const { resource, scope } = span;
  return {
    ...span,
    attributes: [],
    events: [],
    links: [],
    resource: { ...resource, attributes: [] },
    scope: { ...scope, attributes: [] },
  };
}

function pick<T>(list: readonly T[]): T {
  return list[Math.trunc(random() * list.length)] as T;
}

/** Random numbers from 0 to below 1, by Mulberry32. */
function seededRandom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Like `startStorageProcess`, and also returns the address of the admin port. */
async function startProcess(
  dataDir: string,
): Promise<{ readonly url: string; readonly adminUrl: string; readonly end: () => Promise<void> }> {
  const child = spawn(
    process.execPath,
    [
      storageProgram,
      ...["--storage.data-dir", dataDir, "--log-encoding", "json"],
      ...["--storage.http.host-port", "127.0.0.1:0", "--grpc.host-port", "127.0.0.1:0"],
      ...["--admin.http.host-port", "127.0.0.1:0"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const killOnExit = () => child.kill("SIGKILL");
  process.once("exit", killOnExit);
  const lines: string[] = [];
  let http: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    http ??= /listening for ClickHouse HTTP on ([\d.]+:\d+)/.exec(line)?.[1];
    const adminPort = /"port":(\d+),"msg":"admin port open"/.exec(line)?.[1];
    lines.push(line);
    if (http === undefined || adminPort === undefined) {
      continue;
    }
    // The pipe must be read, or the process blocks when it writes a log line.
    child.stderr.resume();
    return {
      url: `http://${http}`,
      adminUrl: `http://127.0.0.1:${adminPort}`,
      async end() {
        process.off("exit", killOnExit);
        const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
        child.kill("SIGKILL");
        await exited;
      },
    };
  }
  throw new Error(`tracing-storage has not started:\n${lines.join("\n")}`);
}
