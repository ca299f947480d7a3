import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";

/**
 * Builds the app from these sources, as it is served, into a folder of its own or the one given.
 * @returns the folder, which is the caller's to remove
 */
export async function buildApp(folder?: string): Promise<string> {
  const outDir = folder ?? (await mkdtemp(path.join(tmpdir(), "tracing-ui-")));
  const before = process.env.NODE_ENV;
  // A test runner's own would bring React's build for developers, which nobody is served.
  process.env.NODE_ENV = "production";
  try {
    await build({
      root: path.resolve(import.meta.dirname, ".."),
      logLevel: "error",
      build: { outDir, emptyOutDir: true, reportCompressedSize: false },
    });
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
  return outDir;
}
