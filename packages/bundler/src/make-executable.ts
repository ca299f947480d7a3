import { spawnSync } from "node:child_process";
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forgetDisplacedSections } from "./displaced-sections.ts";
import type { Program } from "./program.ts";
import { programFiles } from "./program-files.ts";

/**
 * Maximum number of bytes of native packages inside the executable. Larger packages, such as the engine of
 * tracing-storage, are copied to the executable's folder.
 */
const maxNativeBytes = 20 * 1024 * 1024;

/** The files of a native package and of its platform part, by path below the program. */
function nativeFiles(name: string, packageFolder: string): [string, string][] {
  const folder = realpathSync(join(packageFolder, "node_modules", name));
  const manifest = createRequire(import.meta.url)(join(folder, "package.json")) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  // Dependencies of a package are siblings; packages for other platforms are not installed.
  const modules = join(folder, ...name.split("/").map(() => ".."));
  const names = [name, ...Object.keys(manifest.optionalDependencies ?? {})];
  return names
    .filter((each) => existsSync(join(modules, each)))
    .flatMap((each) =>
      [...programFiles(realpathSync(join(modules, each)))].map(([file, path]): [string, string] => [
        `node_modules/${each}/${file}`,
        path,
      ]),
    );
}

const isLarge = (files: readonly [string, string][]) =>
  files.reduce((sum, [, path]) => sum + statSync(path).size, 0) > maxNativeBytes;

export interface ExecutableOptions {
  /** The package, built, with a slash at its end. */
  readonly packageFolder: URL;
  /** The program's name: `dist/<name>.cjs`. */
  readonly name: string;
  readonly program: Program;
  /** Absolute path of the file to write. */
  readonly output: string;
}

/**
 * Makes one executable file for this platform from a built program, Node and its native packages. A native
 * package that is too large to be read at each start is copied to `node_modules` in the file's folder. The program
 * finds the package with `createRequire(process.execPath)`.
 * @throws Error when Node cannot make the executable
 * Source: Node's documentation, "Single executable applications"
 */
export function makeExecutable({ packageFolder, name, program, output }: ExecutableOptions): void {
  const folder = fileURLToPath(packageFolder);
  const files = programFiles(join(folder, "dist"));
  const packages = program.nativePackages.map((each) => nativeFiles(each, folder));
  const within = packages.filter((each) => !isLarge(each)).flat();
  for (const [name, path] of packages.filter(isLarge).flat()) {
    const beside = join(dirname(output), name);
    mkdirSync(dirname(beside), { recursive: true });
    copyFileSync(path, beside, constants.COPYFILE_FICLONE);
  }
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
        // The executable's files use Node's virtual file system, which is experimental. Users of the program need no
        // warning about this.
        execArgv: [...program.nodeOptions, "--experimental-vfs", "--disable-warning=ExperimentalWarning"],
        assets: Object.fromEntries([...files, ...within]),
      }),
    );
    const made = spawnSync(process.execPath, ["--build-sea", config], { encoding: "utf8" });
    if (made.status !== 0) {
      throw new Error(`node --build-sea: ${made.stderr || made.error?.message}`);
    }
    forgetDisplacedSections(output);
  } finally {
    rmSync(work, { recursive: true });
  }
}
