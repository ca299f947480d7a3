import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { builtOnce } from "ui-kit/testing/built-once.ts";
import { build } from "vite";

const root = path.resolve(import.meta.dirname, "..");

/**
 * Builds the app from these sources, as it is served, into a folder of its own.
 * @returns the folder, which is the caller's to remove
 */
export async function buildApp(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "tracing-ui-"));
  await buildInto(folder);
  return folder;
}

/** The same, once for all test files that have these sources. @returns the folder, which is nobody's to change */
export function builtApp(): Promise<string> {
  const own = ["src", "build", "public", "index.html", "package.json", "vite.config.ts"];
  const sources = [...own.map((name) => path.join(root, name)), path.resolve(root, "../ui-kit/src")];
  return builtOnce("tracing-ui-built", sources, buildInto);
}

async function buildInto(outDir: string): Promise<void> {
  const before = process.env.NODE_ENV;
  // A test runner's own would bring React's build for developers, which nobody is served.
  process.env.NODE_ENV = "production";
  try {
    await build({
      root,
      logLevel: "error",
      build: { outDir, emptyOutDir: true, reportCompressedSize: false },
    });
  } finally {
    if (before === undefined) {
      delete process.env.NODE_ENV;
    } else {
      process.env.NODE_ENV = before;
    }
  }
}
