import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { wantsTable } from "../common-options.ts";
import { hasFailed, type OtlpTraces, type SpanNode, spanTree } from "../otlp.ts";
import { durationText, timeText } from "../output/figures.ts";
import { cutTo, shownText } from "../output/table.ts";
import { isClosed, write } from "../output/write.ts";

/**
 * Checks a trace id and returns it in lower case. Leading zeros may be missing. @throws CliError with exit code 2 for
 * any other text
 */
export function checkTraceId(text: string): string {
  if (!/^[0-9a-fA-F]{1,32}$/.test(text)) {
    throw new CliError(`${JSON.stringify(text)} is no trace id of up to 32 hex digits`, 2);
  }
  return text.toLowerCase();
}

/** A trace as OTLP. @throws CliError when the trace does not exist */
export async function readTrace({ client }: Pick<CommandContext, "client">, id: string): Promise<OtlpTraces> {
  const { result } = await client.json<{ readonly result?: OtlpTraces }>(`/api/v3/traces/${id}`);
  return result ?? {};
}

/** Converts to microseconds as a number; no printed digit is lost. */
const micros = (nano: bigint) => Number(nano) / 1_000;

/**
 * Lines of a tree, each at most as wide as the terminal:
 *
 *     2026-01-31 12:00:00.123
 *            AT   DURATION  SPAN
 *          0 µs    12.3 ms  cart GET /cart
 *       1.20 ms    8.10 ms    store SELECT  [error: no such table]
 *
 * The function uses no recursion, because traces can be deep. Below 40 levels the indent does not grow.
 */
function* treeLines(roots: readonly SpanNode[], width: number | undefined): Generator<string> {
  const begin = roots[0]?.startNano ?? 0n;
  yield timeText(Number(begin / 1_000_000n));
  yield `${"AT".padStart(9)}  ${"DURATION".padStart(9)}  SPAN`;
  const waiting = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    const { span, service } = node;
    const at = durationText(micros(node.startNano - begin)).padStart(9);
    const long = durationText(Math.max(0, micros(node.endNano - node.startNano))).padStart(9);
    const why = span.status?.message ? `: ${span.status.message}` : "";
    const failed = hasFailed(span) ? `  [error${why}]` : "";
    const text = shownText(`${service} ${span.name ?? ""}${failed}`);
    yield cutTo(`${at}  ${long}  ${"  ".repeat(Math.min(depth, 40))}${text}`, width);
    for (const child of node.children.toReversed()) {
      waiting.push({ node: child, depth: depth + 1 });
    }
  }
}

export const getCommand: Command = {
  name: "get",
  operands: "<trace id>",
  operandCounts: [1, 1],
  meaning: "Show a trace: a tree on a terminal, OTLP JSON in a pipe.",
  options: {},
  examples: [
    "tracing get 71a81d73ce7902db83be4d12250bd874",
    "tracing get 71a81d73ce7902db83be4d12250bd874 -o json > trace.json",
  ],
  async run(context) {
    const { operands, output, values } = context;
    const trace = await readTrace(context, checkTraceId(operands[0] as string));
    if (!wantsTable(values, context)) {
      await write(output, `${JSON.stringify(trace)}\n`);
      return 0;
    }
    for (const line of treeLines(spanTree(trace), output.columns)) {
      if (isClosed(output)) {
        break;
      }
      await write(output, `${line}\n`);
    }
    return 0;
  },
};
