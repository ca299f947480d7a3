import { readFilter } from "./stage-parser.ts";
import type { MetricsComparison, Pipeline } from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";

const defaultLimit = 10;
const maxLimit = 1_000n;

/**
 * Parses `compare({ … }, 10, start, end)` after a pipeline. All arguments but the first are optional; the
 * times come together.
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
