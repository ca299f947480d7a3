import { createReadStream } from "node:fs";
import { type ProcessCommand, parseOptions, StartError } from "lifecycle";
import { WireError } from "wire/errors";
import { OtlpJsonTranscoder } from "wire/otlp";
import { z } from "zod";
import { ruleSetOf } from "../pipeline/privacy/open-privacy.ts";
import { PrivacyRulesError } from "../pipeline/privacy/parse-privacy-rules.ts";
import type { PrivacyRules } from "../pipeline/privacy/privacy-rule.ts";
import { PrivacyStep } from "../pipeline/privacy/privacy-step.ts";
import { readPrivacyRules } from "../pipeline/privacy/read-privacy-rules.ts";

const options = z.object({
  traces: z
    .string()
    .default("")
    .describe("File of OTLP JSON, one document a line as from tracing export; - is standard input."),
});

/** Size limit of a line in bytes. `tracing export` never writes longer lines. */
const maxLineBytes = 64 * 1024 * 1024;
const lineFeed = 0x0a;
const blank = 0x20;

/**
 * `check-privacy FILE`: validates privacy rules, and counts what they would change in traces. The output contains no
 * attribute values.
 */
export const checkPrivacyCommand: ProcessCommand = {
  name: "check-privacy",
  meaning:
    "Check a file of privacy rules, and count what they would change in traces: check-privacy FILE [--traces FILE.json].",
  operands: "FILE",
  options,
  async run(args) {
    const [path, ...rest] = args;
    if (path === undefined || path.startsWith("-")) {
      throw new StartError("check-privacy: name the file first: check-privacy FILE [--traces FILE.json]");
    }
    const { traces } = parseOptions(options, { arguments: rest, environment: {} }).options;
    const rules = await readPrivacyRules(path).catch((error: unknown) => {
      throw error instanceof PrivacyRulesError
        ? new StartError(`check-privacy: ${error.message}`, { cause: error })
        : error;
    });
    process.stdout.write(traces === "" ? `${rules.rules.length} rules\n` : await countsOf(rules, traces));
    return 0;
  },
};

/**
 * Applies the rules to all traces of a file, and counts what each rule changes: `           3  mask-2  (mask)`.
 * @param path of OTLP JSON, one document a line; `-` is standard input
 */
async function countsOf(rules: PrivacyRules, path: string): Promise<string> {
  const set = ruleSetOf(rules);
  const step = new PrivacyStep(set);
  const transcoder = new OtlpJsonTranscoder();
  const input = path === "-" ? process.stdin : createReadStream(path);
  let [line, spans] = [0, 0];
  try {
    for await (const text of linesOf(input)) {
      line++;
      if (text.every((byte) => byte <= blank)) {
        continue;
      }
      const { rows } = transcoder.transcode(text);
      if (rows.count > 0) {
        step.apply(rows);
        spans += rows.count;
      }
    }
  } catch (error) {
    const where = line === 0 ? "" : `:${line}`;
    throw new StartError(`check-privacy: ${path}${where}: ${(error as Error).message}`, { cause: error });
  }
  const table = rules.rules.map(
    ({ name, action, "dry-run": isDryRun }, index) =>
      `${String(set.hits[index]).padStart(12)}  ${name}  (${action}${isDryRun ? ", dry run" : ""})`,
  );
  return [`${spans} spans; values that each rule would change:`, ...table, ""].join("\n");
}

/** The lines of an input, without their line feeds. @throws WireError WIRE_TOO_LARGE for a line over the limit */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of input) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      yield Buffer.concat([...pieces, piece.subarray(start, end)]);
      pieces = [];
      length = 0;
      start = end + 1;
    }
    pieces.push(piece.subarray(start));
    length += piece.length - start;
    if (length > maxLineBytes) {
      throw new WireError("WIRE_TOO_LARGE", `a line has over ${maxLineBytes} bytes`);
    }
  }
  yield Buffer.concat(pieces);
}
