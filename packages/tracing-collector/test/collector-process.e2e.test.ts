// The program itself: kill -9 after acknowledgements, taken ports, a folder in use, a graceful stop.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSpanRows } from "wire/rows";
import { openJournalFolder } from "../src/pipeline/journal/open-journal-folder.ts";
import { quietLog } from "./receiver-fixture.ts";
import { killCollectors, noStorage, RunningCollector } from "./running-collector.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "collector-e2e-"));
});

afterEach(() => {
  killCollectors();
  rmSync(folder, { recursive: true, force: true });
});

async function namesInJournal(of = folder): Promise<string[]> {
  const journal = await openJournalFolder(
    {
      folder: of,
      sync: "off",
      maxBytes: 1e9,
      segmentRows: 1,
      segmentBytes: 1,
      segmentAgeMs: 1,
      busySegmentRows: 1e6,
    },
    { committed() {} },
    quietLog,
  );
  await journal.finish();
  const names: string[] = [];
  for (let segment = await journal.take(); segment !== undefined; segment = await journal.take()) {
    const { bytes } = await segment.read(Buffer.alloc(segment.bytes));
    names.push(...readSpanRows(bytes).map(({ name }) => name));
  }
  await journal.close();
  return names;
}

test("kill -9 in the middle of ingest, twice over: each acknowledged span is in the journal once", async () => {
  const acknowledged: string[] = [];
  for (let run = 0; run < 2; run++) {
    const collector = new RunningCollector(folder, ...noStorage);
    await collector.line("listening");
    let sent = 0;
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let index = 0; ; index++) {
        const name = `${run}-${sender}-${index}`;
        try {
          if ((await collector.post(name)) === 200) {
            acknowledged.push(name);
          }
        } catch {
          return; // Killed.
        }
        if (++sent === 200) {
          collector.child.kill("SIGKILL");
        }
      }
    });
    await Promise.all([...senders, collector.exit]);
  }
  const kept = await namesInJournal();
  expect(acknowledged.length).toBeGreaterThan(300);
  expect(new Set(kept).size).toBe(kept.length);
  expect(new Set(acknowledged).difference(new Set(kept))).toEqual(new Set());
});

test("a graceful stop while storage is away keeps the spans, ends clean, and says so", async () => {
  const collector = new RunningCollector(folder, ...noStorage);
  expect(await collector.post("kept")).toBe(200);
  await collector.line("storage is not ready");
  collector.child.kill("SIGTERM");
  expect(await collector.exit).toBe(0);
  expect(collector.lines.map(({ msg }) => msg)).toContain("spans stay in the journal for the next start");
  expect(await namesInJournal()).toEqual(["kept"]);
});

test("a graceful stop writes everything to a storage that answers", async () => {
  const collector = new RunningCollector(folder, "--span-storage.type=memory");
  expect(await collector.post("saved")).toBe(200);
  collector.child.kill("SIGTERM");
  expect(await collector.exit).toBe(0);
  expect(await namesInJournal()).toEqual([]);
});

test("a second collector on the same folder says so and ends", async () => {
  const first = new RunningCollector(folder, ...noStorage);
  await first.line("listening");
  const second = new RunningCollector(folder, ...noStorage);
  expect(await second.exit).toBe(1);
  expect(second.lines.map(({ msg }) => msg)).toEqual([
    `cannot start: the journal: the folder ${folder} is in use by another collector: stop that one, ` +
      "or choose another folder with --collector.journal.dir",
  ]);
});

test("collectors that share a folder: what those that are gone have left is saved by one that runs", async () => {
  const collectors = [0, 1, 2].map(
    () => new RunningCollector(folder, ...noStorage, "--collector.journal.shared"),
  );
  for (const [index, collector] of collectors.entries()) {
    expect(await collector.post(`of ${index}`)).toBe(200);
  }
  const [killed, stopped, living] = collectors;
  killed?.child.kill("SIGKILL");
  stopped?.child.kill("SIGTERM");
  await Promise.all([killed?.exit, stopped?.exit]);

  const saver = new RunningCollector(folder, "--span-storage.type=memory", "--collector.journal.shared");
  await saver.line("spans of a collector which is gone are saved");
  saver.child.kill("SIGTERM");
  expect(await saver.exit).toBe(0);
  living?.child.kill("SIGTERM");
  await living?.exit;
  const left = (await Promise.all([0, 1, 2].map((n) => namesInJournal(join(folder, `journal-${n}`))))).flat();
  // The one that ran all the time has its own still; of the others nothing is left.
  expect(left).toEqual(["of 2"]);
});

test.each([
  "collector.otlp.grpc.host-port",
  "collector.otlp.http.host-port",
  "collector.grpc-server.host-port",
  "collector.http-server.host-port",
  "collector.zipkin.host-port",
])("a taken port of --%s is one clear line, and nothing is left running", async (flag) => {
  const server: Server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const collector = new RunningCollector(folder, ...noStorage, `--${flag}`, `127.0.0.1:${port}`);
  expect(await collector.exit).toBe(1);
  const fatal = collector.lines.filter(({ level }) => level === "fatal");
  expect(fatal.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(`address 127.0.0.1:${port} is taken by another program.*--${flag}$`),
  ]);
  server.close();
});
