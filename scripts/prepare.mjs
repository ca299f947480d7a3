// Installs and builds what a task needs. What has not changed since the last time is not done again.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command of the toolchain in the root folder; its output goes through. @returns whether it succeeded */
export function run(command, args, options = {}) {
  return (
    spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], ...options }).status === 0
  );
}

/** Runs a command and shows its output only when it fails. */
function runQuietly(title, command, args) {
  process.stderr.write(`${title} …\n`);
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) {
    process.stderr.write(
      `${result.stdout ?? ""}${result.stderr ?? ""}\n${title}: failed (${command} ${args.join(" ")})\n`,
    );
    process.exit(1);
  }
}

const ignored = new Set(["node_modules", "dist", "gen", ".turbo", "test"]);

function addFiles(hash, path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) {
    hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`);
    return;
  }
  for (const entry of readdirSync(path).sort()) {
    if (!ignored.has(entry)) addFiles(hash, join(path, entry));
  }
}

function fingerprint(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addFiles(hash, join(root, path));
  return hash.digest("hex");
}

/** Does a step unless its inputs are those of the last time and its outputs are there. */
function step(name, inputs, outputs, work) {
  const folder = join(root, "node_modules", ".prepared");
  const stamp = join(folder, name);
  const isDone = () =>
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === fingerprint(inputs) &&
    outputs.every((path) => existsSync(join(root, path)));
  if (isDone()) return;
  work();
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, fingerprint(inputs));
}

function manifests() {
  return ["packages", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((path) => existsSync(join(root, path))),
  );
}

/** What is built of each process. */
const programs = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

/** Installs dependencies, generates code, builds the processes and the UI; on a prepared tree this takes some ten milliseconds. */
export function prepare() {
  step(
    "install",
    ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ...manifests()],
    ["node_modules/.bin/turbo"],
    () => runQuietly("Installing dependencies", "pnpm", ["install", "--frozen-lockfile", "--prefer-offline"]),
  );
  step(
    "build",
    [
      "turbo.json",
      "pnpm-lock.yaml",
      "protos",
      "idl",
      "packages/wire/buf.gen.yaml",
      "packages/wire/package.json",
      "packages/wire/src",
      "packages/bundler",
      "packages/lifecycle",
      "packages/storage",
      "packages/trace-store",
      "packages/traceql",
      ...Object.keys(programs).map((name) => `packages/${name}`),
      "packages/tracing-ui",
      "packages/admin-ui",
      "packages/ui-kit",
    ],
    [
      "packages/wire/src/gen",
      ...Object.entries(programs).map(([name, program]) => `packages/${name}/dist/${program}.cjs`),
      "packages/tracing-ui/dist/index.html",
      "packages/admin-ui/dist/index.html",
    ],
    () =>
      runQuietly("Generating code, building processes and UI", "pnpm", [
        "exec",
        "turbo",
        "run",
        "generate",
        "build",
        "--output-logs=errors-only",
      ]),
  );
}
