import type { Command } from "../command.ts";
import { timeOptions, wantsTable } from "../common-options.ts";
import { durationText, shareText } from "../output/figures.ts";
import { tableText } from "../output/table.ts";
import { write, writeJsonLines } from "../output/write.ts";
import { countOf, timeRangeOf } from "../time-range.ts";

/** Answer of `GET /api/metrics/rates`. */
interface RatesAnswer {
  /** Number of matching services, on all pages. */
  readonly total: number;
  readonly names: readonly {
    readonly name: string;
    /** Number of spans of kind server, the default of the API. */
    readonly calls: number;
    readonly errors: number;
    /** Median in microseconds; the other percentiles are in microseconds too. */
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  }[];
}

const columns = [
  { title: "SERVICE" },
  { title: "CALLS", align: "right" },
  { title: "ERRORS", align: "right" },
  { title: "P50", align: "right" },
  { title: "P95", align: "right" },
  { title: "P99", align: "right" },
] as const;

const minuteMs = 60_000;
/** Names in one request. The API refuses larger pages, so a larger `--limit` needs several requests. */
const page = 200;

/** `tracing services`: one line for each service, over as many pages as `--limit` needs. */
export const servicesCommand: Command = {
  name: "services",
  operands: "[part of a name]",
  operandCounts: [0, 1],
  meaning: "List services with the calls that they served: how many, how many failed, how long they took.",
  options: {
    ...timeOptions,
    order: {
      type: "string",
      placeholder: "order",
      default: "calls",
      choices: ["calls", "errors", "duration", "name"],
      meaning: "What comes first.",
    },
    limit: { type: "string", short: "n", placeholder: "count", default: "50", meaning: "Most services." },
  },
  examples: ["tracing services --order errors", "tracing services pay --since 24h"],
  async run(context) {
    const { client, errors, operands, output, values } = context;
    const { startMs, endMs } = timeRangeOf(values);
    const limit = countOf(values, "limit", 100_000);
    // Calls are counted by minute, and the current minute is included.
    const endTs = Math.ceil(endMs / minuteMs) * minuteMs;
    const names: RatesAnswer["names"][number][] = [];
    let total = 0;
    do {
      const answer = await client.json<RatesAnswer>("/api/metrics/rates", {
        contains: operands[0],
        order: values.text("order"),
        endTs,
        lookback: Math.round(endTs - startMs),
        limit: Math.min(page, limit - names.length),
        offset: names.length,
      });
      total = answer.total;
      names.push(...answer.names);
      if (answer.names.length === 0) {
        break;
      }
    } while (names.length < Math.min(total, limit));
    if (wantsTable(values, context)) {
      const rows = names.map(({ name, calls, errors: failed, p50, p95, p99 }) => [
        name,
        String(calls),
        shareText(failed, calls),
        ...[p50, p95, p99].map(durationText),
      ]);
      await write(output, rows.length === 0 ? "" : tableText(columns, rows, output.columns));
    } else {
      await writeJsonLines(
        output,
        names.map(({ name, calls, errors: failed, p50, p95, p99 }) => ({
          ...{ service: name, calls, errors: failed, p50Micros: p50, p95Micros: p95, p99Micros: p99 },
        })),
      );
    }
    if (names.length < total) {
      await write(errors, `${total - names.length} more; --limit shows them\n`);
    } else if (names.length === 0) {
      await write(errors, "no service was called in that time\n");
    }
    return 0;
  },
};
