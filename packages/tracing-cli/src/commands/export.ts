import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { version } from "lifecycle/version";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { timeOptions } from "../common-options.ts";
import { asSent, type OtlpTraces } from "../otlp.ts";
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

/** Receiver of traces, in one of the formats. */
interface Sink {
  add(traces: OtlpTraces): Promise<void>;
  /** Completes the output, also after a failure: what was written stays readable. */
  end(): Promise<void>;
}

/** The format in `--format`. Default: `parquet` if `--file` ends with `.parquet`, otherwise `jsonl`. */
function formatOf({ output, values }: CommandContext): string {
  const format = values.text("format") || (values.text("file").endsWith(".parquet") ? "parquet" : "jsonl");
  if (format === "parquet" && values.text("file") === "" && output.isTTY === true) {
    throw new CliError("--format parquet is no text for a terminal: name a --file, or use a pipe", 2);
  }
  return format;
}

async function openSink(format: string, target: Writable): Promise<Sink> {
  if (format === "parquet") {
    const { ParquetSink } = await import("../parquet/parquet-sink.ts");
    return new ParquetSink(target, `tracing version ${version.gitVersion}`);
  }
  return {
    add: (traces) => write(target, `${JSON.stringify(traces)}\n`),
    end: async () => {},
  };
}

/** Counts of traces. */
interface Exported {
  /** Number of traces written as a whole. */
  written: number;
  /** Number of written traces that may lack spans, because a part of the store did not answer. */
  incomplete: number;
  /** Number of traces that could not be read. Standard error names each of them, and the export continues. */
  failed: number;
}

/**
 * Writes each trace, until the output is closed. Traces are read one after the other, so memory holds only one trace,
 * and in Parquet a row group.
 * @throws when the user stops the program
 */
async function exportTraces(
  context: CommandContext,
  ids: readonly string[],
  target: Writable,
  sink: Sink,
): Promise<Exported> {
  const { client, errors, signal } = context;
  const sum: Exported = { written: 0, incomplete: 0, failed: 0 };
  for (const id of ids) {
    const partialBefore = client.partialAnswers;
    let trace: OtlpTraces;
    try {
      trace = asSent(await readTrace(context, id));
    } catch (error) {
      if (!(error instanceof CliError) || signal.aborted) {
        throw error;
      }
      sum.failed++;
      await write(errors, `trace ${id}: ${error.message}\n`);
      continue;
    }
    await sink.add(trace);
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
  meaning:
    "Write whole traces: as OTLP JSON, a line each, as the Collector's file exporter does, or as Parquet, a row a span.",
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
    format: {
      type: "string",
      placeholder: "format",
      choices: ["jsonl", "parquet"],
      meaning: "jsonl or parquet; by default parquet for a --file that ends in .parquet, else jsonl.",
    },
    force: { type: "boolean", meaning: "Write over --file when it is there." },
  },
  examples: [
    "tracing export --service cart --error --file cart.jsonl",
    "tracing export '{ duration > 1s }' | gzip > slow.jsonl.gz",
    "tracing export --service cart --limit 5000 --format parquet --file cart.parquet",
  ],
  async run(context) {
    const { errors, values } = context;
    const limit = countOf(values, "limit", maxTraces);
    const format = formatOf(context);
    const traces = await findTraces(context, limit);
    const target = openTarget(context);
    let fault: Error | undefined;
    target.on("error", (error: Error) => {
      fault = error;
    });
    const sink = await openSink(format, target);
    const ids = traces.map(({ traceID }) => traceID);
    const { written, incomplete, failed } = await exportTraces(context, ids, target, sink).finally(
      async () => {
        await sink.end();
        if (target !== context.output && fault === undefined) {
          target.end();
          await finished(target).catch(() => {});
        }
      },
    );
    if (fault !== undefined && target !== context.output) {
      throw new CliError(`--file: ${fault.message}`, 1, { cause: fault });
    }
    const more = traces.length === limit ? "; there may be more, older ones" : "";
    const lacking = incomplete === 0 ? "" : `, ${incomplete} of them may be incomplete`;
    await write(errors, `${written} traces written${lacking}, ${failed} failed${more}\n`);
    return failed + incomplete === 0 ? 0 : 1;
  },
};
