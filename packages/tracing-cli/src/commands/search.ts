import type { Command, CommandContext } from "../command.ts";
import { timeOptions, wantsTable } from "../common-options.ts";
import { durationText, timeText } from "../output/figures.ts";
import { tableText } from "../output/table.ts";
import { write, writeJsonLines } from "../output/write.ts";
import { queryOf, searchOptions } from "../span-search.ts";
import { countOf, timeRangeOf } from "../time-range.ts";

/** Maximum number of traces that one search may request. */
export const maxTraces = 5_000;

/** A trace of Tempo's search. */
export interface FoundTrace {
  /** Up to 32 hex digits. */
  readonly traceID: string;
  /** Service of the root span; absent, or a text in angle brackets, while the root span is missing. */
  readonly rootServiceName?: string;
  readonly rootTraceName?: string;
  /** Nanoseconds since the Unix epoch, in decimal digits. */
  readonly startTimeUnixNano: string;
  /** Duration of the trace in whole milliseconds. */
  readonly durationMs?: number;
  /** Spans and failed spans by service. The API leaves out counts of 0. */
  readonly serviceStats?: Readonly<
    Record<string, { readonly spanCount?: number; readonly errorCount?: number }>
  >;
}

/** Source: Tempo's API, `GET /api/search` */
interface SearchAnswer {
  readonly traces?: readonly FoundTrace[];
  /** `PARTIAL`: a part of the store did not answer. */
  readonly status?: string;
  /** Names the missing part, and the reason. */
  readonly message?: string;
  /** `completedJobs` below `totalJobs` means that a part of the store did not answer. */
  readonly metrics?: { readonly completedJobs?: number; readonly totalJobs?: number };
}

/**
 * The newest traces that match, and a warning on standard error when a part of the store did not answer. The
 * API takes whole seconds, so the range is widened to whole seconds.
 * @throws CliError when the query is wrong, or the server does not answer
 */
export async function findTraces(context: CommandContext, limit: number): Promise<readonly FoundTrace[]> {
  const { client, errors, operands, values } = context;
  const { startMs, endMs } = timeRangeOf(values);
  const answer = await client.json<SearchAnswer>("/tempo/api/search", {
    q: queryOf(operands[0], values),
    start: Math.floor(startMs / 1_000),
    end: Math.ceil(endMs / 1_000),
    limit,
    spss: 1,
  });
  const { completedJobs = 0, totalJobs = 0 } = answer.metrics ?? {};
  // Other services with Tempo's API send no header for partial answers.
  if (completedJobs < totalJobs && client.partialAnswers === 0) {
    const why = answer.message === undefined ? "" : `: ${answer.message}`;
    await write(errors, `warning: a part of the store did not answer, so traces may be missing${why}\n`);
  }
  return answer.traces ?? [];
}

function countsOf({ serviceStats = {} }: FoundTrace): { readonly spans: number; readonly failed: number } {
  const all = Object.values(serviceStats);
  return {
    spans: all.reduce((sum, { spanCount = 0 }) => sum + spanCount, 0),
    failed: all.reduce((sum, { errorCount = 0 }) => sum + errorCount, 0),
  };
}

const columns = [
  { title: "TRACE ID" },
  { title: "START" },
  { title: "DURATION", align: "right" },
  { title: "SPANS", align: "right" },
  { title: "ERRORS", align: "right" },
  { title: "ROOT" },
] as const;

function rowOf(trace: FoundTrace): string[] {
  const { spans, failed } = countsOf(trace);
  return [
    trace.traceID,
    timeText(Number(BigInt(trace.startTimeUnixNano) / 1_000_000n)),
    durationText((trace.durationMs ?? 0) * 1_000),
    String(spans),
    failed === 0 ? "" : String(failed),
    `${trace.rootServiceName ?? ""} ${trace.rootTraceName ?? ""}`.trim(),
  ];
}

/** `tracing search`: exit code 0 even when no trace matches, as with SQL tools and unlike grep. */
export const searchCommand: Command = {
  name: "search",
  operands: "[query]",
  operandCounts: [0, 1],
  meaning: "Find traces by a TraceQL query, or by options; the newest first.",
  options: {
    ...searchOptions,
    ...timeOptions,
    limit: { type: "string", short: "n", placeholder: "count", default: "20", meaning: "Most traces." },
  },
  examples: [
    "tracing search --service cart --error",
    "tracing search --since 24h '{ duration > 1s }' --output json | jq -r .traceID",
  ],
  async run(context) {
    const { errors, output, values } = context;
    const traces = await findTraces(context, countOf(values, "limit", maxTraces));
    if (!wantsTable(values, context)) {
      await writeJsonLines(output, traces);
    } else if (traces.length > 0) {
      await write(output, tableText(columns, traces.map(rowOf), output.columns));
    }
    if (traces.length === 0) {
      await write(errors, "no trace matches; --since and --start say how far back to look\n");
    }
    return 0;
  },
};
