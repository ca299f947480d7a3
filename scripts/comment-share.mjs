// Says which part of the product's lines are comments, for each package, and fails when all packages together fall below
// the least share in comment-share.json.
//
// - no option: checks
// - `--raise`: writes the share that was found, rounded down to a tenth of a percent; it never lowers it
//
// A line counts as a comment when it holds nothing else. Blank lines, tests, their helpers and generated code are left out.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const leastFile = new URL("comment-share.json", import.meta.url);

/** Packages that only test and measure the product. */
const notProduct = new Set(["bench", "conformance"]);
const notCounted = /\.(?:test|fuzz|contract)\.tsx?$|\/(?:gen|testing|contract)\//;

/** @returns whether the path is a TypeScript source of a package's program */
export function isProduct(path) {
  const [top, name, folder] = path.split("/");
  return (
    top === "packages" &&
    !notProduct.has(name) &&
    (folder === "src" || folder === "bin") &&
    /\.tsx?$/.test(path) &&
    !notCounted.test(path)
  );
}

/** @returns paths of the product's sources below `root`; none when it is not a git checkout */
export function productFiles(root) {
  const { stdout: listed, status } = spawnSync("git", ["ls-files", "-z", "--", "packages"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  // Git lists a file that was removed and is not committed yet.
  return status === 0
    ? listed.split("\0").filter((path) => isProduct(path) && existsSync(new URL(path, root)))
    : [];
}

/** @returns how many lines of a source are comments, and how many are not blank */
export function countLines(source) {
  let comments = 0;
  let lines = 0;
  let isInside = false;
  for (const line of source.split("\n")) {
    const text = line.trim();
    if (text === "") {
      continue;
    }
    lines += 1;
    const begins = text.startsWith("/*") || text.startsWith("{/*");
    if (isInside || begins || text.startsWith("//")) {
      comments += 1;
    }
    isInside = (isInside || begins) && !text.includes("*/");
  }
  return { comments, lines };
}

function percent({ comments, lines }) {
  return lines === 0 ? 0 : (100 * comments) / lines;
}

function main() {
  const root = new URL("..", import.meta.url);
  const paths = productFiles(root);
  if (paths.length === 0) {
    process.stdout.write("comments: not a git checkout, nothing is counted\n");
    return;
  }
  const packages = new Map();
  const all = { comments: 0, lines: 0 };
  for (const path of paths) {
    const counted = countLines(readFileSync(new URL(path, root), "utf8"));
    const name = path.split("/")[1];
    const sums = packages.get(name) ?? { comments: 0, lines: 0 };
    packages.set(name, sums);
    for (const each of [sums, all]) {
      each.comments += counted.comments;
      each.lines += counted.lines;
    }
  }
  for (const [name, sums] of packages) {
    process.stdout.write(`${name.padEnd(20)} ${percent(sums).toFixed(2).padStart(6)} %\n`);
  }
  const { least } = JSON.parse(readFileSync(leastFile, "utf8"));
  const share = percent(all);
  process.stdout.write(`comments: ${share.toFixed(2)} % of ${all.lines} lines, at least ${least} %\n`);
  if (process.argv.includes("--raise")) {
    const raised = Math.max(least, Math.floor(share * 10) / 10);
    writeFileSync(leastFile, `${JSON.stringify({ least: raised }, null, 2)}\n`);
  } else if (share < least) {
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main();
}
