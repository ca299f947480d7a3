import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { readLines } from "../json-lines.ts";
import { write } from "../output/write.ts";
import { clientSettings } from "../query-client.ts";
import { sendTraces } from "../send-traces.ts";
import { countOf, durationMsOf } from "../time-range.ts";

/** Messages of OTLP JSON to send, in order. */
interface Source {
  /** Name of a message in reports. */
  readonly unit: "line" | "message";
  readonly messages: AsyncIterable<string>;
}

/** The file that the operand names; standard input for `-` or without an operand. */
async function openSource({ input, operands }: CommandContext): Promise<Source> {
  const [path = "-"] = operands;
  if (path !== "-" && (await isParquet(path))) {
    const { readParquetTraces } = await import("../parquet/read-traces.ts");
    return { unit: "message", messages: readParquetTraces(path) };
  }
  return { unit: "line", messages: readLines(path === "-" ? input : createReadStream(path)) };
}

/** True for a file that begins as Parquet does. A pipe counts as text, because its bytes can be read only once. */
async function isParquet(path: string): Promise<boolean> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    if (!(await file.stat()).isFile()) {
      return false;
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("latin1", 0, bytesRead) === "PAR1";
  } catch (error) {
    throw new CliError((error as Error).message, 1, { cause: error });
  } finally {
    await file?.close();
  }
}

/**
 * `tracing import`: each line of the input is one OTLP message, sent in order, one at a time. A Parquet file of
 * `tracing export` becomes messages of up to 2,000 spans of a trace.
 *
 * - A message that the collector refuses is reported with its number, and the import continues; exit code 1 at the end.
 * - A collector that stays unreachable ends the import. The error names the message from which to continue.
 */
export const importCommand: Command = {
  name: "import",
  operands: "[file]",
  operandCounts: [0, 1],
  meaning:
    "Send traces to a collector: lines of OTLP JSON, packed with gzip or not, of a file or standard input, or a Parquet file of tracing export.",
  options: {
    to: {
      type: "string",
      placeholder: "url",
      default: "http://localhost:4318",
      meaning: "Address of the collector's OTLP over HTTP.",
    },
    "from-line": {
      type: "string",
      placeholder: "number",
      default: "1",
      meaning: "The first line, or message of a Parquet file, to send: where an import that ended goes on.",
    },
    "retry-for": {
      type: "string",
      placeholder: "duration",
      default: "1m",
      meaning: "How long to try a line again while the collector is away or has too much to do.",
    },
  },
  examples: [
    "tracing import cart.jsonl --to http://localhost:4318",
    "zcat slow.jsonl.gz | tracing import",
    "tracing import cart.parquet",
  ],
  async run(context) {
    const { errors, signal, values } = context;
    const first = countOf(values, "from-line", 999_999_999);
    const retryForMs = durationMsOf(values.text("retry-for"), "retry-for");
    const { headers } = clientSettings(values, context.environment, signal);
    const target = { url: `${values.text("to").replace(/\/+$/, "")}/v1/traces`, headers, retryForMs, signal };
    if (!URL.canParse(target.url)) {
      throw new CliError(`--to: ${JSON.stringify(values.text("to"))} is no address`, 2);
    }
    const { unit, messages } = await openSource(context);
    const sum = { lines: 0, rejected: 0, failed: 0 };
    const tell = () =>
      write(errors, `${sum.lines} ${unit}s sent, ${sum.failed} refused, ${sum.rejected} spans rejected\n`);
    let line = 0;
    try {
      for await (const text of messages) {
        line++;
        if (line < first || text.trim() === "") {
          continue;
        }
        const { rejected, fault } = await sendTraces(text, target);
        if (fault === undefined) {
          sum.lines++;
        } else {
          sum.failed++;
        }
        sum.rejected += rejected.spans;
        const problem =
          fault ?? (rejected.spans === 0 ? "" : `${rejected.spans} spans rejected: ${rejected.message}`);
        if (problem !== "") {
          await write(errors, `${unit} ${line}: ${problem}\n`);
        }
      }
    } catch (error) {
      if (line > 0) {
        await write(errors, `stopped at ${unit} ${line}; go on with --from-line ${Math.max(line, first)}\n`);
        await tell();
      }
      throw error;
    }
    await tell();
    return sum.failed + sum.rejected === 0 ? 0 : 1;
  },
};
