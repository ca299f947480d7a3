#!/usr/bin/env node
// The entry on any machine with Node >= 20 and npm. Once, it fetches the wanted Node and pnpm from the npm registry into
// .toolchain/. Then it runs one of the tasks beside this file with them. Plain JavaScript without dependencies,
// because nothing is installed yet when it starts.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkoutRightsText } from "./checkout-rights.mjs";
import { clickhouseOf } from "./clickhouse-option.mjs";
import { deafNpmText } from "./deaf-npm.mjs";
import { diskRoomText } from "./disk-room.mjs";
import { homeVariables, temporaryFolderVariables } from "./home-folder.mjs";
import { nameOf, nodePackageOf, partialPlatformText, thisPlatform } from "./platform.mjs";
import { runChild } from "./run-child.mjs";
import { exitCodes, onLostNpm, onStopSignal } from "./stop-with-parent.mjs";
import { swallowedOptionsText } from "./swallowed-options.mjs";
import { clearToolchain, hasToolchain, rememberToolchain } from "./toolchain-state.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = { node: "26.10.0", pnpm: "12.21.0" };
const oldestNode = 26;
const tasks = [
  ...["start", "test", "bench", "conformance", "chaos", "soak", "audit", "sbom", "release", "docs"],
  "changelog",
];
const isWindows = process.platform === "win32";
const platform = thisPlatform();
const nodePackage = nodePackageOf(platform);
const toolchain = join(root, ".toolchain");
const pnpmScript = join("node_modules", "pnpm", "install.js");

function version(command, env = process.env) {
  const result = spawnSync(command, ["--version"], { encoding: "utf8", shell: isWindows, env });
  return result.status === 0 ? result.stdout.trim().replace(/^v/, "") : undefined;
}

function major(text) {
  return Number(text?.split(".")[0] ?? 0);
}

/** Folders to put before PATH; none when this machine has what is wanted. */
async function toolchainPath() {
  const hasNode = major(process.versions.node) >= oldestNode;
  if (hasNode && version("pnpm") === wanted.pnpm) {
    return [];
  }
  if (!hasNode && nodePackage === undefined) {
    process.stderr.write(
      `cannot start: this is Node ${process.versions.node}, and npm has no Node ${oldestNode} for ${nameOf(platform)}. ` +
        "Install one (Alpine: apk add nodejs-current npm) and start again.\n",
    );
    process.exit(1);
  }
  const parts = Object.fromEntries(
    Object.entries(wanted).filter(([name]) => name !== "node" || nodePackage !== undefined),
  );
  // On Windows .bin has scripts of the shell only.
  const ownNode =
    isWindows && nodePackage !== undefined ? [join(toolchain, "node_modules", nodePackage, "bin")] : [];
  const folders = [...ownNode, join(toolchain, "node_modules", ".bin")];
  if (!hasToolchain(toolchain, parts, nodePackage)) {
    const refused = checkoutRightsText(root, toolchain);
    if (refused !== "") {
      process.stderr.write(refused);
      process.exit(1);
    }
    clearToolchain(toolchain);
    const texts = Object.entries(parts).map(([name, release]) => `${name} ${release}`);
    process.stderr.write(`Fetching ${texts.join(" and ")} into .toolchain (once) …\n`);
    // The package of this platform, since "node" fetches it by an install script, which many forbid.
    const names = Object.entries(parts).map(
      ([name, release]) => `${name === "node" ? nodePackage : name}@${release}`,
    );
    const { status } = await runChild(
      "npm",
      [
        "install",
        "--prefix",
        toolchain,
        "--no-save",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
        "--no-update-notifier",
        "--loglevel=error",
        "--include=optional",
        ...names,
      ],
      { cwd: root, env: environment() },
    );
    // It puts pnpm's binary in its place, where npm was told to run no such scripts. Run twice, it changes nothing.
    if (existsSync(join(toolchain, pnpmScript))) {
      spawnSync(process.execPath, [join(toolchain, pnpmScript)], { env: environment() });
    }
    const env = { ...process.env, PATH: [...folders, process.env.PATH ?? ""].join(delimiter) };
    const isThere = Object.entries(parts).every(([name, release]) => version(name, env) === release);
    if (status !== 0 || !isThere) {
      process.stderr.write(
        `${diskRoomText(root)}Could not fetch them, the lines above say why. Is the npm registry reachable (npm ping)? With a Node >= ` +
          `${oldestNode} and pnpm ${wanted.pnpm} of your own on the PATH this step is not needed.\n`,
      );
      process.exit(1);
    }
    rememberToolchain(toolchain, parts);
  }
  return folders;
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

/** The environment of a task, but for its path. */
function environment() {
  return {
    ...withoutNpmConfig(process.env),
    ...homeVariables(toolchain, process.env),
    ...temporaryFolderVariables(toolchain),
  };
}

const [task, ...args] = process.argv.slice(2);
if (!tasks.includes(task ?? "")) {
  process.stderr.write(`usage: node scripts/bootstrap.mjs ${tasks.join("|")} [arguments]\n`);
  process.exit(1);
}

if (task === "start") {
  const swallowed = swallowedOptionsText(process.env);
  if (swallowed !== undefined) {
    process.stderr.write(swallowed);
    process.exit(1);
  }
  process.stderr.write(partialPlatformText(platform, clickhouseOf(args)));
  process.stderr.write(isWindows ? "" : deafNpmText(process.env, process.pid));
}
// From here on: npm may end while the toolchain is fetched, and its successor as parent would not. Whoever handles signals then ends.
onLostNpm(() => process.kill(process.pid, "SIGTERM"));
const path = [...(await toolchainPath()), process.env.PATH ?? ""].join(delimiter);
const env = {
  // Node keeps the JavaScript that it makes of TypeScript: a process then starts in about half the processor time.
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node-compile"),
  ...environment(),
  PATH: path,
  TURBO_TELEMETRY_DISABLED: "1",
};
const child = spawn("node", [join(root, "scripts", `${task}.mjs`), ...args], {
  // The launcher stops everything when the channel is gone, also when this process could not say a word.
  stdio: task === "start" ? ["inherit", "inherit", "inherit", "ipc"] : "inherit",
  env,
});
// The task decides how to end; this process passes signals on and waits for it.
onStopSignal((signal) => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? exitCodes[signal] ?? 1));
