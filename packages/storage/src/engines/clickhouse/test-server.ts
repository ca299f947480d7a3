import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server for tests. */
export interface TestServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The program that `npm test` has built, which starts in a third of the processor time of its source; else the source. */
const programFile =
  process.env.TEST_BUILT_PROGRAMS === undefined ? "bin/tracing-storage.ts" : "dist/tracing-storage.cjs";
export const storageProgram = fileURLToPath(
  new URL(`../../../../tracing-storage/${programFile}`, import.meta.url),
);

/**
 * The process `tracing-storage` on an empty folder and a free port; or the server at TRACING_TEST_CLICKHOUSE_URL, for
 * the same tests against any ClickHouse.
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

/** @param port 0 for any */
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
  // A failed test must leave no process running.
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
      // The pipe must be emptied, or the process stops at a log line.
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

/** Runs one statement, past the engine under test; the answer as text. */
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
