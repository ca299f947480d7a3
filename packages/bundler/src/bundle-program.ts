import { readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { lazyEntries, lazyModules, requireBeside } from "./lazy-modules.ts";
import { leftOutFiles } from "./left-out-files.ts";
import { type PackedStart, packLoader, packStart, startEntry } from "./pack-start.ts";
import { type Program, readProgram } from "./program.ts";
import { sideFiles } from "./side-files.ts";
import { type WarmStart, warmStart } from "./warm-start.ts";

/** The parts of a package that become files in its `dist/`. Paths are relative to the package. */
export interface ProgramBuild {
  /** The package, with a slash at its end. */
  readonly packageFolder: URL;
  /** Name of the program: `dist/<name>.cjs`. */
  readonly name: string;
  /** The main file: loading it starts the process. With `serve`, it exports `run(startAnew)`. */
  readonly main: string;
  /**
   * The file of a second start. It exports `serve(options)`, which gets the options that `startAnew` was given.
   * A second start loads neither the command line nor the check of options.
   */
  readonly serve?: string;
  /** False: the program has neither log nor metrics, so the packages for these are left out. */
  readonly isProcess?: boolean;
  /**
   * Further files that code names by URL, such as the programs of worker threads: each becomes
   * `dist/<basename>.cjs`.
   */
  readonly entries?: readonly string[];
  /**
   * Files that other programs import as ES modules: each becomes `dist/<basename>.mjs`, and shares its objects with the
   * program.
   */
  readonly modules?: readonly string[];
  /**
   * Packages that are seldom needed: each becomes a file that loads with its first use. The value names the
   * package that depends on it: "" is this package, "a > b" is the b that a depends on.
   */
  readonly lazyPackages?: Readonly<Record<string, string>>;
  /**
   * Source files that are seldom needed, and therefore lazy. Modules that only these files import are lazy too.
   */
  readonly lazyFiles?: readonly string[];
  /**
   * Files that a start loads, packed into one. Absent: `main` and its imports. `serve` and its imports are
   * always packed.
   */
  readonly start?: PackedStart;
  /** A start that the build runs, so that V8's compiled code ships with the program. */
  readonly warmStart?: WarmStart;
  /**
   * Files and folders that code names by URL, and the names of their copies beside the program if the names
   * differ.
   */
  readonly sideFiles?: Readonly<Record<string, string>>;
}

/** Packages that every process contains and seldom needs: config files, logs on a terminal, metrics with exemplars. */
const lazyInEveryProcess = {
  "@opentelemetry/api": "@prometheus-io/client",
  "pino-pretty": "lifecycle",
  "smol-toml": "lifecycle",
  yaml: "lifecycle",
};

const textOf = (value: unknown) => JSON.stringify(value);

/** JavaScript that restarts a program with its options if necessary, and then loads its code. */
const loadMain = (main: string, program: Program) => `
startAsAsked(${textOf(program)});
keepCompiled(__dirname);
runWorkersOfExecutable(__dirname);
void import(${textOf(main)});`;

/** JavaScript that loads the code for checking options, or after the second start the code for serving. */
const loadStage = (main: string, serveFile: string, program: Program) => `
keepCompiled(__dirname);
const options = takeCheckedOptions();
if (options === undefined) {
  void import(${textOf(main)}).then(({ run }) => run((checked) => startChecked(${textOf(program)}, checked)));
} else {
  void ${requireBeside(`./${serveFile}`)}.serve(options);
}`;

/** Adds the first lines of a program: they restart the program with its options, then load the rest. */
function startPlugin(main: string, serveFile: string | undefined, program: Program): Plugin {
  const start = fileURLToPath(new URL("./start-program.ts", import.meta.url));
  const workers = fileURLToPath(new URL("./executable-workers.ts", import.meta.url));
  return {
    name: "start",
    resolveId: { filter: { id: /^\0start$/ }, handler: (id) => id },
    load: {
      filter: { id: /^\0start$/ },
      handler: () => ({
        code: `#!/usr/bin/env node
import { keepCompiled, refuseOldNode, startAsAsked, startChecked, takeCheckedOptions } from ${textOf(start)};
import { runWorkersOfExecutable } from ${textOf(workers)};
refuseOldNode();
${serveFile === undefined ? loadMain(main, program) : loadStage(main, serveFile, program)}`,
        moduleType: "js",
      }),
    },
  };
}

/** Rewrites a file as ASCII, because V8 stores a source with a character beyond Latin-1 as two bytes per character. */
function writeAsAscii(file: string): void {
  const ascii = readFileSync(file, "utf8").replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, ascii);
}

const nameOf = (path: string) => basename(path, extname(path));

/**
 * Writes an ES module that exports a CommonJS module. Node cannot find the exported names of a bundled CommonJS
 * module.
 */
function writeModule(distFolder: string, name: string): void {
  const names = Object.keys(createRequire(import.meta.url)(join(distFolder, `${name}.cjs`)) as object);
  writeFileSync(
    join(distFolder, `${name}.mjs`),
    `import all from "./${name}.cjs";\nexport const { ${names.join(", ")} } = all;\n`,
  );
}

async function write(
  input: Record<string, string>,
  folder: string,
  plugins: Plugin[],
): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    input,
    platform: "node",
    plugins,
    treeshake: {
      // Generated code creates a gRPC client for each service, even for unused ones.
      manualPureFunctions: ["makeGenericClientConstructor"],
      moduleSideEffects: (id) =>
        !/\/packages\/(?:http-protocols|wire|lifecycle)\/|@grpc\/grpc-js|@bufbuild\/protobuf|\/zod\//.test(
          id,
        ),
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name].cjs",
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  if (process.env.BUNDLE_SIZES !== undefined) {
    printSizes(output);
  }
  const chunks = output.filter((file) => file.type === "chunk");
  for (const { fileName } of chunks) {
    writeAsAscii(join(folder, fileName));
  }
  return chunks;
}

/**
 * Prints the largest modules of each file, to help make a program smaller: `BUNDLE_SIZES=1 pnpm run
 * build`.
 */
function printSizes(
  output: Awaited<ReturnType<Awaited<ReturnType<typeof rolldown>>["write"]>>["output"],
): void {
  for (const file of output) {
    if (file.type !== "chunk") {
      continue;
    }
    const modules = Object.entries(file.modules).map(
      ([id, { renderedLength }]) => [id, renderedLength] as const,
    );
    console.log(`${file.fileName} ${file.code.length}`);
    for (const [id, length] of modules.sort((a, b) => b[1] - a[1]).slice(0, 40)) {
      if (length > 1_000) {
        console.log(`  ${length} ${id.replace(/^.*node_modules\//, "")}`);
      }
    }
  }
}

/**
 * Builds the program of a process: `dist/<name>.cjs`, and files in the same folder that load on demand. Only native
 * packages stay outside.
 *
 * A process that runs from its sources needs tens of megabytes more. They hold the compiler that strips types,
 * hundreds of modules, and parts of Node that ES modules load whole.
 * @throws Error when the code cannot be bundled, or names a missing file
 */
export async function bundleProgram(build: ProgramBuild): Promise<void> {
  const packageFolder = fileURLToPath(build.packageFolder);
  const distFolder = join(packageFolder, "dist");
  const { entries = [], modules = [] } = build;
  const program = readProgram(build.packageFolder);
  const lazy = {
    packageFolder,
    packages: { ...(build.isProcess === false ? {} : lazyInEveryProcess), ...build.lazyPackages },
    files: build.lazyFiles ?? [],
    externals: program.nativePackages,
  };
  const moduleFiles = modules.map((path) => [path, `${nameOf(path)}.mjs`] as const);
  const names = new Map(
    [...Object.entries(build.sideFiles ?? {}), ...moduleFiles].map(
      ([path, name]) => [resolve(packageFolder, path), name] as const,
    ),
  );
  rmSync(distFolder, { recursive: true, force: true });
  const input = {
    [build.name]: startEntry,
    [packLoader]: fileURLToPath(new URL("./load-pack.ts", import.meta.url)),
    ...lazyEntries(lazy),
    ...Object.fromEntries([...entries, ...modules].map((path) => [nameOf(path), join(packageFolder, path)])),
  };
  const serveFile = build.serve === undefined ? undefined : `${build.name}-serve.cjs`;
  const plugins = () => [sideFiles(distFolder, names), lazyModules(lazy), leftOutFiles()];
  const chunks = await write(input, distFolder, [
    startPlugin(join(packageFolder, build.main), serveFile, program),
    ...plugins(),
  ]);
  packStart({ packageFolder, distFolder, name: build.name }, chunks, build.start ?? { files: [build.main] });
  if (build.serve !== undefined && serveFile !== undefined) {
    await writeServe(join(packageFolder, build.serve), join(distFolder, serveFile), plugins());
  }
  for (const path of modules) {
    writeModule(distFolder, nameOf(path));
  }
  if (build.warmStart !== undefined) {
    await warmStart(join(distFolder, `${build.name}.cjs`), build.warmStart);
  }
}

/**
 * Writes the second stage as one pack. The stages are built separately: a file shared by both stages would
 * add code that only the first stage needs.
 */
async function writeServe(serve: string, file: string, plugins: Plugin[]): Promise<void> {
  const distFolder = dirname(file);
  const name = nameOf(file);
  const folder = join(distFolder, name);
  const chunks = await write({ [name]: serve }, folder, plugins);
  const place = { packageFolder: distFolder, distFolder: folder, name };
  packStart(place, chunks, { files: [serve] });
  for (const left of readdirSync(folder)) {
    renameSync(join(folder, left), join(distFolder, left));
  }
  rmdirSync(folder);
  writeFileSync(file, `module.exports=require("./${name}-pack.cjs")("./${name}.cjs");\n`);
}
