import type { Command } from "../command.ts";
import { timeOptions, wantsTable } from "../common-options.ts";
import { durationText, shareText } from "../output/figures.ts";
import { tableText } from "../output/table.ts";
import { write, writeJsonLines } from "../output/write.ts";
import { countOf, timeRangeOf } from "../time-range.ts";

/** Answer of `GET /api/analysis/v1/operations/top`; durations in microseconds. */
interface TopAnswer {
  readonly operations: readonly {
    readonly service: string;
    readonly operation: string;
    readonly kind: string;
    readonly calls: number;
    readonly errors: number;
    /** Sum of the durations of all calls. */
    readonly duration: number;
    readonly median: number;
    readonly p95: number;
    readonly p99: number;
  }[];
}

const columns = [
  { title: "TIME", align: "right" },
  { title: "CALLS", align: "right" },
  { title: "ERRORS", align: "right" },
  { title: "MEDIAN", align: "right" },
  { title: "P95", align: "right" },
  { title: "KIND" },
  { title: "OPERATION" },
] as const;

export const topCommand: Command = {
  name: "top",
  operands: "",
  operandCounts: [0, 0],
  meaning: "List operations with the most time, calls or errors, or the slowest.",
  options: {
    service: { type: "string", short: "s", placeholder: "name", meaning: "Operations of this service only." },
    ...timeOptions,
    order: {
      type: "string",
      placeholder: "order",
      default: "duration",
      choices: ["duration", "calls", "errors", "p95"],
      meaning: "What comes first: time of all calls together, calls, failed calls, or the 95th percentile.",
    },
    limit: { type: "string", short: "n", placeholder: "count", default: "20", meaning: "Most operations." },
  },
  examples: ["tracing top --service checkout --order p95"],
  async run(context) {
    const { client, errors, output, values } = context;
    const { startMs, endMs } = timeRangeOf(values);
    const { operations } = await client.json<TopAnswer>("/api/analysis/v1/operations/top", {
      service: values.text("service") || undefined,
      order: values.text("order"),
      limit: countOf(values, "limit", 1_000),
      start: Math.round(startMs * 1_000),
      end: Math.round(endMs * 1_000),
    });
    if (!wantsTable(values, context)) {
      await writeJsonLines(output, operations);
    } else if (operations.length > 0) {
      const rows = operations.map((each) => [
        durationText(each.duration),
        String(each.calls),
        shareText(each.errors, each.calls),
        durationText(each.median),
        durationText(each.p95),
        each.kind,
        `${each.service} ${each.operation}`,
      ]);
      await write(output, tableText(columns, rows, output.columns));
    }
    if (operations.length === 0) {
      await write(errors, "no span in that time\n");
    }
    return 0;
  },
};
