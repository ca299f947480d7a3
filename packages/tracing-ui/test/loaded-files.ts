import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { BrowserContext } from "playwright-core";

/** Bytes of scripts and styles, after gzip. */
export interface LoadedBytes {
  loaded: number;
  all: number;
}

/**
 * Watches which scripts and styles of the built app a browser asks for, from now on; workers' too.
 * @param folder of the built app
 * @returns a function that says how much it has been so far, and how much all of the app is
 */
export function watchLoadedFiles(context: BrowserContext, folder: string): () => LoadedBytes {
  const asked = new Set<string>();
  context.on("request", (request) => asked.add(path.posix.basename(new URL(request.url()).pathname)));
  return () => {
    const files = readdirSync(path.join(folder, "static")).filter((name) => /\.(js|css)$/.test(name));
    const bytes = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(folder, "static", name))).length, 0);
    return { loaded: bytes(files.filter((name) => asked.has(name))), all: bytes(files) };
  };
}
