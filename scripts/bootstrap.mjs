#!/usr/bin/env node
// The way in on any machine with Node >= 20 and npm: brings the wanted Node and pnpm (from the npm registry, into
// .toolchain/, once), and runs one of the tasks beside this file inside them. Plain JavaScript without dependencies,
// because nothing is installed yet when it starts.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = { node: "26.10.0", pnpm: "12.21.0" };
const oldestNode = 26;
const tasks = ["start", "test", "bench", "conformance", "chaos", "soak", "audit", "sbom"];

function version(command) {
  const result = spawnSync(command, ["--version"], { encoding: "utf8" });
  return result.status === 0 ? result.stdout.trim().replace(/^v/, "") : undefined;
}

function major(text) {
  return Number(text?.split(".")[0] ?? 0);
}

/** Folders to put before PATH; none when this machine has what is wanted. */
function toolchainPath() {
  if (major(process.versions.node) >= oldestNode && version("pnpm") === wanted.pnpm) {
    return [];
  }
  const folder = join(root, ".toolchain");
  const stamp = join(folder, "installed.json");
  const installed = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  if (installed !== JSON.stringify(wanted)) {
    process.stderr.write(`Fetching Node ${wanted.node} and pnpm ${wanted.pnpm} into .toolchain (once) …\n`);
    const packages = Object.entries(wanted).map(([name, release]) => `${name}@${release}`);
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const result = spawnSync(
      npm,
      [
        "install",
        "--prefix",
        folder,
        "--no-save",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        ...packages,
      ],
      { cwd: root, stdio: ["ignore", "inherit", "inherit"], env: withoutNpmConfig(process.env) },
    );
    if (result.status !== 0) {
      process.stderr.write(
        "Could not fetch them. Is the npm registry reachable (npm ping)? With a Node >= " +
          `${oldestNode} and pnpm ${wanted.pnpm} of your own on the PATH this step is not needed.\n`,
      );
      process.exit(1);
    }
    writeFileSync(stamp, JSON.stringify(wanted));
  }
  return [join(folder, "node_modules", ".bin")];
}

/** npm passes its own settings to scripts in the environment; pnpm would read some of them as its own. */
function withoutNpmConfig(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        !/^npm_(config_(prefix|local_prefix|global_prefix|allow_scripts)|package|lifecycle|command)/i.test(
          name,
        ),
    ),
  );
}

const [task, ...args] = process.argv.slice(2);
if (!tasks.includes(task ?? "")) {
  process.stderr.write(`usage: node scripts/bootstrap.mjs ${tasks.join("|")} [arguments]\n`);
  process.exit(1);
}

const path = [...toolchainPath(), process.env.PATH ?? ""].join(delimiter);
const env = {
  // Node keeps the JavaScript that it makes of TypeScript: a process then starts in about half the processor time.
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node-compile"),
  ...withoutNpmConfig(process.env),
  PATH: path,
  TURBO_TELEMETRY_DISABLED: "1",
};
const child = spawn("node", [join(root, "scripts", `${task}.mjs`), ...args], { stdio: "inherit", env });
// The task decides how to end; this process passes signals on and waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
