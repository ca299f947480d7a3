import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { timeOptions } from "../common-options.ts";
import { asSent } from "../otlp.ts";
import { isClosed, write } from "../output/write.ts";
import { searchOptions } from "../span-search.ts";
import { countOf } from "../time-range.ts";
import { readTrace } from "./get.ts";
import { findTraces, maxTraces } from "./search.ts";

/**
 * Output of the lines: standard output, or `--file`. Without `--force` an existing file is an error, which occurs
 * when the stream opens.
 */
function openTarget({ output, values }: CommandContext) {
  const path = values.text("file");
  return path === "" ? output : createWriteStream(path, { flags: values.flag("force") ? "w" : "wx" });
}

/** Counts of traces. */
interface Exported {
  /** Number of traces written as a line. */
  written: number;
  /** Number of written traces that may lack spans, because a part of the store did not answer. */
  incomplete: number;
  /** Number of traces that could not be read. Standard error names each of them, and the export continues. */
  failed: number;
}

/**
 * Writes each trace as a line, until the output is closed. Traces are read one after the other, so memory holds only
 * one trace.
 * @throws when the user stops the program
 */
async function exportTraces(
  context: CommandContext,
  ids: readonly string[],
  target: ReturnType<typeof openTarget>,
): Promise<Exported> {
  const { client, errors, signal } = context;
  const sum: Exported = { written: 0, incomplete: 0, failed: 0 };
  for (const id of ids) {
    const partialBefore = client.partialAnswers;
    try {
      await write(target, `${JSON.stringify(asSent(await readTrace(context, id)))}\n`);
    } catch (error) {
      if (!(error instanceof CliError) || signal.aborted) {
        throw error;
      }
      sum.failed++;
      await write(errors, `trace ${id}: ${error.message}\n`);
      continue;
    }
    if (isClosed(target)) {
      break;
    }
    sum.written++;
    sum.incomplete += client.partialAnswers > partialBefore ? 1 : 0;
  }
  return sum;
}

/** `tracing export`: exit code 1 when a trace failed or may lack spans. `tracing import` reads the output. */
export const exportCommand: Command = {
  name: "export",
  operands: "[query]",
  operandCounts: [0, 1],
  meaning: "Write whole traces as OTLP JSON, a line each, as the Collector's file exporter does.",
  options: {
    ...searchOptions,
    ...timeOptions,
    limit: {
      type: "string",
      short: "n",
      placeholder: "count",
      default: "100",
      meaning: `Most traces, the newest; at most ${maxTraces}.`,
    },
    file: {
      type: "string",
      short: "f",
      placeholder: "path",
      meaning: "A file to write, in place of standard output.",
    },
    force: { type: "boolean", meaning: "Write over --file when it is there." },
  },
  examples: [
    "tracing export --service cart --error --file cart.jsonl",
    "tracing export '{ duration > 1s }' | gzip > slow.jsonl.gz",
  ],
  async run(context) {
    const { errors, values } = context;
    const limit = countOf(values, "limit", maxTraces);
    const traces = await findTraces(context, limit);
    const target = openTarget(context);
    let fault: Error | undefined;
    target.on("error", (error: Error) => {
      fault = error;
    });
    const { written, incomplete, failed } = await exportTraces(
      context,
      traces.map(({ traceID }) => traceID),
      target,
    );
    if (target !== context.output && fault === undefined) {
      target.end();
      await finished(target).catch(() => {});
    }
    if (fault !== undefined && target !== context.output) {
      throw new CliError(`--file: ${fault.message}`, 1, { cause: fault });
    }
    const more = traces.length === limit ? "; there may be more, older ones" : "";
    const lacking = incomplete === 0 ? "" : `, ${incomplete} of them may be incomplete`;
    await write(errors, `${written} traces written${lacking}, ${failed} failed${more}\n`);
    return failed + incomplete === 0 ? 0 : 1;
  },
};
