// npm run sbom: writes release/sbom.cdx.json and, for people, release/THIRD_PARTY.md: every package that the programs are made of, with versions, hashes and
// licences (CycloneDX 1.6). pnpm makes it out of its lockfile and store.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepare, root, run } from "./prepare.mjs";

await prepare();
const folder = join(root, "release");
mkdirSync(folder, { recursive: true });
const file = join(folder, "sbom.cdx.json");
const format = ["--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6", "--sbom-type", "application"];
const isMade = run("pnpm", ["sbom", "--prod", ...format, "--out", file], {
  stdio: ["ignore", "ignore", "inherit"],
});
if (isMade) {
  const { components } = JSON.parse(readFileSync(file, "utf8"));
  const rows = components.map(({ group, name, version, licenses = [] }) => {
    const said = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
    return `| ${group === undefined ? "" : `${group}/`}${name} | ${version} | ${said.join(", ")} |`;
  });
  const head = "# What the programs are made of\n\n| Package | Version | Licence |\n|---|---|---|\n";
  writeFileSync(join(folder, "THIRD_PARTY.md"), `${head}${rows.sort().join("\n")}\n`);
}
process.stdout.write(isMade ? "release/sbom.cdx.json\nrelease/THIRD_PARTY.md\n" : "no SBOM was made\n");
process.exit(isMade ? 0 : 1);
