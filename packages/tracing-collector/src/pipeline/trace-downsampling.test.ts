import { describe, expect, test } from "vitest";
import { rowsOf, spanOf, spansOf } from "../../test/span-rows-fixture.ts";
import { hashThreshold, TraceDownsampling } from "./trace-downsampling.ts";
import { TraceIdHash } from "./trace-id-hash.ts";

// Expected numbers come from Go's hash/fnv and math/big, called as in downsampling_writer.go of Jaeger 1.62.

describe("hashThreshold", () => {
  test.each([
    [0, 0n],
    [0.1, 1844674407370955263n],
    [0.3, 5534023222112865279n],
    [0.5, 9223372036854775807n],
    [0.9999, 18444899399302180863n],
    [1e-5, 184467440737095n],
    [0.123456789, 2277375790844960511n],
    [1, 18446744073709551615n],
  ])("of %d is %d", (ratio, threshold) => expect(hashThreshold(ratio)).toBe(threshold));
});

const hashes: [salt: string, traceId: string, hash: bigint][] = [
  ["downsampling-default-salt", "9e3779b97f4a7c15c2b2ae3d27d4eb4f", 13919210218884569248n],
  ["downsampling-default-salt", "3c6ef372fe94f82a85655c7a4fa9d69e", 14291218126207887776n],
  ["downsampling-default-salt", "daa66d2c7ddf743f48180ab7777ec1ed", 3890414002650501035n],
  ["downsampling-default-salt", "78dde6e5fd29f0540acab8f49f53ad3c", 12767147146763099340n],
  ["s", "9e3779b97f4a7c15c2b2ae3d27d4eb4f", 886548152676408889n],
  ["s", "3c6ef372fe94f82a85655c7a4fa9d69e", 13401017851880794289n],
  ["größe", "9e3779b97f4a7c15c2b2ae3d27d4eb4f", 14445200003658113457n],
  ["größe", "daa66d2c7ddf743f48180ab7777ec1ed", 8438272342246034962n],
];

describe("TraceIdHash", () => {
  test.each(hashes)("with salt %s of %s", (salt, traceId, expected) => {
    const hash = new TraceIdHash(salt);
    hash.update(Buffer.from(`00${traceId}`, "hex"), 1);
    expect((BigInt(hash.high) << 32n) | BigInt(hash.low)).toBe(expected);
  });
});

describe("TraceDownsampling", () => {
  const traceIds = hashes.slice(0, 4).map(([, traceId]) => traceId);

  test.each([
    [0.1, []],
    // The hashes 3890414002650501035, 12767147146763099340 and 13919210218884569248 are 0.2109, 0.6921 and 0.7546 of
    // the range.
    [0.3, ["daa66d2c7ddf743f48180ab7777ec1ed"]],
    [0.7, ["daa66d2c7ddf743f48180ab7777ec1ed", "78dde6e5fd29f0540acab8f49f53ad3c"]],
    [1, traceIds],
  ])("with ratio %d keeps the traces that the public model keeps", (ratio, kept) => {
    let counted: number[] = [];
    const step = new TraceDownsampling(
      { ratio, salt: "" },
      { downsampled: (...counts) => (counted = counts) },
    );
    const spans = traceIds.flatMap((traceId) => [
      spanOf({ traceId, name: "a" }),
      spanOf({ traceId, name: "b" }),
    ]);
    const rows = step.apply(rowsOf(spans));
    expect(spansOf(rows)).toEqual(spans.filter(({ traceId }) => kept.includes(traceId)));
    expect(counted).toEqual([2 * kept.length, 8 - 2 * kept.length]);
  });

  test("decides by another salt where one is given", () => {
    const step = new TraceDownsampling({ ratio: 0.1, salt: "s" }, { downsampled() {} });
    const [traceId] = traceIds;
    expect(step.apply(rowsOf([spanOf({ traceId: traceId as string })])).count).toBe(1);
  });

  test("states the ratio in the tracestate of what it keeps, times what the sender states", () => {
    const traceId = "daa66d2c7ddf743f48180ab7777ec1ed";
    const settings = { ratio: 0.25, salt: "", statesProbability: true };
    const spans = [
      spanOf({ traceId, name: "plain" }),
      spanOf({ traceId, name: "stated", traceState: "a=b,ot=rv:0123456789abcd;th:8" }),
      spanOf({
        traceId,
        name: "tags",
        attributes: { "sampler.type": "probabilistic", "sampler.param": "0.5" },
      }),
      spanOf({ traceId: "9e3779b97f4a7c15c2b2ae3d27d4eb4f", name: "dropped" }),
    ];
    const kept = spansOf(new TraceDownsampling(settings, { downsampled() {} }).apply(rowsOf(spans)));
    expect(kept.map(({ name, traceState }) => [name, traceState])).toEqual([
      ["plain", "ot=th:c"],
      ["stated", "ot=th:e;rv:0123456789abcd,a=b"],
      ["tags", "ot=th:e"],
    ]);
    expect(kept.map((span) => ({ ...span, traceState: "" }))).toEqual(
      spans.slice(0, 3).map((span) => ({ ...span, traceState: "" })),
    );
  });
});
