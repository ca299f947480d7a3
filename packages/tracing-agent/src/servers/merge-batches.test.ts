import { describe, expect, it } from "vitest";
import { type ApiV2Span, type Batch, type KeyValue, stringTag } from "wire/api-v2";
import { mergeBatches } from "./merge-batches.ts";

const span = (operationName: string) => ({ operationName }) as ApiV2Span;
const batch = (serviceName: string, tags: KeyValue[], ...names: string[]): Batch => ({
  spans: names.map(span),
  process: { serviceName, tags },
});
const short = (batches: Batch[]) =>
  batches.map(({ process, spans }) => [
    process?.serviceName,
    process?.tags.map(({ key, vStr }) => `${key}=${vStr}`).join(),
    spans.map(({ operationName }) => operationName).join(),
  ]);

describe("mergeBatches", () => {
  it("brings together what comes from one process, in order", () => {
    const merged = mergeBatches(
      [
        batch("a", [stringTag("ip", "1")], "a1", "a2"),
        batch("b", [stringTag("ip", "1")], "b1"),
        batch("a", [stringTag("ip", "1")], "a3"),
        batch("a", [stringTag("ip", "2")], "c1"),
        batch("a", [], "d1"),
      ],
      [],
    );
    expect(short(merged)).toEqual([
      ["a", "ip=1", "a1,a2,a3"],
      ["b", "ip=1", "b1"],
      ["a", "ip=2", "c1"],
      ["a", "", "d1"],
    ]);
  });

  it("adds the agent's tags once to each process", () => {
    const merged = mergeBatches(
      [
        batch("a", [stringTag("ip", "1")], "a1"),
        batch("a", [stringTag("ip", "1")], "a2"),
        batch("b", [], "b1"),
      ],
      [stringTag("zone", "z")],
    );
    expect(short(merged)).toEqual([
      ["a", "ip=1,zone=z", "a1,a2"],
      ["b", "zone=z", "b1"],
    ]);
  });

  it("keeps spans that name no process", () => {
    expect(mergeBatches([{ spans: [span("x")], process: undefined }], [stringTag("zone", "z")])).toEqual([
      { spans: [span("x")], process: undefined },
    ]);
  });
});
