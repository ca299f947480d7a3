import { expect, test } from "vitest";
import type { AgentBatch } from "wire/agent";
import { PostSpansRequest } from "wire/api-v2";
import { PostSpansBuilder, processTagFields } from "./post-spans-builder.ts";

/** A `Process` message of a service, and spans with only a name of 100 characters. */
function batchOf(service: string, names: readonly string[]): AgentBatch {
  const spans = names.map((name) =>
    Buffer.concat([Buffer.from([0x0a, 102, 0x1a, 100]), Buffer.from(name.padEnd(100, "."))]),
  );
  return {
    process: Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]),
    spans: Buffer.concat(spans),
    spanCount: names.length,
  };
}

test("keeps the order within each process, whatever comes between, and copies what it is given", () => {
  const builder = new PostSpansBuilder(processTagFields([["zone", "z"]]));
  const services = ["a", "b", "a", "a", "c", "b"];
  const expected = new Map<string, string[]>();
  for (let turn = 0; turn < 2_000; turn++) {
    const service = services[turn % services.length] ?? "";
    const names = [`${turn}`, `${turn} again`].map((name) => name.padEnd(100, "."));
    const batch = batchOf(service, names);
    builder.add(batch);
    batch.spans.fill(0);
    expected.set(service, [...(expected.get(service) ?? []), ...names]);
  }
  for (let round = 0; round < 2; round++) {
    const calls = builder.take();
    const got = calls.map(({ request, spanCount }) => {
      const { batch } = PostSpansRequest.decode(request.subarray(5));
      expect(spanCount).toBe(batch?.spans.length);
      expect(batch?.process?.tags.map(({ key, vStr }) => [key, vStr])).toEqual([["zone", "z"]]);
      return [batch?.process?.serviceName, batch?.spans.map(({ operationName }) => operationName)];
    });
    expect(got).toEqual(
      round === 0 ? [...expected] : [["a", [..."xy"].map((name) => name.padEnd(100, "."))]],
    );
    for (const { release } of calls) {
      release();
    }
    expect(builder.take()).toEqual([]);
    // The buffers of the first round are reused.
    builder.add(batchOf("a", ["x", "y"]));
  }
});
