// The program itself as a process of its own: its log, its doors.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";
import { oneSpanJson } from "./receiver-fixture.ts";

const program = testedProgram(fileURLToPath(new URL("../bin/tracing-collector.ts", import.meta.url)));
const children: ChildProcess[] = [];

/** For `afterEach`: no collector outlives its test. */
export function killCollectors(): void {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
  }
}

/** Options for a storage that is away: a port on which nobody answers. */
export const noStorage = ["--clickhouse.url", "http://127.0.0.1:9"];

/** One line of the log. */
export interface Line {
  readonly level: string;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A collector with free ports of its own. */
export class RunningCollector {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  readonly exit: Promise<number | null>;
  #rest = "";
  #wake = () => {};

  constructor(journalFolder: string, ...args: string[]) {
    this.child = spawn(
      process.execPath,
      [
        program,
        ...["--collector.journal.dir", journalFolder, "--admin.http.host-port", "127.0.0.1:0"],
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
      if (found !== undefined) {
        return found;
      }
      if (this.child.exitCode !== null) {
        throw new Error(`ended without "${text}": ${JSON.stringify(this.lines)}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Sends one span over OTLP. @returns the HTTP status */
  post(name: string): Promise<number> {
    return this.postJson(oneSpanJson(name));
  }

  async postJson(body: string): Promise<number> {
    const port = (await this.line("listening"))["OTLP over HTTP"];
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  }
}
