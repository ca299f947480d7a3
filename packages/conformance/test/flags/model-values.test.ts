import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testedProgram } from "lifecycle/testing";
import { describe, expect, test } from "vitest";

const run = promisify(execFile);
const patienceMs = 60_000;

type Process = "tracing-collector" | "tracing-agent";

function programOf(process_: Process): string {
  return testedProgram(fileURLToPath(new URL(`../../../${process_}/bin/${process_}.ts`, import.meta.url)));
}

/** The value in `print-config`, or the line with its refusal. */
async function outcomeOf(process_: Process, flag: string): Promise<string> {
  try {
    return (await run(process.execPath, [programOf(process_), "print-config", flag])).stdout;
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
}

// Observed behaviour of Jaeger 1.62: it started, unless noted otherwise.
describe("values of flags", () => {
  test.each<[Process, string]>([
    ["tracing-collector", "--collector.http-server.host-port=29412"],
    ["tracing-collector", "--collector.otlp.grpc.max-message-size=1000"],
    ["tracing-collector", "--collector.queue-size=0"],
    ["tracing-collector", "--collector.otlp.enabled=F"],
    ["tracing-collector", "--collector.zipkin.keep-alive=False"],
    ["tracing-collector", "--collector.otlp.http.idle-timeout=1h5m"],
    ["tracing-collector", "--downsampling.ratio=0"],
    ["tracing-collector", "--log-level=INFO"],
    ["tracing-collector", "--log-level=dpanic"],
    ["tracing-agent", "--reporter.grpc.retry.max=0"],
    ["tracing-agent", "--reporter.grpc.discovery.min-peers=0"],
    ["tracing-agent", "--processor.jaeger-compact.server-max-packet-size=100000"],
    ["tracing-agent", "--processor.jaeger-compact.server-host-port=26831"],
  ])(
    "%s takes %s",
    async (process_, flag) => {
      const [name = "", value] = flag.slice(2).replace("jaeger-", "tracing-").split("=");
      const lines = (await outcomeOf(process_, flag)).split("\n").map((line) => line.split(/\s+/));
      expect(lines.find(([first]) => first === name)).toEqual([name, value, "(flag)"]);
    },
    patienceMs,
  );

  test.each<[Process, string]>([
    // Jaeger refuses these, too.
    ["tracing-collector", "--log-level=nope"],
    ["tracing-collector", "--log-encoding=x"],
    ["tracing-collector", "--metrics-backend=expvar"],
    ["tracing-collector", "--collector.otlp.http.idle-timeout=5"],
    ["tracing-collector", "--downsampling.ratio=x"],
    ["tracing-agent", "--reporter.type=http"],
    ["tracing-agent", "--processor.jaeger-compact.server-queue-size=-1"],
    // Only our programs refuse these: docs/migration-jaeger.md.
    ["tracing-collector", "--collector.grpc-server.max-message-size=-1"],
    ["tracing-collector", "--collector.queue-size=-1"],
    ["tracing-collector", "--collector.num-workers=0"],
    ["tracing-collector", "--downsampling.ratio=2"],
    ["tracing-collector", "--collector.otlp.http.read-timeout=-1s"],
    ["tracing-collector", "--collector.otlp.http.host-port="],
    ["tracing-collector", "--multi-tenancy.header="],
    ["tracing-agent", "--processor.jaeger-compact.server-queue-size=0"],
    ["tracing-agent", "--processor.jaeger-compact.workers=0"],
  ])(
    "%s refuses %s in one line that names it",
    async (process_, flag) => {
      const name = flag.slice(2, flag.indexOf("=")).replace("jaeger-", "tracing-");
      const text = await outcomeOf(process_, flag);
      expect(text).toMatch(/^.+\n$/);
      expect(text).toContain(`${process_}: option --${name}: `);
    },
    patienceMs,
  );
});
