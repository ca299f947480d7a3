import { isArrayBySchema } from "server-core/engine/schema-at";
import { expect, test } from "vitest";
import { allModules } from "../all-modules.ts";
import { adminSchema } from "./admin-config.ts";

const registry = allModules();

test.each([
  ["origins", true],
  ["identity/identifiers", true],
  ["identity/issuers", true],
  ["remote/access_control", true],
  ["remote/access_control/0/public_keys", true],
  ["remote/access_control/0/permissions/0/paths", true],
  ["config/load/tls", false],
  ["listen", false],
  ["constructor", false],
])("absent, admin/%s is an array by its schema: %s", (path, expected) => {
  const segments = ["config", "admin", ...path.split("/")];
  expect(isArrayBySchema(registry, {}, segments, adminSchema)).toBe(expected);
});
