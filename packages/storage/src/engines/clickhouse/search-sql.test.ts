import { describe, expect, test } from "vitest";
import { newToken, rowsOf } from "../../contract/contract-context.ts";
import { sampleSpan } from "../../contract/sample-spans.ts";
import { shareTestStore } from "../../testing/shared-test-store.ts";
import { parameterText } from "./parameter-text.ts";
import { searchSql } from "./search-sql.ts";

const shared = shareTestStore();
const { database } = shared;

const odd = "it's {tenant:String} \\xFF \0\t\r\n;-- žluťoučký";
const long = "long ".repeat(300);

/** Spans that have the tag, each in another place, and a span with key and value in different tags. */
function spansWith(key: string, value: string, service: string) {
  const text = (of: string) => ({ type: "string", value: of }) as const;
  const attributes = [{ key, value: text(value) }];
  const none = { attributes: [], events: [] };
  const event = { timeUnixNano: 1n, name: "event", droppedAttributesCount: 0 };
  const apart = {
    ...event,
    attributes: [
      { key, value: text("other") },
      { key: "other", value: text(value) },
    ],
  };
  return {
    having: [
      sampleSpan({ ...none, service, attributes }),
      sampleSpan({ ...none, service, resource: { attributes, droppedAttributesCount: 0 } }),
      sampleSpan({ ...none, service, events: [event].map((one) => ({ ...one, attributes })) }),
    ],
    not: sampleSpan({ ...none, service, attributes: apart.attributes, events: [apart] }),
  };
}

describe("searchSql", () => {
  test.each([
    { name: "usual", key: "code", value: "503" },
    { name: "odd", key: odd, value: odd },
    { name: "long", key: odd, value: long },
  ])("finds a tag of $name texts wherever it is, with indexes and without", async ({ name, key, value }) => {
    const { having, not } = spansWith(key, value, name);
    await shared.store.writer.writeSpans(rowsOf(...having, not), { deduplicationToken: newToken() });
    // The first merge builds the indexes.
    await shared.sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    const expected = having.map(({ traceId }) => traceId).sort();
    for (const form of [{}, { apart: true }, { isSmall: true }]) {
      const query = { service: name, tags: new Map([[key, value]]), limit: 9 };
      const { sql, parameters } = searchSql(query, database, "", form);
      // Only a long tag becomes a parameter.
      expect(Object.keys(parameters).filter((parameter) => parameter.startsWith("tag"))).toHaveLength(
        name === "long" ? 2 : 0,
      );
      const texts = Object.entries(parameters).map(([parameter, text]) => [parameter, parameterText(text)]);
      const answer = await shared.sql(`${sql} FORMAT TSV`, Object.fromEntries(texts));
      expect(answer.split("\n").sort()).toEqual(expected);
    }
  });

  test("leaves out granules that do not have a tag", async () => {
    await shared.store.writer.writeSpans(rowsOf(sampleSpan()), { deduplicationToken: newToken() });
    await shared.sql(`OPTIMIZE TABLE ${database}.spans FINAL`);
    const { sql, parameters } = searchSql({ tags: new Map([["no such", "5"]]), limit: 5 }, database, "");
    const plan = await shared.sql(`EXPLAIN indexes = 1 ${sql}`, parameters as Record<string, string>);
    expect(plan).toMatch(/Granules: 0\/\d/);
  });
});
