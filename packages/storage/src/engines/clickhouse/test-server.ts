import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A ClickHouse server for tests. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * The built program of `npm test`, which needs a third of the processor time to start. Without a build, the source
 * file.
 */
const programFile =
  process.env.TEST_BUILT_PROGRAMS === undefined ? "bin/tracing-storage.ts" : "dist/tracing-storage.cjs";
export const storageProgram = fileURLToPath(
  new URL(`../../../../tracing-storage/${programFile}`, import.meta.url),
);

/**
 * Starts the process `tracing-storage` with an empty folder and a free port. With TRACING_TEST_CLICKHOUSE_URL, the
 * tests use the server at that address instead.
 */
export async function startTestServer(): Promise<TestServer> {
  const url = process.env.TRACING_TEST_CLICKHOUSE_URL;
  if (url !== undefined) {
    return { url, stop: async () => {} };
  }
  const folder = await mkdtemp(join(tmpdir(), "storage-test-"));
  const server = await startStorageProcess(folder);
  return {
    url: server.url,
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @param port 0: any free port */
export async function startStorageProcess(
  folder: string,
  port = 0,
): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [
      storageProgram,
      ...["--storage.data-dir", folder],
      ...["--storage.http.host-port", `127.0.0.1:${port}`],
      ...["--grpc.host-port", "127.0.0.1:0", "--admin.http.host-port", "127.0.0.1:0"],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  // The process must also end when a test fails.
  const killOnExit = () => child.kill("SIGKILL");
  process.once("exit", killOnExit);
  const address = await listeningAddress(child);
  return {
    url: `http://${address}`,
    async kill() {
      process.off("exit", killOnExit);
      const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function listeningAddress(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr! })) {
    const address = /listening for ClickHouse HTTP on ([\d.]+:\d+)/.exec(line)?.[1];
    if (address !== undefined) {
      // The pipe must be read; otherwise the process blocks when it writes a log line.
      child.stderr!.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`tracing-storage has not started:\n${lines.join("\n")}`);
}

export function newDatabaseName(): string {
  return `test_${randomBytes(6).toString("hex")}`;
}

/** Runs one statement directly on the server and returns the answer as text. */
export async function runSql(
  url: string,
  sql: string,
  parameters: Record<string, string> = {},
): Promise<string> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(parameters)) {
    target.searchParams.set(`param_${name}`, value);
  }
  const response = await fetch(target, { method: "POST", body: sql });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${sql}: ${text}`);
  }
  return text.trim();
}
