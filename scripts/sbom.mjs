// npm run sbom: writes release/sbom.cdx.json, every package that the programs are made of, with versions, hashes and
// licences (CycloneDX 1.6). pnpm makes it out of its lockfile and store.

import { mkdirSync } from "node:fs";
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
process.stdout.write(isMade ? "release/sbom.cdx.json\n" : "no SBOM was made\n");
process.exit(isMade ? 0 : 1);
