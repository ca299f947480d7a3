// npm run audit: licences and known holes of the packages that the programs are made of. Fails for a licence that
// scripts/audit-rules.json does not allow, for an advisory that it does not accept, and for a dependency that looks abandoned. A registry that does not answer
// is told, and is no failure.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { advisoryFindings, licenceFindings } from "./audit-findings.mjs";
import {
  abandonedFindings,
  listedDependencies,
  runtimeDependencies,
  undatedDependencies,
} from "./dependency-ages.mjs";
import { prepare, root } from "./prepare.mjs";

await prepare();
const rules = JSON.parse(readFileSync(join(root, "scripts", "audit-rules.json"), "utf8"));

/** Runs pnpm. @returns its JSON; undefined when it printed none */
function jsonOf(args) {
  const { stdout } = spawnSync("pnpm", args, { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function tell(title, findings) {
  process.stdout.write(`${title}: ${findings.length === 0 ? "nothing found" : `${findings.length} found`}\n`);
  for (const finding of findings) {
    process.stdout.write(`  ${finding}\n`);
  }
}

const bom = jsonOf(["sbom", "--prod", "--sbom-format", "cyclonedx"]);
if (bom === undefined) {
  process.stdout.write("licences: pnpm lists no packages\n");
  process.exit(1);
}
const { components } = bom;
const licences = licenceFindings(components, rules.licences);
tell(`licences of ${components.length} packages`, licences);

const report = jsonOf(["audit", "--prod", "--json"]);
let advisories = [];
if (report?.advisories === undefined) {
  process.stdout.write("advisories: not looked at, the registry gives none\n");
} else {
  const today = new Date().toISOString().slice(0, 10);
  advisories = advisoryFindings(report, rules.advisories.accepted, today);
  tell("advisories", advisories);
}
/** Date of the newest release; undefined when the registry does not tell it. */
function newestRelease(name) {
  const {
    created: _created,
    modified: _modified,
    ...releases
  } = jsonOf(["view", name, "time", "--json"]) ?? {};
  return Object.values(releases).sort().at(-1);
}

const names = runtimeDependencies(root);
const releases = Object.fromEntries(names.map((name) => [name, newestRelease(name)]));
const page = readFileSync(join(root, "docs", "dependencies.md"), "utf8");
const abandoned = abandonedFindings(releases, listedDependencies(page), Date.now());
const undated = undatedDependencies(releases);
tell(`releases of ${names.length - undated.length} dependencies`, abandoned);
if (undated.length > 0) {
  process.stdout.write(`releases: the registry tells no date of ${undated.join(", ")}\n`);
}
process.exit(licences.length + advisories.length + abandoned.length === 0 ? 0 : 1);
