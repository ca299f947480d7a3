import { expect, test } from "vitest";
import "./reflect-metadata.ts";
import { X509CertificateGenerator } from "@peculiar/x509";

interface MetadataReflection {
  defineMetadata(key: unknown, value: unknown, target: object): void;
  getOwnMetadata(key: unknown, target: object): unknown;
  getMetadata(key: unknown, target: object): unknown;
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
