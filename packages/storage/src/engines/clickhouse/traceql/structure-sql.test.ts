import fc from "fast-check";
import { parseTraceQl, type SpansetOperator } from "traceql";
import { beforeAll, describe, expect, test } from "vitest";
import { newToken, rowsOf } from "../../../contract/contract-context.ts";
import { msNano, newTraceId, noonUnixNano, sampleSpan } from "../../../contract/sample-spans.ts";
import { shareTestStore } from "../../../testing/shared-test-store.ts";
import { allSpans, pipelineEvaluator } from "../../../traceql/pipeline-evaluator.ts";
import { QueryFields } from "../../../traceql/query-fields.ts";
import { TraceView } from "../../../traceql/trace-view.ts";
import type { SpanSql } from "./span-relations.ts";
import { pipelineSql } from "./spanset-sql.ts";
import { structureSql } from "./structure-sql.ts";

const shared = shareTestStore();
const { database } = shared;

const spansetOperators: readonly SpansetOperator[] = [
  ...(["&&", "||", ">", ">>", "<", "<<", "~", "!>", "!>>", "!<", "!<<", "!~"] as const),
  ...(["&>", "&>>", "&<", "&<<", "&~"] as const),
];

/** Trees of spans with the names a, b and c. Some have two spans with one id, or a cycle of parents. */
const trees = fc.sample(
  fc.array(fc.record({ id: fc.nat(60), parent: fc.nat(9), name: fc.constantFrom("a", "b", "c") }), {
    minLength: 1,
    maxLength: 8,
  }),
  { numRuns: 150, seed: 5 },
);

const idOf = (tree: (typeof trees)[number], index: number) =>
  (tree[index]?.id ?? 99).toString(16).padStart(16, "a");

/** The same traces as spans, and in the form that TraceQL evaluates. */
const traces = trees.map((tree) => {
  const traceId = newTraceId();
  const spans = tree.map(({ parent, name }, index) =>
    sampleSpan({
      ...{ traceId, name, spanId: idOf(tree, index), parentSpanId: parent === 9 ? "" : idOf(tree, parent) },
      startTimeUnixNano: noonUnixNano + BigInt(index) * msNano,
    }),
  );
  const facts = spans.map(
    ({ spanId, parentSpanId, name, kind, status, startTimeUnixNano, durationNano }) => ({
      ...{ spanId, parentSpanId, name, kind, durationNano },
      ...{ service: "s", status: status.code, startUnixNano: startTimeUnixNano, isInRange: true, values: [] },
    }),
  );
  return { spans, view: new TraceView(traceId, facts) };
});

beforeAll(async () => {
  const rows = rowsOf(...traces.flatMap(({ spans }) => spans));
  await shared.store.writer.writeSpans(rows, { deduplicationToken: newToken() });
});

const spans: SpanSql = {
  inRange: `FROM ${database}.spans WHERE 1`,
  around: `FROM ${database}.spans WHERE 1`,
  isInRange: "1",
};

function pipelineOf(text: string) {
  const query = parseTraceQl(text);
  if (query.type !== "search") {
    throw new Error(`${text} is no search`);
  }
  return query.pipeline;
}

async function letThrough(text: string): Promise<string[]> {
  const { sql } = structureSql(pipelineOf(text), spans);
  const found = await shared.sql(
    `SELECT DISTINCT lower(hex(trace_id)) FROM ${database}.spans WHERE ${sql} ORDER BY 1`,
  );
  return found.split("\n").filter((id) => id !== "");
}

/** The traces in which the evaluator shared by all engines finds spans. */
function matching(text: string): string[] {
  const evaluate = pipelineEvaluator(pipelineOf(text), new QueryFields(parseTraceQl(text)));
  return traces.filter(({ view }) => evaluate(allSpans(view)).length > 0).map(({ view }) => view.traceId);
}

const selection = fc.constantFrom("{ }", "{ name = `a` }", "{ name = `b` }", "{ name != `c` }");

/** Nested operations, and pipelines of operations. */
const structures = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4, depthIdentifier: "structure" },
    selection,
    fc
      .tuple(tie("text"), fc.constantFrom(...spansetOperators), tie("text"))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(
        tie("text"),
        fc.constantFrom("count() > 1", "count() >= 2", "by(name)", "coalesce()", "{ name = `b` }"),
      )
      .map(([text, stage]) => `(${text} | ${stage})`),
  ),
})).text;

describe("structureSql", () => {
  test("lets every trace through that matches", async () => {
    await fc.assert(
      fc.asyncProperty(structures, async (text) => {
        const found = new Set(await letThrough(text));
        const missed = matching(text).filter((id) => !found.has(id));
        expect([text, missed]).toEqual([text, []]);
      }),
      { numRuns: Number(process.env.FUZZ_ROUNDS ?? 40) },
    );
  });

  test.each([
    "{ name = `a` } >> { name = `b` } >> { name = `c` }",
    "({ name = `a` } > { name = `b` }) && { name = `c` }",
    "{ name = `a` } < { name = `b` } < { name = `c` }",
    "({ name = `a` } !>> { name = `b` }) > { name = `c` }",
    "({ name = `a` } !< { name = `b` }) && ({ name = `a` } !> { name = `c` })",
    "({ name = `a` } &> { name = `b` }) &> { name = `c` }",
    "({ name = `a` } >> { name = `b` }) | count() > 1",
  ])("lets no other through of %s, but where spans share an id", async (text) => {
    const shared = trees.filter((tree) => new Set(tree.map(({ id }) => id)).size < tree.length).length;
    const own = matching(text);
    expect(own.length).toBeGreaterThan(0);
    const more = (await letThrough(text)).length - own.length;
    expect(more).toBeLessThanOrEqual(shared);
    expect(matching("{ }").length).toBeGreaterThan(own.length + shared);
  });
});

describe("pipelineSql of operations within one another", () => {
  const where: SpanSql = { ...spans, isInSlice: "(s)", isInMinutesOf: (traces) => `m IN (${traces})` };
  const leaf = "{ name = `abc` || kind = server }";

  test.each(spansetOperators)("grows with the text by %s", (operator) => {
    for (const nested of [
      (count: number) => Array<string>(count).fill(leaf).join(` ${operator} `),
      (count: number) => `${`${leaf} ${operator} (`.repeat(count - 1)}${leaf}${")".repeat(count - 1)}`,
      (count: number) => Array<string>(count).fill(`${leaf} ${operator} ${leaf}`).join(" | "),
    ]) {
      for (const count of [2, 3, 4, 8, 12]) {
        const { sql } = pipelineSql(pipelineOf(nested(count)), where);
        expect(sql.length).toBeLessThan(8_000 + 400 * count);
        expect(sql.split("SELECT").length).toBeLessThan(30);
      }
    }
  });

  test("refuses more than the limits, and says so", () => {
    const many = (count: number, of: (index: number) => string, operator: string) =>
      pipelineOf(Array.from({ length: count }, (_, index) => of(index)).join(` ${operator} `));
    expect(() =>
      pipelineSql(
        many(60, (index) => `{ name = \`${index}\` }`, "&<"),
        where,
      ),
    ).toThrow(/ steps, over the limit of 200/);
    expect(() =>
      pipelineSql(
        many(50, (index) => `{ .a = ${index} && .b = 1 && .c = 2 }`, "<"),
        where,
      ),
    ).toThrow(/a condition of \d+ characters, over the limit of 100000/);
  });
});
