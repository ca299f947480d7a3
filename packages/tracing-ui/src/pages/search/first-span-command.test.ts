import { expect, test } from "vitest";
import { firstSpanCommand } from "./first-span-command.ts";

test("the command holds OTLP JSON of one span, quoted for a shell", () => {
  const command = firstSpanCommand(
    "tracing.example",
    1_795_227_853_859,
    Uint8Array.from({ length: 24 }, (_, i) => i),
  );
  expect(command).toContain("curl http://tracing.example:4318/v1/traces");
  const body = JSON.parse(/'(\{.*\})'/.exec(command)?.[1] ?? "");
  expect(body.resourceSpans[0].scopeSpans[0].spans[0]).toMatchObject({
    traceId: "000102030405060708090a0b0c0d0e0f",
    spanId: "1011121314151617",
    startTimeUnixNano: "1795227853739000000",
    endTimeUnixNano: "1795227853859000000",
  });
});
