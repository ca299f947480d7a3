import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
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

const nameIn = (scope: string | undefined, name: string) => (scope === undefined ? name : `${scope}/${name}`);

export interface NpmPackageOptions {
  /** The package, built, with a slash at its end. */
  readonly packageFolder: URL;
  /** The program's name, `dist/<name>.cjs`, and the name of the command. */
  readonly name: string;
  readonly program: Program;
  /** Files that are copied to the program's folder: the licence. */
  readonly notices?: readonly string[];
  /** Address of the sources, which a registry needs to verify the origin of the package. */
  readonly repository?: string | undefined;
  /** "@owner"; needed when other owners have the name without a scope. */
  readonly scope?: string | undefined;
  /** Absolute path of the output folder; existing content is replaced. */
  readonly output: string;
}

/**
 * Makes the folder of an npm package of a built program: its files, and its native packages as the only
 * dependencies. `npm pack` and `npm publish` work in that folder.
 */
export function makeNpmPackage(options: NpmPackageOptions): void {
  const { packageFolder, name, program, notices = [], repository, scope, output } = options;
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  const { dependencies, ...manifest } = manifestSchema.parse(JSON.parse(text));
  rmSync(output, { recursive: true, force: true });
  for (const [file, path] of programFiles(fileURLToPath(new URL("dist", packageFolder)))) {
    mkdirSync(join(output, file, ".."), { recursive: true });
    cpSync(path, join(output, file));
  }
  for (const notice of notices) {
    cpSync(notice, join(output, basename(notice)));
  }
  writeFileSync(
    join(output, "README.md"),
    `# ${manifest.name}\n\n${manifest.description}\n\n\`npx ${nameIn(scope, manifest.name)} --help\` says how it is called.\n`,
  );
  writeFileSync(
    join(output, "package.json"),
    `${JSON.stringify(
      {
        ...manifest,
        name: nameIn(scope, manifest.name),
        ...(repository === undefined ? {} : { repository: { type: "git", url: `git+${repository}.git` } }),
        bin: { [name]: `${name}.cjs` },
        engines: { node: `>=${oldestNodeMajor}` },
        dependencies: Object.fromEntries(program.nativePackages.map((each) => [each, dependencies[each]])),
      },
      undefined,
      2,
    )}\n`,
  );
}
