import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { testedProgram } from "lifecycle/testing";
import { afterAll, beforeAll, expect } from "vitest";

const program = testedProgram(join(import.meta.dirname, "../bin/tracing-storage.ts"));

/** A real tracing-storage process on a free port. */
export interface RunningStorage {
  readonly url: string;
  readonly process: ChildProcess;
  /** SIGTERM, and waits for the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
}

export interface Ended {
  readonly exitCode: number | null;
  /** All output of the process, from both streams. */
  readonly output: string;
}

export async function makeFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "tracing-storage-"));
}

/** Processes that have not ended, with the folders of their data. */
const processes = new Map<ChildProcess, string>();

/** Ends processes that still use the folder, for example after a failed test, and removes the folder. */
export async function removeFolder(path: string): Promise<void> {
  const left = [...processes].filter(([, dataDir]) => dataDir.startsWith(path));
  await Promise.all(
    left.map(async ([child]) => {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }),
  );
  await rm(path, { recursive: true, force: true });
}

function launch(dataDir: string, flags: readonly string[]): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      program,
      `--storage.data-dir=${dataDir}`,
      "--storage.http.host-port=127.0.0.1:0",
      "--grpc.host-port=127.0.0.1:0",
      "--admin.http.host-port=127.0.0.1:0",
      "--log-encoding=json",
      ...flags,
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  processes.set(child, dataDir);
  child.once("exit", () => {
    process.off("exit", end);
    processes.delete(child);
  });
  return child;
}

/** Starts a process that is expected to end by itself. */
export async function runToEnd(dataDir: string, ...flags: string[]): Promise<Ended> {
  const child = launch(dataDir, flags);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
    });
  }
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, output };
}

/** Resolves when the process listens; rejects with its output when it ends earlier. */
export async function startStorage(dataDir: string, ...flags: string[]): Promise<RunningStorage> {
  const child = launch(dataDir, flags);
  const exit = once(child, "exit") as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on("line", (line) => {
        output += `${line}\n`;
        const address = /listening for ClickHouse HTTP on ([\d.]+:\d+)/.exec(line)?.[1];
        if (address !== undefined) {
          resolve(`http://${address}`);
        }
      });
    }
    exit.then(([code]) => reject(new Error(`tracing-storage ended with ${code}: ${output}`)));
  });
  return {
    url,
    process: child,
    async stop() {
      child.kill("SIGTERM");
      return (await exit)[0];
    },
    async kill() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

/** A process that all tests of a file share. */
export interface SharedStorage extends RunningStorage {
  /** Its data. */
  readonly folder: string;
}

/** Starts a process with a new folder before the tests of this file, and ends it after them. */
export function shareStorage(...flags: string[]): SharedStorage {
  let folder = "";
  let running: RunningStorage | undefined;
  const started = () => {
    if (running === undefined) {
      throw new Error("it has not started");
    }
    return running;
  };
  beforeAll(async () => {
    folder = await makeFolder();
    running = await startStorage(folder, ...flags);
  });
  afterAll(async () => {
    await running?.stop();
    await removeFolder(folder);
  });
  return {
    get url() {
      return started().url;
    },
    get process() {
      return started().process;
    },
    get folder() {
      return folder;
    },
    stop: () => started().stop(),
    kill: () => started().kill(),
  };
}

/** Sends one query like curl; throws for an error status. */
export async function ask(url: string, sql: string): Promise<string> {
  const response = await fetch(url, { method: "POST", body: sql });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text);
  }
  return text.trimEnd();
}

/** Repeats the query until the answer is the wanted one, even when the server is too busy. */
export async function askUntil(url: string, sql: string, wanted: string): Promise<void> {
  const tooBusy = (error: Error) => {
    expect(error.message).toMatch(/^Code: 202\./);
  };
  while ((await ask(url, sql).catch(tooBusy)) !== wanted) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
