import { CliError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { wantsTable } from "../common-options.ts";
import { durationText } from "../output/figures.ts";
import { tableText } from "../output/table.ts";
import { write } from "../output/write.ts";
import { countOf } from "../time-range.ts";
import { checkTraceId } from "./get.ts";

/** One side of a node; durations in microseconds. */
interface Side {
  /** Number of spans of this operation in one trace; the median when this side has several traces. */
  readonly count: number;
  readonly errors: number;
  /** Sum of these spans' durations, including their children. */
  readonly duration: number;
  /** Self time: the duration without the time in which a child ran. */
  readonly selfTime: number;
}

/** Answer of `GET /api/analysis/v1/diff`. */
interface DiffAnswer {
  readonly a: { readonly duration: number; readonly spans: number };
  readonly b: { readonly duration: number; readonly spans: number; readonly traces: number };
  readonly nodes: readonly {
    readonly service: string;
    readonly operation: string;
    /** Null when this side has no such spans. */
    readonly a: Side | null;
    readonly b: Side | null;
  }[];
  /** Indexes of nodes, by the difference of their self times, largest first. */
  readonly ranked: readonly number[];
}

const columns = [
  { title: "CHANGE", align: "right" },
  { title: "A", align: "right" },
  { title: "B", align: "right" },
  { title: "SPANS A", align: "right" },
  { title: "SPANS B", align: "right" },
  { title: "OPERATION" },
] as const;

/** A row of the table. `+12.3 ms` means that side A spent more time in the operation than side B. */
function rowOf({ service, operation, a, b }: DiffAnswer["nodes"][number]): string[] {
  const change = (a?.selfTime ?? 0) - (b?.selfTime ?? 0);
  return [
    `${change < 0 ? "-" : "+"}${durationText(Math.abs(change))}`,
    a === null ? "" : durationText(a.selfTime),
    b === null ? "" : durationText(b.selfTime),
    a === null ? "" : String(a.count),
    b === null ? "" : String(b.count),
    `${service} ${operation}`,
  ];
}

/** `tracing diff`: exit code 1 when the server finds no other traces for the comparison. */
export const diffCommand: Command = {
  name: "diff",
  operands: "<trace id> [other trace id]",
  operandCounts: [1, 2],
  meaning:
    "Compare a trace with another, or with the median of the traces of its root operation: where its time went.",
  options: {
    limit: {
      type: "string",
      short: "n",
      placeholder: "count",
      default: "20",
      meaning: "Most rows of a table.",
    },
  },
  examples: ["tracing diff 71a81d73ce7902db83be4d12250bd874"],
  async run(context) {
    const { client, errors, operands, output, values } = context;
    const [a, b] = operands.map(checkTraceId);
    const limit = countOf(values, "limit", 100_000);
    const answer = await client.json<DiffAnswer>("/api/analysis/v1/diff", { a, b });
    if (b === undefined && answer.b.traces === 0) {
      throw new CliError(
        "no other trace of its root operation was found in the hour before; name a second trace",
      );
    }
    if (!wantsTable(values, context)) {
      await write(output, `${JSON.stringify(answer)}\n`);
      return 0;
    }
    const other = b === undefined ? `median of ${answer.b.traces} traces` : "b";
    await write(
      output,
      `a: ${durationText(answer.a.duration)}, ${answer.a.spans} span(s); ${other}: ${durationText(answer.b.duration)}, ${answer.b.spans} span(s)\n` +
        "Times are of the spans themselves, without those of their children.\n\n",
    );
    const rows = answer.ranked.slice(0, limit).flatMap((index) => {
      const node = answer.nodes[index];
      return node === undefined ? [] : [rowOf(node)];
    });
    await write(output, tableText(columns, rows, output.columns));
    if (answer.ranked.length > limit) {
      await write(errors, `${answer.ranked.length - limit} more; --limit shows them\n`);
    }
    return 0;
  },
};
