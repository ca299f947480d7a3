import { expect, test } from "vitest";
import { AcmeAuthority, directoryOf, testDirectoryOf } from "./acme-authority.ts";
import type { AcmeConfig } from "./acme-schema.ts";

const production = "https://acme-v02.api.letsencrypt.org/directory";
const staging = "https://acme-staging-v02.api.letsencrypt.org/directory";
const own = "https://ca.example.test/directory";
const other = "https://test.example.test/directory";

test.each<[string, Pick<AcmeConfig, "ca" | "test_ca">, string, string | undefined]>([
  ["Let's Encrypt has its staging", {}, production, staging],
  ["so it has by name", { ca: production }, production, staging],
  ["another one may stand in for it", { test_ca: other }, production, other],
  ["other authorities have none", { ca: own }, own, undefined],
  ["unless told", { ca: own, test_ca: other }, own, other],
  ["and not themselves", { ca: own, test_ca: own }, own, undefined],
  ["staging has none", { ca: staging }, staging, undefined],
])("the directory to try attempts out: %s", (_, config, directory, test) => {
  expect([directoryOf(config), testDirectoryOf(config)]).toEqual([directory, test]);
});

test("each directory has a folder of its own in the storage", () => {
  const storage = {} as ConstructorParameters<typeof AcmeAuthority>[2];
  expect(new AcmeAuthority("https://CA.example.test:14000/acme/Local/", {}, storage).key).toBe(
    "ca.example.test:14000-acme-local",
  );
});
