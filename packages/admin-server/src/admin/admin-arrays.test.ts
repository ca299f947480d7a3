import { expect, test } from "vitest";
import { isArrayBySchema } from "../core/engine/schema-at.ts";
import { ModuleRegistry } from "../core/modules/module-registry.ts";
import { standardModules } from "../modules/standard.ts";
import { adminSchema } from "./admin-config.ts";

const registry = new ModuleRegistry(standardModules);

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
