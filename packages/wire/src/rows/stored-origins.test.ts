import { expect, test } from "vitest";
import { StoredOrigins } from "./packed-spans.ts";

function origin(serviceName: string) {
  const [attributes, droppedAttributesCount, schemaUrl] = [[], 0, ""];
  const resource = { serviceName, attributes, droppedAttributesCount, schemaUrl };
  const scope = { name: "", version: "", attributes, droppedAttributesCount, schemaUrl };
  return { format: "otlp", resource, scope } as const;
}

test("has the same object for the same bytes, and reads them once", () => {
  const origins = new StoredOrigins();
  let reads = 0;
  const of = (prefix: string) =>
    origins.of(prefix, () => {
      reads++;
      return origin(prefix);
    });
  const first = of("shop");
  expect(of("shop")).toBe(first);
  expect(of("till").resource.serviceName).toBe("till");
  expect(of("shop")).toBe(first);
  expect(reads).toBe(2);
});

test("knows no more than it may hold", () => {
  const origins = new StoredOrigins();
  const of = (prefix: string) => origins.of(prefix, () => origin(prefix.slice(0, 4)));
  const first = of("shop");
  of("x".repeat(1_500_000));
  expect(of("shop")).toBe(first);
  of("y".repeat(1_500_000));
  expect(of("shop")).not.toBe(first);
  expect(of("shop")).toBe(of("shop"));
});
