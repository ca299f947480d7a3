// Packages with native code come as one optional dependency for each platform. A lockfile that was made where the registry
// lacks some of them does not name these, and pnpm installs without a word. This adds what is for this platform and missing,
// by the exact version that its parent asks for.
//
//   node scripts/native-packages.mjs                            adds what is missing here
//   node scripts/native-packages.mjs --platform darwin-arm64    lists what a machine of that platform gets, and from where

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isPerPlatform, nameOf, namesFor, platformNamed, thisPlatform } from "./platform.mjs";

const defaultRoot = fileURLToPath(new URL("..", import.meta.url));

/** Every package of pnpm's store in node_modules, by its folder. */
export function* storedPackages(root = defaultRoot) {
  const store = join(root, "node_modules", ".pnpm");
  if (!existsSync(store)) {
    return;
  }
  for (const entry of readdirSync(store)) {
    const modules = join(store, entry, "node_modules");
    if (!existsSync(modules)) {
      continue;
    }
    for (const name of readdirSync(modules)) {
      const names = name.startsWith("@")
        ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`)
        : [name];
      for (const each of names) {
        const folder = join(modules, each);
        // A link is a dependency, which has an entry of its own.
        if (!lstatSync(folder).isSymbolicLink() && existsSync(join(folder, "package.json"))) {
          yield { modules, folder };
        }
      }
    }
  }
}

/** The packages that have native code in a package for each platform. */
export function nativeParents(root = defaultRoot) {
  const parents = [];
  for (const { modules, folder } of storedPackages(root)) {
    const {
      name,
      version,
      optionalDependencies = {},
    } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (isPerPlatform(Object.keys(optionalDependencies))) {
      parents.push({ name, version, modules, optionalDependencies });
    }
  }
  return parents.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The native package of each parent for a platform, or none when there is none.
 * @returns `locked`: the lockfile names it, so that pnpm installs it; otherwise this script does
 */
export function nativePlan(platform, root = defaultRoot) {
  const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
  const isLocked = (name, version) =>
    ["", "'"].some((quote) => lockfile.includes(`\n  ${quote}${name}@${version}${quote}:`));
  // pnpm leaves packages of an older lockfile in its store.
  return nativeParents(root)
    .filter(({ name, version }) => isLocked(name, version))
    .map((parent) => ({
      parent,
      packages: namesFor(platform, Object.keys(parent.optionalDependencies)).map((name) => {
        const version = parent.optionalDependencies[name];
        return { name, version, locked: isLocked(name, version) };
      }),
    }));
}

const notPublished = "the registry has no such version";

/** Whether another try brings no more of what could not be had: a registry without it, not a network that failed. */
export function isFinal(failed) {
  return failed.every(({ reason }) => reason === notPublished);
}

/** Fetches packages with npm. @returns undefined, or why not, in one line */
function fetchPackage({ name, version }, platform, folder) {
  const options = [
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--force",
  ];
  const of = [`--os=${platform.os}`, `--cpu=${platform.cpu}`];
  if (platform.libc !== "") {
    of.push(`--libc=${platform.libc}`);
  }
  const windows = process.platform === "win32";
  mkdirSync(folder, { recursive: true });
  const { status, stderr } = spawnSync(
    windows ? "npm.cmd" : "npm",
    ["install", "--prefix", folder, "--loglevel=error", ...options, ...of, `${name}@${version}`],
    { cwd: folder, encoding: "utf8", shell: windows },
  );
  if (status === 0) {
    return undefined;
  }
  const code = /code (\w+)/.exec(stderr ?? "")?.[1];
  if (code === "E404" || code === "ETARGET") {
    return notPublished;
  }
  return code === undefined ? "npm could not fetch it" : `npm: ${code}`;
}

/** Puts what is missing beside its parent, where Node looks for it. @returns what could not be had, with the reason */
export function addMissingNatives(
  platform,
  { root = defaultRoot, tell = () => {}, fetch = fetchPackage } = {},
) {
  const failed = [];
  for (const { parent, packages } of nativePlan(platform, root)) {
    for (const each of packages) {
      const place = join(parent.modules, each.name);
      if (existsSync(join(place, "package.json"))) {
        continue;
      }
      tell(`Adding ${each.name}@${each.version}, which the lockfile does not name …\n`);
      const folder = join(root, "node_modules", ".natives", `${each.name.replace("/", "+")}@${each.version}`);
      const stored = join(folder, "node_modules", each.name);
      const reason = existsSync(join(stored, "package.json")) ? undefined : fetch(each, platform, folder);
      if (reason !== undefined) {
        failed.push({ ...each, parent: parent.name, reason });
        continue;
      }
      mkdirSync(dirname(place), { recursive: true });
      rmSync(place, { recursive: true, force: true });
      symlinkSync(stored, place, "junction");
    }
  }
  return failed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.indexOf("--platform");
  if (named !== -1) {
    const platform = platformNamed(process.argv[named + 1] ?? "");
    for (const { parent, packages } of nativePlan(platform)) {
      const list = packages.map(
        ({ name, version, locked }) => `${name}@${version}${locked ? "" : " (added when installed)"}`,
      );
      process.stdout.write(
        `${parent.name}@${parent.version}: ${list.join(", ") || `none for ${nameOf(platform)}`}\n`,
      );
    }
  } else {
    const failed = addMissingNatives(thisPlatform(), { tell: (text) => process.stderr.write(text) });
    for (const { name, version, reason } of failed) {
      process.stderr.write(`${name}@${version}: ${reason}\n`);
    }
  }
}
