import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";

const programs = {
  usual: testedProgram(fileURLToPath(new URL("../bin/tracing-agent.ts", import.meta.url))),
  built: fileURLToPath(new URL("../dist/tracing-agent.cjs", import.meta.url)),
};

interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The agent as a separate process, on free ports. */
export interface AgentUnderTest {
  readonly compactPort: number;
  readonly binaryPort: number;
  readonly zipkinPort: number;
  /** Base URL of the HTTP port. */
  readonly http: string;
  readonly pid: number;
  /** All log lines so far. */
  readonly log: readonly LogLine[];
  /** Resolves with the first line, also an earlier line, whose message the pattern matches. */
  logged(message: RegExp): Promise<LogLine>;
  /** The values of a metric at the admin port, by the text of their labels. */
  metric(name: string): Promise<Record<string, number>>;
  /** Sends SIGTERM, and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the agent from its sources. @param flags options except the ports */
export function startAgent(...flags: string[]): Promise<AgentUnderTest> {
  return start(programs.usual, flags);
}

/** Starts the agent that was built into one file. @param flags options except the ports */
export function startBuiltAgent(...flags: string[]): Promise<AgentUnderTest> {
  return start(programs.built, flags);
}

async function start(program: string, flags: readonly string[]): Promise<AgentUnderTest> {
  const child = spawn(
    process.execPath,
    [
      program,
      "--processor.tracing-compact.server-host-port=127.0.0.1:0",
      "--processor.jaeger-binary.server-host-port=127.0.0.1:0", // By the public model's name.
      "--processor.zipkin-compact.server-host-port=127.0.0.1:0",
      "--http-server.host-port=127.0.0.1:0",
      "--admin.http.host-port=127.0.0.1:0",
      ...flags,
    ],
    { stdio: ["ignore", "inherit", "pipe"] },
  );
  // "close" and not "exit", because the last log lines may be read after "exit".
  const closed = once(child, "close");
  const log: LogLine[] = [];
  const lines = createInterface(child.stderr);
  lines.on("line", (line) => log.push(asLogLine(line)));

  async function logged(message: RegExp): Promise<LogLine> {
    for (;;) {
      const found = log.find(({ msg }) => message.test(msg));
      if (found !== undefined) {
        return found;
      }
      await Promise.race([
        once(lines, "line"),
        closed.then(() => Promise.reject(new Error(`the agent ended: ${JSON.stringify(log)}`))),
      ]);
    }
  }

  await logged(/health: available/);
  const metricsUrl = `http://127.0.0.1:${(await logged(/admin port open/)).port}/metrics`;
  return {
    compactPort: Number((await logged(/Thrift compact over UDP listening/)).port),
    binaryPort: Number((await logged(/Thrift binary over UDP listening/)).port),
    zipkinPort: Number((await logged(/Zipkin compact over UDP listening/)).port),
    http: `http://127.0.0.1:${(await logged(/HTTP for clients listening/)).port}`,
    pid: child.pid ?? 0,
    log,
    logged,
    async metric(name) {
      const text = await (await fetch(metricsUrl)).text();
      const found = text.matchAll(new RegExp(`^tracing_agent_${name}(?:\\{(.*)\\})? (.*)$`, "gm"));
      return Object.fromEntries([...found].map(([, labels, value]) => [labels ?? "", Number(value)]));
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}

/** Parses a log line. When the program cannot be loaded, Node's own output is not JSON. */
function asLogLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: "text", msg: text };
  }
}
