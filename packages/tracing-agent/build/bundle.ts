// Makes dist/tracing-agent.cjs: the agent as one CommonJS file, and a file each for what it seldom needs. From its
// sources it needs sixty megabytes more: for the compiler that strips types, for one module each of hundreds, and for
// the parts of Node that ES modules load whole.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const distFolder = `${packageFolder}dist/`;

/** Parts of Node that cost megabytes and that the agent mostly does without: loaded when something of them is used. */
const lazyBuiltins = [
  "assert",
  "child_process",
  "cluster",
  "crypto",
  "dns/promises",
  "https",
  "module",
  "perf_hooks",
  "tls",
  "tty",
  "worker_threads",
  "zlib",
];

/**
 * Packages for configuration files, for terminals, and for metrics with exemplars: loaded when something of them is
 * used. Each with the package that has it.
 */
const lazyPackages: ReadonlyMap<string, string> = new Map([
  ["@opentelemetry/api", "prom-client"],
  ["pino-pretty", "lifecycle"],
  ["yaml", "lifecycle"],
]);

const fileOf = (packageName: string) => `${packageName.replace(/\W+/g, "-").replace(/^-/, "")}.cjs`;

/** The source of a module that has the names of another one, and loads it when one of them is used. */
function lazyModule(load: string, names: readonly string[]): string {
  return `
const load = () => ${load};
module.exports = (...args) => load()(...args);
for (const name of ${JSON.stringify(names)}) {
  Object.defineProperty(module.exports, name, { get: () => load()[name], enumerable: true, configurable: true });
}`;
}

/** A package's file, as its owner finds it. */
function pathOf(packageName: string, owner: string): string {
  return createRequire(createRequire(import.meta.url).resolve(owner)).resolve(packageName);
}

const loadLazily: Plugin = {
  name: "load-lazily",
  resolveId: {
    filter: {
      id: new RegExp(`^(?:(?:node:)?(?:${lazyBuiltins.join("|")})|${[...lazyPackages.keys()].join("|")})$`),
    },
    handler: (id) => `\0lazy:${id.replace("node:", "")}`,
  },
  load: {
    filter: { id: /^\0lazy:/ },
    handler(id) {
      const name = id.slice("\0lazy:".length);
      const owner = lazyPackages.get(name);
      const load =
        owner === undefined
          ? `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`
          : `process.getBuiltinModule("node:module").createRequire(__filename)(${JSON.stringify(`./${fileOf(name)}`)})`;
      const real: object = createRequire(import.meta.url)(owner === undefined ? name : pathOf(name, owner));
      return { code: lazyModule(load, Object.keys(real)), moduleType: "js" };
    },
  },
};

async function write(input: string, file: string, plugins: Plugin[]): Promise<void> {
  const bundle = await rolldown({
    input,
    platform: "node",
    plugins,
    treeshake: {
      // Generated code makes a gRPC client for each service, which the agent does not use.
      manualPureFunctions: ["makeGenericClientConstructor"],
      moduleSideEffects: (id) => !/\/packages\/wire\/|@grpc\/grpc-js|@bufbuild\/protobuf|\/zod\//.test(id),
    },
  });
  await bundle.write({ file, format: "cjs", codeSplitting: false, minify: true });
  await bundle.close();
  // V8 keeps a source with one character beyond Latin-1 in two bytes for each of its characters.
  const ascii = readFileSync(file, "utf8").replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, ascii);
}

rmSync(distFolder, { recursive: true, force: true });
await write(`${packageFolder}bin/small-tracing-agent.ts`, `${distFolder}tracing-agent.cjs`, [loadLazily]);
for (const [name, owner] of lazyPackages) {
  await write(pathOf(name, owner), `${distFolder}${fileOf(name)}`, []);
}
