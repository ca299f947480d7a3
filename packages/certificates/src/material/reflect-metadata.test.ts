import { createRequire } from "node:module";
import { expect, test } from "vitest";
import "./reflect-metadata.ts";
import { X509CertificateGenerator } from "@peculiar/x509";

interface MetadataReflection {
  defineMetadata(key: unknown, value: unknown, target: object): void;
  getOwnMetadata(key: unknown, target: object): unknown;
  getMetadata(key: unknown, target: object): unknown;
  getOwnMetadataKeys(target: object): unknown[];
  deleteMetadata(key: unknown, target: object): boolean;
}

test("metadata is of its target, and of what inherits from it", () => {
  const { defineMetadata, getOwnMetadata, getMetadata } = Reflect as unknown as MetadataReflection;
  class Base {}
  class Derived extends Base {}
  defineMetadata("key", 1, Base);
  expect(getOwnMetadata("key", Base)).toBe(1);
  expect(getOwnMetadata("key", Derived)).toBeUndefined();
  expect(getMetadata("key", Derived)).toBe(1);
  defineMetadata("key", undefined, Derived);
  expect(getMetadata("key", Derived)).toBeUndefined();
  expect(getMetadata("other", Derived)).toBeUndefined();
});

test("the library finds its algorithms", async () => {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const certificate = await X509CertificateGenerator.createSelfSigned({ name: "CN=test", keys });
  expect(await certificate.verify({ publicKey: keys.publicKey })).toBe(true);
});

test("a whole polyfill that is loaded later, with a library of its own, sees the same metadata", async () => {
  const ours = Reflect as unknown as MetadataReflection;
  const target = {};
  ours.defineMetadata("key", 1, target);
  const require = createRequire(createRequire(import.meta.url).resolve("acme-client"));
  const polyfill = createRequire(require.resolve("@peculiar/x509")).resolve("reflect-metadata");
  await import(polyfill);
  const theirs = Reflect as unknown as MetadataReflection;
  expect([theirs.getMetadata("key", target), theirs.getOwnMetadataKeys(target)]).toEqual([1, ["key"]]);
  expect([theirs.deleteMetadata("key", target), theirs.getMetadata("key", target)]).toEqual([
    true,
    undefined,
  ]);
});
