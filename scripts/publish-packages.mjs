// Publishes npm packages, each once: what the registry has already is passed over, so that a run that ended halfway can be
// started again. A version before its release ("1.0.0-rc.1") gets the tag "next", never "latest".
//
//   node scripts/publish-packages.mjs [--option=value for npm publish …] package.tgz …
//
// Ends with 1 when the registry does not tell what it has, or refuses a package; the others are published all the same.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const options = process.argv.slice(2).filter((word) => word.startsWith("--"));
const files = process.argv.slice(2).filter((word) => !word.startsWith("--"));

function run(command, args) {
  return spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function manifestOf(file) {
  const { status, stdout, stderr } = run("tar", [
    "--extract",
    "--gzip",
    "--to-stdout",
    "--file",
    file,
    "package/package.json",
  ]);
  if (status !== 0) {
    throw new Error(`${file}: ${stderr}`);
  }
  return JSON.parse(stdout);
}

/** @returns the checksum of what the registry has; undefined when it has no such version. @throws Error when it does not tell */
function published(id) {
  const { status, stdout, stderr } = run("npm", ["view", id, "dist.integrity"]);
  if (status === 0 && stdout.trim() !== "") {
    return stdout.trim();
  }
  if (status === 0 || /\b(E404|ETARGET)\b/.test(stderr)) {
    return undefined;
  }
  throw new Error(`the registry does not tell what it has: ${stderr.trim()}`);
}

/** @returns a sentence about what became of it */
function publish(file) {
  const { name, version } = manifestOf(file);
  const id = `${name}@${version}`;
  const there = published(id);
  if (there !== undefined) {
    const own = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    return `${id} is published already${there === own ? "" : ", with other content, which nobody can change: this one is left out"}`;
  }
  const tag = version.includes("-") ? ["--tag=next"] : [];
  const { status, stderr } = run("npm", ["publish", ...options, ...tag, resolve(file)]);
  if (status !== 0) {
    throw new Error(`${id}: ${stderr.trim()}`);
  }
  return `${id} is published`;
}

for (const file of files) {
  try {
    process.stdout.write(`${publish(file)}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error.message}\n`);
  }
}
