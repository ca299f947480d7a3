// The program `tracing` with a real collector, store and query service: the steps of a user, in order.

import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTracing, type TracingProcesses } from "./security/tracing-processes.ts";

const program = testedProgram(fileURLToPath(new URL("../../tracing-cli/bin/tracing.ts", import.meta.url)));
const storageProgram = testedProgram(
  fileURLToPath(new URL("../../tracing-storage/bin/tracing-storage.ts", import.meta.url)),
);
const limitMs = 60_000;

/** A Python with the readers, where continuous integration installs it; otherwise any Python. */
const python = process.env.TEST_PYTHON ?? "python3";

function hasPython(modules: string): boolean {
  try {
    execFileSync(python, ["-c", `import ${modules}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let tracing: TracingProcesses;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tracing-command-"));
  tracing = await openTracing();
});
afterAll(async () => {
  await tracing?.close();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(...args: string[]): Promise<Ended> {
  const env = { ...process.env, TRACING_URL: `http://${tracing.queryHttp}` };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: limitMs }, (error, out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, out, err }),
    );
  });
}

async function until(wanted: (ended: Ended) => boolean, ...args: string[]): Promise<Ended> {
  for (const end = Date.now() + limitMs; ; ) {
    const ended = await run(...args);
    if (wanted(ended) || Date.now() > end) {
      return ended;
    }
  }
}

const ids = Array.from({ length: 3 }, () => randomBytes(16).toString("hex"));
const now = BigInt(Date.now()) * 1_000_000n - 5_000_000_000n;

/** A trace of two services; its second span takes `ms`, and the last trace has an error. */
function trace(traceId: string, index: number) {
  const span = (spanId: string, parentSpanId: string, name: string, ms: number) => ({
    ...{ traceId, spanId, parentSpanId, name, kind: 2 },
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + BigInt(ms) * 1_000_000n),
    attributes: [{ key: "card", value: { intValue: "17" } }],
    status: index === 2 && parentSpanId !== "" ? { code: 2, message: "no \u001b[31mmoney" } : {},
  });
  const of = (service: string, ...spans: object[]) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
    scopeSpans: [{ spans }],
  });
  const ms = 10 * (index + 1);
  return {
    resourceSpans: [
      of("shop", span("00000000000000a1", "", "GET /", ms + 5)),
      of("pay", span("00000000000000b2", "00000000000000a1", "charge", ms)),
    ],
  };
}

const lines = (text: string) => text.trim().split("\n");

test("traces go in from a file, are found, shown, compared, and come out as they went in", async () => {
  const file = join(folder, "traces.jsonl.gz");
  writeFileSync(file, gzipSync(ids.map((id, index) => JSON.stringify(trace(id, index))).join("\n")));
  expect(await run("import", file, "--to", `http://${tracing.otlpHttp}`)).toEqual({
    ...{ code: 0, out: "", err: "3 lines sent, 0 refused, 0 spans rejected\n" },
  });

  const all = await until(
    ({ out }) => lines(out).length === 3,
    "search",
    "--service",
    "pay",
    "--tag",
    "card=17",
  );
  const found = lines(all.out).map((line) => JSON.parse(line).traceID as string);
  expect(found.toSorted()).toEqual(ids.toSorted());
  const failed = await run("search", "{ status = error }", "--output", "table");
  expect(lines(failed.out)).toEqual([
    expect.stringMatching(/^TRACE ID +START +DURATION +SPANS +ERRORS +ROOT$/),
    expect.stringMatching(new RegExp(`^${ids[2]} .* 35\\.0 ms +2 +1 +shop GET /$`)),
  ]);

  const tree = lines((await run("get", ids[2] as string, "--output", "table")).out);
  expect(tree.slice(2)).toEqual([
    expect.stringMatching(/^ +0 µs +35\.0 ms {2}shop GET \/$/),
    expect.stringMatching(/^ +0 µs +30\.0 ms {4}pay charge {2}\[error: no \ufffd\[31mmoney\]$/),
  ]);
  const diff = await run("diff", ids[2] as string, ids[0] as string, "--output", "table");
  expect(lines(diff.out)[4]).toMatch(/^\+20\.0 ms +30\.0 ms +10\.0 ms +1 +1 +pay charge$/);

  const out = join(folder, "out.jsonl");
  const exported = await run("export", "--service", "pay", "--file", out);
  expect(exported).toEqual({ code: 0, out: "", err: "3 traces written, 0 failed\n" });
  expect(lines(readFileSync(out, "utf8")).map((line) => line.match(/"traceId":"([0-9a-f]+)"/)?.[1])).toEqual(
    found,
  );
  expect((await run("export", "--service", "pay", "--file", out)).err).toMatch(
    /^tracing: --file: EEXIST|--file: EEXIST/m,
  );

  // Importing the same file again does not change the traces.
  expect((await run("import", out, "--to", `http://${tracing.otlpHttp}`)).code).toBe(0);
  const again = JSON.parse((await run("get", ids[0] as string, "-o", "json")).out);
  const spans = again.resourceSpans.flatMap((each: { scopeSpans: { spans: object[] }[] }) =>
    each.scopeSpans.flatMap((scope) => scope.spans),
  );
  expect(spans).toHaveLength(2);
}, 180_000);

test("Parquet is read by ClickHouse, by others where Python has them, and by an import", async () => {
  const file = join(folder, "out.parquet");
  expect(await run("export", "--service", "pay", "--file", file)).toEqual({
    ...{ code: 0, out: "", err: "3 traces written, 0 failed\n" },
  });
  const ask = async (sql: string) => {
    const answer = await fetch(`http://${tracing.storageHttp}/?database=tracing`, {
      method: "POST",
      body: sql,
    });
    expect([answer.status, sql]).toEqual([200, sql]);
    return (await answer.text()).trim();
  };
  const json = "Nullable(String)";
  await ask(
    `CREATE TABLE exported (trace_id String, span_id String, parent_span_id ${json}, trace_state ${json}, name String,
      kind String, start_time DateTime64(9, 'UTC'), duration_nano Int64, status String, status_message ${json},
      service_name String, resource_attributes Map(String, String), typed_resource_attributes ${json},
      scope_name ${json}, scope_version ${json}, scope_attributes Map(String, String), typed_scope_attributes ${json},
      attributes Map(String, String), typed_attributes ${json},
      events Array(Tuple(time DateTime64(9), name ${json}, attributes Map(String, String), typed_attributes ${json}, rest ${json})),
      links Array(Tuple(trace_id String, span_id String, trace_state ${json}, attributes Map(String, String), typed_attributes ${json}, rest ${json})),
      rest ${json}) ENGINE = MergeTree ORDER BY start_time`,
  );
  execFileSync(process.execPath, [
    ...[storageProgram, "import", file, "--url", `http://${tracing.storageHttp}`, "--table", "exported"],
  ]);
  const columns =
    "service_name, name, kind, status, attributes['card'], duration_nano, toUnixTimestamp64Nano(start_time)";
  expect(
    await ask(`SELECT ${columns} FROM exported WHERE trace_id = '${ids[1]}' ORDER BY service_name`),
  ).toBe(
    [
      `pay\tcharge\tserver\tunset\t17\t20000000\t${now}`,
      `shop\tGET /\tserver\tunset\t17\t25000000\t${now}`,
    ].join("\n"),
  );
  expect(await ask("SELECT count(), uniqExact(trace_id), any(typed_attributes) FROM exported")).toBe(
    '6\t3\t{"card":{"intValue":"17"}}',
  );

  const again = await run("import", file, "--to", `http://${tracing.otlpHttp}`);
  expect(again).toEqual({ code: 0, out: "", err: "3 messages sent, 0 refused, 0 spans rejected\n" });
  const spans = JSON.parse((await run("get", ids[1] as string, "-o", "json")).out).resourceSpans.flatMap(
    (each: { scopeSpans: { spans: object[] }[] }) => each.scopeSpans.flatMap((scope) => scope.spans),
  );
  expect(spans).toHaveLength(2);
}, 180_000);

test.skipIf(!hasPython("pyarrow.parquet, duckdb"))(
  "Parquet is read by pyarrow and DuckDB",
  async () => {
    const file = join(folder, "foreign.parquet");
    expect((await run("export", "--service", "pay", "--format", "parquet", "--file", file)).code).toBe(0);
    const script = `
import duckdb, pyarrow.parquet
table = pyarrow.parquet.read_table('${file}')
table.validate(full=True)
assert table.num_rows == 6, table.num_rows
rows = duckdb.sql("""SELECT service_name, attributes['card'], typed_attributes->>'$.card.intValue', epoch_ns(start_time)
  FROM '${file}' WHERE trace_id = '${ids[2]}' AND status = 'error'""").fetchall()
assert rows == [('pay', '17', '17', ${now})], rows
print('done')`;
    expect(execFileSync(python, ["-c", script], { encoding: "utf8" }).trim()).toBe("done");
  },
  60_000,
);

test("spans are shown as they arrive", async () => {
  const tail = run("tail", "--service", "pay", "--limit", "2");
  const ended = { is: false };
  tail.then(() => {
    ended.is = true;
  });
  for (let sent = 0; !ended.is && sent < 100; sent++) {
    const file = join(folder, "more.jsonl");
    writeFileSync(file, JSON.stringify(trace(randomBytes(16).toString("hex"), 0)));
    await run("import", file, "--to", `http://${tracing.otlpHttp}`);
  }
  const { code, out } = await tail;
  expect([code, lines(out).map((line) => JSON.parse(line).operation)]).toEqual([0, ["charge", "charge"]]);
}, 180_000);

test("what is not there is said", async () => {
  const { code, out, err } = await run("get", "dead");
  expect([code, out, err]).toEqual([1, "", expect.stringMatching(/404 .*(?:not found|trace)/i)]);
  expect((await run("services", "nobody")).err).toBe("no service was called in that time\n");
});
