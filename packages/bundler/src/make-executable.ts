import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "./program.ts";
import { programFiles } from "./program-files.ts";

/** A native package larger than this stays outside: the engine of tracing-storage has half a gigabyte. */
const maxNativeBytes = 20 * 1024 * 1024;

/** The executable would lack something that the program needs. */
export class NoExecutableError extends Error {
  override readonly name = "NoExecutableError";
}

/** The files of a native package and of the one for this platform, by their paths below the program. */
function nativeFiles(name: string, packageFolder: string): [string, string][] {
  const folder = realpathSync(join(packageFolder, "node_modules", name));
  const manifest = createRequire(import.meta.url)(join(folder, "package.json")) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  // What it depends on lies beside it; what is for other platforms was not installed.
  const modules = join(folder, ...name.split("/").map(() => ".."));
  const names = [name, ...Object.keys(manifest.optionalDependencies ?? {})];
  const files = names
    .filter((each) => existsSync(join(modules, each)))
    .flatMap((each) =>
      [...programFiles(realpathSync(join(modules, each)))].map(([file, path]): [string, string] => [
        `node_modules/${each}/${file}`,
        path,
      ]),
    );
  if (files.reduce((sum, [, path]) => sum + statSync(path).size, 0) > maxNativeBytes) {
    throw new NoExecutableError(`${name} is too large to be part of an executable`);
  }
  return files;
}

/** What becomes one executable file. */
export interface ExecutableOptions {
  /** The package, built, with a slash at its end. */
  readonly packageFolder: URL;
  /** Of the program: `dist/<name>.cjs`. */
  readonly name: string;
  readonly program: Program;
  /** Absolute path of the file to write. */
  readonly output: string;
}

/**
 * Makes one executable file of a built program, Node and native packages included, for the platform that this runs on.
 * @throws NoExecutableError when a native package is too large; Error when Node cannot make it
 * Source: Node's documentation, "Single executable applications"
 */
export function makeExecutable({ packageFolder, name, program, output }: ExecutableOptions): void {
  const folder = fileURLToPath(packageFolder);
  const files = programFiles(join(folder, "dist"));
  const natives = program.nativePackages.flatMap((each) => nativeFiles(each, folder));
  const work = mkdtempSync(join(tmpdir(), "executable-"));
  try {
    const config = join(work, "config.json");
    writeFileSync(
      config,
      JSON.stringify({
        main: files.get(`${name}.cjs`),
        output,
        disableExperimentalSEAWarning: true,
        useVfs: true,
        // The files within are a file system of Node's, which is experimental too: no news for who runs the program.
        execArgv: [...program.nodeOptions, "--experimental-vfs", "--disable-warning=ExperimentalWarning"],
        assets: Object.fromEntries([...files, ...natives]),
      }),
    );
    const made = spawnSync(process.execPath, ["--build-sea", config], { encoding: "utf8" });
    if (made.status !== 0) {
      throw new Error(`node --build-sea: ${made.stderr || made.error?.message}`);
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}
