// A collector whose journal is full, without storage. Senders must retry later, and all acknowledged spans are stored
// after storage has started.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestedProcess } from "../src/all-processes/tested-process.ts";
import { eventually } from "../src/expect.ts";
import { ask } from "../src/tracing-api/ask.ts";
import { field, protobufHeaders, protobufRequest, protobufSpan } from "./bad-input/otlp-spans.ts";
import { grpcFrame, rawGrpc } from "./bad-input/raw-grpc.ts";

/** Runs a program of the system. */
function run(program: string, ...parameters: string[]): void {
  execFileSync(program, parameters, { stdio: "ignore" });
}

let folder: string;
let addresses: readonly string[];
let collector: TestedProcess | undefined;
let storage: TestedProcess | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
  addresses = await freeAddresses(6);
});

afterEach(async () => {
  await collector?.end("SIGKILL");
  await storage?.end("SIGKILL");
  collector = undefined;
  storage = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const local = (index: number) => addresses[index] ?? "";

async function startCollector(journal: string, ...more: string[]): Promise<TestedProcess> {
  collector = new TestedProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", local(0)],
      ...["--collector.otlp.http.host-port", local(1)],
      ...["--collector.grpc-server.host-port", local(2)],
      ...["--collector.http-server.host-port", "127.0.0.1:0"],
      ...["--clickhouse.url", `http://${local(3)}`],
      ...["--admin.http.host-port", local(4)],
      ...["--collector.journal.dir", journal],
      ...more,
    ],
    `http://${local(4)}/`,
  );
  await collector.start();
  return collector;
}

async function startStorage(...more: string[]): Promise<void> {
  storage = new TestedProcess(
    "tracing-storage",
    "tracing-storage/bin/tracing-storage.ts",
    [
      ...["--storage.http.host-port", local(3)],
      ...["--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", "127.0.0.1:0", "--admin.http.host-port", local(5)],
      ...more,
    ],
    `http://${local(5)}/`,
  );
  await storage.start();
}

interface Ending {
  readonly isKept: boolean;
  /** The refusal: status and hint. */
  readonly refusal: string;
}

/** `RetryInfo { retry_delay { seconds } }` within the details of a google.rpc.Status. */
function retryDelay(details: Buffer): string {
  const text = details.toString("latin1");
  const at = text.indexOf("type.googleapis.com/google.rpc.RetryInfo");
  return at < 0 ? "no RetryInfo" : `RetryInfo of ${details.at(-1)} s`;
}

const spanBytes = 2_000;
const ballast = () =>
  field(9, field(1, Buffer.from("ballast")), field(2, field(1, Buffer.alloc(spanBytes, "x"))));

/** The protocols; each sends a span of about 2 KB. */
const doors: Readonly<Record<string, (traceId: Buffer) => Promise<Ending>>> = {
  async "OTLP over HTTP"(traceId) {
    const body = new Uint8Array(protobufRequest(protobufSpan(traceId, randomBytes(8), ballast())));
    const response = await fetch(`http://${local(1)}/v1/traces`, {
      method: "POST",
      headers: protobufHeaders,
      body,
    });
    await response.arrayBuffer();
    const hint = response.headers.get("retry-after");
    return { isKept: response.status === 200, refusal: `${response.status}, Retry-After ${hint}` };
  },
  async "OTLP over gRPC"(traceId) {
    const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    const message = protobufRequest(protobufSpan(traceId, randomBytes(8), ballast()));
    const { code, details } = await rawGrpc(local(0), path, grpcFrame(message));
    return { isKept: code === "OK", refusal: `${code}, ${retryDelay(details)}` };
  },
  async PostSpans(traceId) {
    const name = field(3, Buffer.alloc(spanBytes, "n"));
    const message = field(1, field(1, field(1, traceId), field(2, randomBytes(8)), name));
    const { code, details } = await rawGrpc(
      local(2),
      "/tracing.api_v2.CollectorService/PostSpans",
      grpcFrame(message),
    );
    return { isKept: code === "OK", refusal: `${code}, ${retryDelay(details)}` };
  },
};

/** Sends through each port until it refuses. @returns the acknowledged ids, and the refusal of each port */
async function sendUntilRefused(): Promise<{ kept: string[]; refusals: Record<string, string> }> {
  const kept: string[] = [];
  const refusals: Record<string, string> = {};
  for (const [name, send] of Object.entries(doors)) {
    for (let count = 0; refusals[name] === undefined; count++) {
      expect(count, `spans that ${name} took without a word`).toBeLessThan(3_000);
      const traceId = randomBytes(16);
      const { isKept, refusal } = await send(traceId);
      if (isKept) {
        kept.push(traceId.toString("hex"));
      } else {
        refusals[name] = refusal;
      }
    }
  }
  return { kept, refusals };
}

async function everythingIsStored(kept: readonly string[]): Promise<void> {
  await eventually(async () => {
    const sql = "SELECT lower(hex(trace_id)) FROM tracing.spans";
    const { text } = await ask(`http://${local(3)}/`, { method: "POST", body: sql });
    expect(text.split("\n").filter(Boolean).sort()).toEqual([...kept].sort());
  }, 30_000);
}

/** When the journal has space again, each port accepts spans again. */
async function everyDoorTakesAgain(): Promise<string[]> {
  const kept: string[] = [];
  for (const [name, send] of Object.entries(doors)) {
    await eventually(async () => {
      const traceId = randomBytes(16);
      const { isKept, refusal } = await send(traceId);
      expect(isKept, `${name}: ${refusal}`).toBe(true);
      kept.push(traceId.toString("hex"));
    }, 30_000);
  }
  return kept;
}

test("a full journal: senders are asked to come again, and all that was acknowledged is stored once storage is there", async () => {
  const process = await startCollector(join(folder, "journal"), "--collector.journal.max-bytes", "200000");
  const { kept, refusals } = await sendUntilRefused();
  expect(refusals).toEqual({
    "OTLP over HTTP": "429, Retry-After 5",
    "OTLP over gRPC": "RESOURCE_EXHAUSTED, RetryInfo of 5 s",
    PostSpans: "RESOURCE_EXHAUSTED, RetryInfo of 5 s",
  });
  expect(kept.length).toBeGreaterThan(50);
  // An empty request needs no space.
  const empty = { method: "POST", headers: protobufHeaders, body: new Uint8Array() };
  expect((await ask(`http://${local(1)}/v1/traces`, empty)).status).toBe(200);
  const { pid } = process;

  await startStorage();
  await everythingIsStored([...kept, ...(await everyDoorTakesAgain())]);
  expect(process.pid).toBe(pid);
});

test("a full journal survives kill -9: still full, still whole", async () => {
  const process = await startCollector(join(folder, "journal"), "--collector.journal.max-bytes", "100000");
  const { kept } = await sendUntilRefused();
  await process.end("SIGKILL");
  await process.start();
  const again = await sendUntilRefused();
  expect(again.kept.length, "room that a crash made").toBeLessThan(5);
  await startStorage();
  await everythingIsStored([...kept, ...again.kept]);
});

test("a full disk: senders are asked to come again, and all that was acknowledged is stored once storage is there", async (context) => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  try {
    run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk);
  } catch {
    context.skip("needs the right to mount a small file system");
  }
  try {
    const process = await startCollector(join(disk, "journal"));
    const { kept, refusals } = await sendUntilRefused();
    expect(refusals).toEqual({
      "OTLP over HTTP": "503, Retry-After 5",
      "OTLP over gRPC": "UNAVAILABLE, RetryInfo of 5 s",
      PostSpans: "UNAVAILABLE, RetryInfo of 5 s",
    });
    expect(kept.length).toBeGreaterThan(200);
    expect(process.log.match(/the journal cannot write/g), "said once").toHaveLength(1);
    const { pid } = process;

    await startStorage();
    await everythingIsStored([...kept, ...(await everyDoorTakesAgain())]);
    expect(process.pid).toBe(pid);
    expect(process.log).toContain("the journal can write again");
  } finally {
    await collector?.end("SIGKILL");
    run("umount", disk);
  }
});

test("a segment over the store's limit is set aside, and the next one is stored", async () => {
  const journal = join(folder, "journal");
  await startStorage("--storage.http.max-body-bytes=100000");
  await startCollector(journal);
  const post = async (...spans: Buffer[]) => {
    const body = new Uint8Array(Buffer.concat(spans.map((span) => protobufRequest(span))));
    const url = `http://${local(1)}/v1/traces`;
    expect((await fetch(url, { method: "POST", headers: protobufHeaders, body })).status).toBe(200);
  };
  const before = randomBytes(16);
  await post(protobufSpan(before, randomBytes(8), Buffer.alloc(0)));
  await everythingIsStored([before.toString("hex")]);
  const large = Array.from({ length: 100 }, () =>
    protobufSpan(
      randomBytes(16),
      randomBytes(8),
      field(
        9,
        field(1, Buffer.from("noise")),
        field(2, field(1, Buffer.from(randomBytes(1_500).toString("hex")))),
      ),
    ),
  );
  await post(...large);
  const setAside = async () => {
    const { text } = await ask(`http://${local(4)}/metrics`);
    return /^\w*quarantined_spans\w* (\d+)$/m.exec(text)?.[1];
  };
  await expect.poll(setAside).toBe("100");
  const after = randomBytes(16);
  await post(protobufSpan(after, randomBytes(8), Buffer.alloc(0)));
  await everythingIsStored([before.toString("hex"), after.toString("hex")]);
});
