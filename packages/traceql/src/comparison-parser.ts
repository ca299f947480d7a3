import { readFilter } from "./stage-parser.ts";
import type { MetricsComparison, Pipeline } from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";

/** Default number of values shown for each attribute by `compare()`, the same as in Tempo. */
const defaultLimit = 10;
/** Maximum number of values for each attribute in a query, because an engine has this number of values in memory. */
const maxLimit = 1_000n;

/**
 * Parses `compare({ … }, 10, start, end)` after a pipeline.
 *
 * - `compare({ status = error })`: for each attribute the 10 most frequent values, both in failed spans and in other
 *   spans
 * - `compare({ status = error }, 5)`: the 5 most frequent values
 * - `compare({ status = error }, 5, 1700000000000000000, 1700000060000000000)`: only spans that start in this minute
 *   belong to the selection
 *
 * The times are nanoseconds since the Unix epoch. A start without an end is an error.
 * @param pipeline the stages before `compare`; @param offset offset of the first stage
 * @throws TraceQlError
 */
export function readComparison(tokens: TokenReader, pipeline: Pipeline, offset: number): MetricsComparison {
  tokens.take();
  tokens.expect("(");
  const selection = readFilter(tokens);
  let limit = defaultLimit;
  let within: MetricsComparison["within"];
  if (tokens.accept(",")) {
    limit = Number(readInt(tokens, 1n, maxLimit, "the number of values of compare()"));
    if (tokens.accept(",")) {
      const startUnixNano = readInt(tokens, 1n, 2n ** 63n - 2n, "the start of compare(), in nanoseconds,");
      tokens.expect(",");
      const endUnixNano = readInt(
        tokens,
        startUnixNano + 1n,
        2n ** 63n - 1n,
        "the end of compare(), in nanoseconds,",
      );
      within = { startUnixNano, endUnixNano };
    }
  }
  tokens.expect(")");
  const node = { type: "metrics-comparison", pipeline, selection, limit } as const;
  return tokens.placed(within === undefined ? node : { ...node, within }, offset);
}

/**
 * Takes a whole number. @param what name of the number, for the error @throws TraceQlError for a number outside `least`
 * to `most`
 */
function readInt(tokens: TokenReader, least: bigint, most: bigint, what: string): bigint {
  const token = tokens.next;
  if (token.kind !== "int") {
    throw tokens.unexpected("a whole number");
  }
  tokens.take();
  if (token.value < least || token.value > most) {
    throw tokens.errorAt(
      tokens.placed({}, token.offset),
      `${what} is not from ${least} to ${most}: ${token.text}`,
    );
  }
  return token.value;
}
