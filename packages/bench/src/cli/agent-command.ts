import { availableParallelism, loadavg } from "node:os";
import { type AgentLoadReport, agentLoad, type Memory } from "../e2e/agent/agent-load.ts";
import type { Figure } from "../report/figure.ts";
import { machineLine } from "../report/notes.ts";
import { renderTable } from "../report/table.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";

const options = {
  protocol: { value: "compact|binary", text: "of Thrift", fallback: "compact" },
  rate: { value: "N", text: "packets of one span a second", fallback: "50000" },
  duration: { value: "TIME", text: "send for so long", fallback: "20s" },
  "socket-buffer": {
    value: "BYTES",
    text: "receive buffer that the agent asks for (default: its own choice)",
  },
  "memory-limit": {
    value: "BYTES",
    text: "run the agent in a control group with so much memory, as a container (Linux, root)",
  },
  json: { text: "print the report as JSON" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/**
 * `bench agent`. @returns the exit code: 1 when no span arrived, or when spans were lost that the agent did not count
 */
export async function agentCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Sends spans to an agent over UDP and counts what arrives at a collector, and what is lost where.
The agent has to be built: pnpm --filter tracing-agent run build. The load generator needs a core.

Usage: npm run bench -- agent [options]

${optionHelp(options)}`);
    return 0;
  }
  const protocol = args.choice("protocol", ["compact", "binary"]);
  const [loadBefore = 0] = loadavg();
  const buffer = args.has("socket-buffer") ? args.integer("socket-buffer", 1, 2 ** 31 - 1) : undefined;
  const report = await agentLoad(
    {
      protocol,
      rate: args.integer("rate", 1, 1e7),
      durationMs: args.durationMs("duration"),
      agentFlags:
        buffer === undefined ? [] : [`--processor.tracing-${protocol}.server-socket-buffer-size=${buffer}`],
      ...(args.has("memory-limit")
        ? { memoryLimitBytes: args.integer("memory-limit", 1, Number.MAX_SAFE_INTEGER) }
        : {}),
    },
    signal,
  );
  const [loadAfter = 0] = loadavg();
  process.stdout.write(
    args.has("json")
      ? `${JSON.stringify(report, null, 2)}\n`
      : renderTable([{ title: `Thrift ${protocol}`, figures: figuresOf(report) }]) +
          machineLine({ cores: availableParallelism(), loadBefore, loadAfter }),
  );
  return report.delivered > 0 && unexplained(report) <= 0 ? 0 : 1;
}

function unexplained({ sent, delivered, lost }: AgentLoadReport): number {
  return sent - delivered - Object.values(lost).reduce((sum, count) => sum + count, 0);
}

function figuresOf(report: AgentLoadReport): Figure[] {
  const memory = (when: string, { rss, anonymous, files }: Memory): Figure[] => [
    { label: `RSS ${when}, MiB`, value: rss, unit: "mebibytes" },
    { label: `  its own (RssAnon) ${when}`, value: anonymous, unit: "mebibytes" },
    { label: `  pages of files (RssFile) ${when}`, value: files, unit: "mebibytes" },
  ];
  return [
    { label: "bytes a packet", value: report.packetBytes, unit: "count" },
    { label: "packets sent", value: report.sent, unit: "count" },
    { label: "spans delivered", value: report.delivered, unit: "count" },
    ...Object.entries(report.lost).map(([label, value]) => ({ label, value, unit: "count" as const })),
    { label: "lost without a count", value: unexplained(report), unit: "count" },
    { label: "CPU-s/million spans", value: report.cpuSecondsPerMillion, unit: "cpuSeconds" },
    ...memory("idle", report.idle),
    ...memory("under load", report.loaded),
    ...memory("after the load", report.after),
    { label: "most RSS ever (VmHWM), MiB", value: report.peakRss, unit: "mebibytes" },
    ...(report.groupPeakBytes === undefined
      ? []
      : [
          {
            label: "most charged to the group, MiB",
            value: report.groupPeakBytes,
            unit: "mebibytes" as const,
          },
        ]),
  ];
}
