#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeExecutable } from "../src/make-executable.ts";
import { makeNpmPackage } from "../src/make-npm-package.ts";
import { readProgram } from "../src/program.ts";

/** Packages of the processes to the names of their programs. */
const programs: Readonly<Record<string, string>> = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

const help = `Makes of each built process an npm package and one executable file for this platform, that of tracing-storage with its engine beside it.

Usage: node packages/bundler/bin/release.ts [options] [process …]

  --out <folder>    where they go (default release)
  --no-executables  npm packages only
  --help            print this text

Processes: ${Object.keys(programs).join(", ")} (all when none is named). \`pnpm run release\` builds them first.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    out: { type: "string", default: "release" },
    executables: { type: "boolean", default: true },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const unknown = positionals.filter((name) => programs[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`no process is called ${unknown.join(", ")}\n\n${help}`);
  process.exit(1);
}

const out = resolve(values.out);
mkdirSync(join(out, "npm"), { recursive: true });
for (const [packageName, name] of Object.entries(programs)) {
  if (positionals.length > 0 && !positionals.includes(packageName)) continue;
  const packageFolder = new URL(`../../${packageName}/`, import.meta.url);
  const program = readProgram(packageFolder);
  const folder = join(out, "npm", packageName);
  makeNpmPackage({ packageFolder, name, program, output: folder });
  const packed = spawnSync("npm", ["pack", "--silent", "--pack-destination", out], {
    cwd: folder,
    encoding: "utf8",
  });
  if (packed.status !== 0) {
    throw new Error(`npm pack of ${packageName}: ${packed.stderr || packed.error?.message}`);
  }
  console.log(join(out, packed.stdout.trim()));
  if (!values.executables) continue;
  const platform = `${process.platform}-${process.arch}`;
  const extension = process.platform === "win32" ? ".exe" : "";
  // The engine of storage goes beside its program: into a folder of their own.
  const output =
    packageName === "tracing-storage"
      ? join(out, `${name}-${platform}`, `${name}${extension}`)
      : join(out, `${name}-${platform}${extension}`);
  mkdirSync(dirname(output), { recursive: true });
  makeExecutable({ packageFolder, name, program, output });
  chmodSync(output, 0o755);
  console.log(output);
}
