// The program itself: kill -9 after acknowledgements, taken ports, a folder in use, a graceful stop.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSpanRows } from "wire/rows";
import { Journal } from "../src/pipeline/journal/journal.ts";
import { oneSpanJson, quietLog } from "./receiver-fixture.ts";

const program = fileURLToPath(new URL("../bin/tracing-collector.ts", import.meta.url));
const children: ChildProcess[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "collector-e2e-"));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [name: string]: unknown;
}

class RunningCollector {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  readonly exit: Promise<number | null>;
  #rest = "";
  #wake = () => {};

  constructor(...args: string[]) {
    this.child = spawn(
      process.execPath,
      [
        program,
        ...["--collector.journal.dir", folder, "--admin.http.host-port", "127.0.0.1:0"],
        ...[
          "--collector.otlp.grpc.host-port",
          "127.0.0.1:0",
          "--collector.otlp.http.host-port",
          "127.0.0.1:0",
        ],
        ...["--collector.grpc-server.host-port", "127.0.0.1:0"],
        ...["--collector.http-server.host-port", "127.0.0.1:0"],
        ...["--log-encoding", "json", ...args],
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    children.push(this.child);
    this.exit = once(this.child, "close").then(([code]) => {
      this.#wake();
      return code as number | null;
    });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      const parts = (this.#rest + chunk.toString()).split("\n");
      this.#rest = parts.pop() ?? "";
      this.lines.push(...parts.map((part) => JSON.parse(part) as Line));
      this.#wake();
    });
  }

  async line(text: string): Promise<Line> {
    for (;;) {
      const found = this.lines.find(({ msg }) => msg.includes(text));
      if (found !== undefined) return found;
      if (this.child.exitCode !== null)
        throw new Error(`ended without "${text}": ${JSON.stringify(this.lines)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async post(name: string): Promise<number> {
    const port = (await this.line("listening"))["OTLP over HTTP"];
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: oneSpanJson(name),
    });
    await response.arrayBuffer();
    return response.status;
  }
}

/** A port on which nobody answers. */
const noStorage = ["--clickhouse.url", "http://127.0.0.1:9"];

async function namesInJournal(): Promise<string[]> {
  const journal = await Journal.open(
    {
      folder,
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
    const collector = new RunningCollector(...noStorage);
    await collector.line("listening");
    let sent = 0;
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let index = 0; ; index++) {
        const name = `${run}-${sender}-${index}`;
        try {
          if ((await collector.post(name)) === 200) acknowledged.push(name);
        } catch {
          return; // Killed.
        }
        if (++sent === 200) collector.child.kill("SIGKILL");
      }
    });
    await Promise.all([...senders, collector.exit]);
  }
  const kept = await namesInJournal();
  expect(acknowledged.length).toBeGreaterThan(300);
  expect(new Set(kept).size).toBe(kept.length);
  expect(new Set(acknowledged).difference(new Set(kept))).toEqual(new Set());
}, 60_000);

test("a graceful stop while storage is away keeps the spans, ends clean, and says so", async () => {
  const collector = new RunningCollector(...noStorage);
  expect(await collector.post("kept")).toBe(200);
  await collector.line("storage is not ready");
  collector.child.kill("SIGTERM");
  expect(await collector.exit).toBe(0);
  expect(collector.lines.map(({ msg }) => msg)).toContain("spans stay in the journal for the next start");
  expect(await namesInJournal()).toEqual(["kept"]);
});

test("a graceful stop writes everything to a storage that answers", async () => {
  const collector = new RunningCollector("--span-storage.type=memory");
  expect(await collector.post("saved")).toBe(200);
  collector.child.kill("SIGTERM");
  expect(await collector.exit).toBe(0);
  expect(await namesInJournal()).toEqual([]);
});

test("a second collector on the same folder says so and ends", async () => {
  const first = new RunningCollector(...noStorage);
  await first.line("listening");
  const second = new RunningCollector(...noStorage);
  expect(await second.exit).toBe(1);
  expect(second.lines.map(({ msg }) => msg)).toEqual([
    `cannot start: the journal: the folder ${folder} is in use by another collector: stop that one, ` +
      "or choose another folder with --collector.journal.dir",
  ]);
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
  const collector = new RunningCollector(...noStorage, `--${flag}`, `127.0.0.1:${port}`);
  expect(await collector.exit).toBe(1);
  const fatal = collector.lines.filter(({ level }) => level === "fatal");
  expect(fatal.map(({ msg }) => msg)).toEqual([
    expect.stringMatching(`address 127.0.0.1:${port} is taken by another program.*--${flag}$`),
  ]);
  server.close();
});
