import childProcess, { type ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import type { Readable } from "node:stream";
import threads from "node:worker_threads";
import { afterAll, afterEach } from "vitest";
import { FatalLines } from "./fatal-lines.ts";

/**
 * Set-up of each test file. A test fails when a process that it started logs an uncaught error or a dead
 * thread, or when its thread ends by an error, whatever it asserts. A test that kills on purpose sets this
 * variable for the process, to any value.
 */
const optOut = "TEST_MAY_DIE";

interface Watched {
  spawn: (...args: unknown[]) => ChildProcess;
  /**
   * Findings that no test has failed for yet. They are global, because files that share a process load this
   * module again.
   */
  fatalLines?: string[];
}

const spawning = childProcess as unknown as Watched;

function report(line: string): void {
  spawning.fatalLines?.push(line);
}

/** Sees what a process writes without reading it: whoever reads it gets all of it when he wants it. */
function watch(stream: Readable | null, name: string): void {
  if (stream === null) {
    return;
  }
  const lines = new FatalLines();
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk !== null && chunk !== undefined) {
      for (const line of lines.take(String(chunk))) {
        report(`${name}: ${line}`);
      }
    }
    return push(chunk, encoding);
  };
}

if (spawning.fatalLines === undefined) {
  spawning.fatalLines = [];
  const { spawn } = spawning;
  spawning.spawn = (...args) => {
    const child = spawn(...args);
    const options = args.find(
      (arg): arg is { env?: NodeJS.ProcessEnv } =>
        typeof arg === "object" && arg !== null && !Array.isArray(arg),
    );
    if ((options?.env ?? process.env)[optOut] === undefined) {
      const name = child.spawnargs.slice(0, 3).join(" ");
      watch(child.stdout, name);
      watch(child.stderr, name);
    }
    return child;
  };
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      if (args[1]?.env === undefined || !(optOut in (args[1].env as object))) {
        this.on("error", (error) => report(`thread ${String(args[0])}: ${String(error)}`));
      }
    }
  };
  syncBuiltinESMExports();
}

function check(): void {
  const lines = spawning.fatalLines?.splice(0) ?? [];
  if (lines.length > 0) {
    throw new Error(
      `a process of this test failed (${optOut} in its environment allows it):\n${lines.join("\n")}`,
    );
  }
}

afterEach(check);
afterAll(check);
