import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { oldestNodeMajor, type Program } from "./program.ts";
import { programFiles } from "./program-files.ts";

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

/** What becomes an npm package. */
export interface NpmPackageOptions {
  /** The package, built, with a slash at its end. */
  readonly packageFolder: URL;
  /** Of the program: `dist/<name>.cjs`; also the name of the command. */
  readonly name: string;
  readonly program: Program;
  /** Absolute path of the folder to write; what is there is replaced. */
  readonly output: string;
}

/**
 * Makes the folder of an npm package of a built program: the files of the program, and as dependencies nothing but its
 * native packages. `npm pack` or `npm publish` there does the rest.
 */
export function makeNpmPackage({ packageFolder, name, program, output }: NpmPackageOptions): void {
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  const { dependencies, ...manifest } = manifestSchema.parse(JSON.parse(text));
  rmSync(output, { recursive: true, force: true });
  for (const [file, path] of programFiles(fileURLToPath(new URL("dist", packageFolder)))) {
    mkdirSync(join(output, file, ".."), { recursive: true });
    cpSync(path, join(output, file));
  }
  writeFileSync(
    join(output, "package.json"),
    `${JSON.stringify(
      {
        ...manifest,
        bin: { [name]: `${name}.cjs` },
        engines: { node: `>=${oldestNodeMajor}` },
        dependencies: Object.fromEntries(program.nativePackages.map((each) => [each, dependencies[each]])),
      },
      undefined,
      2,
    )}\n`,
  );
}
