// npm run sbom: writes dist/sbom.cdx.json (CycloneDX 1.6) and, for people, dist/THIRD_PARTY.md. They list
// every package of the programs, with versions, hashes and licences. dist/sbom/ has the same for each image. pnpm makes all
// from its lockfile and store.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { imageNames } from "../packages/bundler/src/release/release-files.ts";
import { prepare, root, run } from "./prepare.mjs";
import { writeThirdParty } from "./third-party.mjs";

await prepare();
const folder = join(root, "dist");
mkdirSync(folder, { recursive: true });
const file = join(folder, "sbom.cdx.json");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const format = ["--sbom-format", "cyclonedx", "--sbom-spec-version", "1.6", "--sbom-type", "application"];
const list = (output, ...filter) =>
  run("pnpm", [...filter, "sbom", "--prod", ...format, "--out", output], {
    stdio: ["ignore", "ignore", "inherit"],
  });
const isMade = list(file);
if (isMade) {
  writeThirdParty(file, join(folder, "THIRD_PARTY.md"));
}
process.stdout.write(isMade ? "dist/sbom.cdx.json\ndist/THIRD_PARTY.md\n" : "no SBOM was made\n");
rmSync(join(folder, "sbom"), { recursive: true, force: true });
mkdirSync(join(folder, "sbom"));
const lists = imageNames.map((name) =>
  list(join(folder, "sbom", `${name}-${version}.cdx.json`), "--filter", name),
);
process.stdout.write(`dist/sbom/: ${lists.filter(Boolean).length} of ${imageNames.length} images\n`);
process.exit(isMade && lists.every(Boolean) ? 0 : 1);
