// Installs and builds the inputs of a task. Unchanged parts are not built again.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkoutRightsText } from "./checkout-rights.mjs";
import { diskRoomText } from "./disk-room.mjs";
import { addMissingNatives, isFinal } from "./native-packages.mjs";
import { nameOf, thisPlatform } from "./platform.mjs";
import { runChild } from "./run-child.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a command of the toolchain in the root folder; its output goes through. @returns whether it succeeded */
export function run(command, args, options = {}) {
  return (
    spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], ...options }).status === 0
  );
}

/** Runs a command and shows its output only when it fails. */
async function runQuietly(title, command, args) {
  process.stderr.write(`${title} …\n`);
  const { status, output } = await runChild(command, args, { cwd: root, quiet: true });
  if (status !== 0) {
    const why = `${title}: failed (${command} ${args.join(" ")})`;
    process.stderr.write(`${output}\n${diskRoomText(root)}${why}\n`);
    process.exit(1);
  }
}

/** Installs what the lockfile names, and what it cannot name. @returns false where a next start may get more */
async function install() {
  await runQuietly("Installing dependencies", "pnpm", ["install", "--frozen-lockfile", "--prefer-offline"]);
  const platform = thisPlatform();
  const failed = addMissingNatives(platform, { tell: (text) => process.stderr.write(text) });
  for (const { name, version, parent, reason } of failed) {
    process.stderr.write(
      `${parent} lacks its native code for ${nameOf(platform)}: ${name}@${version}: ${reason}\n`,
    );
  }
  return isFinal(failed);
}

const ignored = new Set(["node_modules", "dist", "gen", ".turbo", "test"]);

/** @param path from the folder: a prepared tree may be moved, or mounted elsewhere to be read only */
function addFiles(hash, folder, path) {
  const stat = statSync(join(folder, path));
  if (!stat.isDirectory()) {
    hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`);
    return;
  }
  for (const entry of readdirSync(join(folder, path)).sort()) {
    if (!ignored.has(entry)) {
      addFiles(hash, folder, join(path, entry));
    }
  }
}

/** Text that changes when a file of these paths in a folder does. */
export function fingerprint(folder, paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    addFiles(hash, folder, path);
  }
  return hash.digest("hex");
}

/** A file that tells for which inputs, and on which platform, a step was done. A tree may move to another platform: a container mounts the folder of a Mac. */
export class Stamp {
  #file;
  #suffix;

  constructor(file, platform) {
    this.#file = file;
    this.#suffix = platform === undefined ? "" : ` ${nameOf(platform)}`;
  }

  isOf(text) {
    return existsSync(this.#file) && readFileSync(this.#file, "utf8") === `${text}${this.#suffix}`;
  }

  write(text) {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, `${text}${this.#suffix}`);
  }
}

/**
 * Does a step unless its inputs are those of the last time and its outputs are there.
 * @param inputs.platform where the outputs count; without it they count everywhere
 * @param work the result false lets the next start do it again
 */
async function step(name, { paths, platform }, outputs, work) {
  const stamp = new Stamp(join(root, "node_modules", ".prepared", name), platform);
  if (stamp.isOf(fingerprint(root, paths)) && outputs.every((path) => existsSync(join(root, path)))) {
    return;
  }
  const refused = checkoutRightsText(root, join(root, "node_modules"), join(root, "packages"));
  if (refused !== "") {
    process.stderr.write(refused);
    process.exit(1);
  }
  if ((await work()) !== false) {
    stamp.write(fingerprint(root, paths));
  }
}

function manifests() {
  return ["packages", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((path) => existsSync(join(root, path))),
  );
}

/** The build output of each process. */
export const programs = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-cli": "tracing",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

/** The folders of packages, and of all packages of the workspace that they are built of. */
function withDependencies(names) {
  const found = new Set();
  for (const waiting = [...names]; waiting.length > 0; ) {
    const name = waiting.pop();
    const manifest = join(root, "packages", name, "package.json");
    if (found.has(name) || !existsSync(manifest)) {
      continue;
    }
    found.add(name);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
    waiting.push(...Object.keys({ ...dependencies, ...devDependencies }));
  }
  return [...found].sort().map((name) => `packages/${name}`);
}

/** Installs dependencies, generates code, builds the processes and the UI; on a prepared tree this takes some ten milliseconds. */
export async function prepare() {
  await step(
    "install",
    {
      paths: [
        "package.json",
        "pnpm-workspace.yaml",
        "pnpm-lock.yaml",
        "scripts/native-packages.mjs",
        "scripts/platform.mjs",
        ...manifests(),
      ],
      platform: thisPlatform(),
    },
    ["node_modules/.bin/turbo"],
    install,
  );
  await step(
    "build",
    {
      paths: [
        "turbo.json",
        "pnpm-lock.yaml",
        "protos",
        "idl",
        "packages/wire/buf.gen.yaml",
        ...withDependencies([...Object.keys(programs), "tracing-ui", "admin-ui"]),
      ],
    },
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
