// The command line as a user runs it, on real processes.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { openHttpReceiver } from "../src/e2e/exporters/test-receivers.ts";
import type { IngestReport } from "../src/e2e/ingest-report.ts";
import type { LiveReport } from "../src/live/run-live.ts";
import type { PlainReport } from "../src/store/ask-beside-plain.ts";
import type { PairReport } from "../src/store/ask-in-pairs.ts";
import type { QueryReport } from "../src/store/ask-query.ts";
import type { AskReport } from "../src/store/ask-store.ts";
import type { SystemReport } from "../src/suite/run-suite.ts";

// Each test starts processes, some of them several, which takes time on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

interface StoreReports {
  readonly store: readonly AskReport[];
  readonly query: readonly QueryReport[];
  readonly plain: readonly PlainReport[];
}

const program = fileURLToPath(new URL("../bin/bench.ts", import.meta.url));

function bench(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

test("the suite starts our processes, finds every acknowledged span, and stops them", {
  timeout: 180_000,
}, async () => {
  const { code, stdout, stderr } = await bench(
    "--warm-up=200ms",
    "--grpc=700ms",
    "--http=700ms",
    "--queries=3",
    "--json",
  );
  expect(stderr).toContain("ours: queries");
  const { ours } = JSON.parse(stdout) as { ours: SystemReport };
  for (const run of [ours.grpc, ours.http]) {
    expect(run.load.spans.accepted).toBeGreaterThan(0);
    expect(run.stored).toMatchObject({ spans: run.load.spans.accepted, missing: 0, surplus: 0 });
    expect(run.processes.map(({ name }) => name)).toEqual(["tracing-collector", "tracing-storage"]);
    for (const { cpuSeconds, rssPeakBytes } of run.processes) {
      expect(cpuSeconds).toBeGreaterThan(0);
      expect(rssPeakBytes).toBeGreaterThan(20 * 1024 * 1024);
    }
    expect(run.disk?.bytesPerSpan).toBeGreaterThan(20);
    expect(run.disk?.bytesPerSpan).toBeLessThan(400);
  }
  expect(ours.notes).toEqual([]);
  for (const { name, requests, empty } of ours.queries) {
    expect(requests, name).toBeGreaterThan(0);
    expect(empty, name).toBe(0);
  }
  expect(code).toBe(0);
});

test("searches while spans come in, and the same when none do", async () => {
  const { code, stdout, stderr } = await bench(
    ...["live", "--seconds=4", "--rate=2000", "--quiet=1s", "--pause=250ms", "--json"],
  );
  const { ours } = JSON.parse(stdout) as { ours: LiveReport };
  expect(ours).toMatchObject({ missing: 0, storedSpans: ours.load.spans.accepted });
  expect(ours.freshness.probes).toBeGreaterThan(0);
  expect(ours.freshness).toMatchObject({ notFound: 0 });
  for (const { name, asked, empty, failed } of ours.quiet) {
    expect(asked, name).toBeGreaterThan(0);
    expect([empty, failed], name).toEqual([0, 0]);
  }
  expect(ours.live.map(({ name }) => name)).toEqual(ours.quiet.map(({ name }) => name));
  expect(ours.cpu.map(({ name }) => name)).toEqual([
    ...["tracing-query", "tracing-collector", "tracing-storage", "load generator"],
  ]);
  for (const { name, liveSeconds } of ours.cpu) {
    expect(liveSeconds, name).toBeGreaterThan(0);
  }
  expect(code, stderr).toBe(0);
});

test("a receiver that loses what it acknowledged is found out", async () => {
  const receiver = await openHttpReceiver(() => ({ accept: true }));
  // A store that stores only half of the spans.
  const store = createServer(async (request, response) => {
    let sql = "";
    for await (const chunk of request) {
      sql += chunk;
    }
    const spans = Math.floor(receiver.accepted.length / 2);
    if (sql.includes("system.tables")) {
      response.end("1\n");
    } else if (sql.includes("system.parts")) {
      response.end(`${spans}\t${spans * 50}\t${spans * 60}\n`);
    } else {
      response.end(`${spans}\n`);
    }
  }).listen(0, "127.0.0.1");
  await once(store, "listening");
  const storeUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const common = [
    "ingest",
    "--protocol=http",
    `--endpoint=${receiver.endpoint}`,
    "--total=400",
    "--stall=300ms",
  ];
  const options = [...common, `--pid=test=${process.pid}`];
  try {
    const table = await bench(...options, `--store=${storeUrl}`);
    expect(table.stdout).toMatch(/spans LOST after acknowledgement +200\n/);
    expect(table.stdout).toMatch(/disk bytes\/span, all tables +60\.0\n/);
    expect(table.code).toBe(1);

    const json = await bench(...options, `--store=${storeUrl}`, "--json");
    // By now the store has half of the spans of both runs.
    expect((JSON.parse(json.stdout) as IngestReport).stored).toMatchObject({
      spans: 200,
      missing: 200,
      surplus: 0,
    });
    expect(json.code).toBe(1);

    const unwatched = await bench(...common);
    expect(unwatched.stdout).toMatch(/spans accepted +400\n/);
    expect(unwatched.code).toBe(0);
  } finally {
    store.close();
    store.closeAllConnections();
    await receiver.close();
  }
});

test("a store is filled once, and answers every question, beside a plain table too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-store-"));
  const options = ["--folder", folder, "--hours=2", "--spans=30000", "--times=2", "--plain", "--json"];
  try {
    for (const progress of ["filled: 2 hours\nfilling a plain table\n", ""]) {
      const { code, stdout, stderr } = await bench("store", ...options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(`${progress}$`) });
      const { store, query, plain } = JSON.parse(stdout) as StoreReports;
      expect(store.length).toBeGreaterThan(15);
      for (const { name, results, rows } of store) {
        expect(results, name).toBeGreaterThan(0);
        // Traces are read directly from parts, without the engine, unless they are large.
        if (!name.startsWith("trace ")) {
          expect(rows, name).toBeGreaterThan(0);
        }
      }
      expect(query.filter(({ failed }) => failed > 0)).toEqual([]);
      expect(plain.map(({ name }) => name)).toContain("trace by id");
      for (const { name, oursMs, plainMs } of plain) {
        expect(Math.min(oursMs, plainMs), name).toBeGreaterThan(0);
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("stores of two sizes are asked the same, in turns", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-growth-"));
  try {
    const { code, stdout } = await bench(
      "growth",
      "--folder",
      folder,
      "--hours=1,2",
      "--spans=4000",
      "--times=1",
    );
    expect(code).toBe(0);
    const [head, ...lines] = stdout.trimEnd().split("\n");
    expect(head).toMatch(
      /^ +1 h: p50 \(min\) ms +2 h: p50 \(min\) ms +2 h to 1 h +1 h: rows +2 h: rows +results$/,
    );
    expect(lines.pop()).toContain("load average");
    expect(lines.length).toBeGreaterThan(15);
    const figure = String.raw`\d+\.\d \(\d+\.\d\) +`;
    for (const line of lines) {
      expect(line).toMatch(
        RegExp(`^\\D.* ${figure}${figure}\\d+\\.\\d\\d +\\d+ +\\d+ +[1-9]\\d*, [1-9]\\d*$`),
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a store is asked with and without exact counts, in turns", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-copies-"));
  const options = ["--folder", folder, "--spans=4000", "--rounds=1", "--requests=1"];
  try {
    for (const more of [[], ["--first"]]) {
      const { code, stdout } = await bench("copies", ...options, ...more, "--only=hour", "--json");
      expect(code).toBe(0);
      const reports = JSON.parse(stdout) as PairReport[];
      expect(reports.length).toBeGreaterThan(15);
      expect(reports.filter(({ results }) => results === 0)).toEqual([]);
      expect(reports.find(({ name }) => name.startsWith("heat map"))?.cpuMs).toBeGreaterThan(0);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ["an unknown command", ["ingets"], 2, '"ingets" is not a command'],
  ["an unknown option", ["ingest", "--fast"], 2, "--fast"],
  ["both ends", ["ingest", "--total=1", "--duration=1s"], 2, "exclude each other"],
  ["no folder", ["store", "--hours=1"], 2, "--folder is missing"],
  ["a wrong list of sizes", ["growth", "--folder=/nowhere", "--hours=1,x"], 2, '--hours "1,x" is not a list'],
  ["a wrong address", ["ingest", "--protocol=http", "--endpoint=localhost:4318"], 2, "is not a base URL"],
  ["a wrong process", ["ingest", "--pid=collector"], 2, '--pid "collector" is not NAME=PID'],
  ["a process that is not there", ["ingest", "--pid=x=4194305"], 1, "process 4194305 is not there"],
  ["an unknown micro bench", ["micro", "nothing"], 2, '"nothing" is not a micro bench'],
  ["a peer that is not there", ["suite", "--peer=/nowhere"], 2, "--peer"],
])("says what is wrong with %s", async (_case, args, code, message) => {
  const result = await bench(...args);
  expect(result.stderr).toContain(message);
  expect(result.code).toBe(code);
});

test.each([["--help"], ["ingest", "--help"], ["micro", "--help"]])("explains %s %s", async (...args) => {
  const { code, stdout } = await bench(...args.filter((arg) => arg !== undefined));
  expect(stdout).toContain("Usage: npm run bench");
  expect(code).toBe(0);
});
